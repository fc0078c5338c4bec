// The studio in a real browser: node --test page.test.mjs, with SINEW_BINARY the program.
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { frames, hasChromium, inWords, openPage, reaction, startBrowser, startStudio } from "./studio.mjs";

if (!hasChromium()) {
  console.log("Chromium is not installed (SINEW_CHROMIUM, /usr/bin/chromium): the page is not tested");
  process.exit(process.env.SINEW_REQUIRE_MOTIONS === "1" ? 1 : 77);
}

const folder = mkdtempSync(join(tmpdir(), "sinew-page-"));
let studio, chrome, page;

// One studio with a cheap method serves all tests.
before(async () => {
  studio = await startStudio(["punch", "-c", "human50", "--method", "servo"]);
  chrome = await startBrowser();
  page = await openPage(chrome.browser, studio.address);
});
after(async () => {
  await chrome?.stop();
  await studio?.stop();
  rmSync(folder, { recursive: true, force: true });
});

// Asked by the clock: frames may be drawn slowly.
const waitUntil = (what, value) => page.waitForFunction(what, value, { polling: 50 });
const state = () => page.evaluate(() => window.sinew.panels.state);
const scene = () => page.evaluate(() => window.sinew.panels.scene);
const root = () => page.evaluate(() => window.sinew.view.players[0].puppet.bodies[0].position.toArray());
// Does something that makes a new scene, and waits for it.
async function rebuilt(act) {
  const epoch = (await scene()).epoch;
  await act();
  await waitUntil((old) => window.sinew.panels.scene.epoch > old, epoch);
  await frames(page, 1);
}
// The same, until what was asked for has come.
async function becomes(act, what, value) {
  await act();
  await waitUntil(what, value);
}
// A click that does not wait until nothing moves any more: panels are made anew with each scene.
const press = (what) => what.dispatchEvent("click");
const key = (name) => page.keyboard.press(name);
const keys = async (name) => { await page.locator("#canvas").focus(); await key(name); };

test("shows a live simulation without a mistake", async () => {
  await frames(page, 10);
  await waitUntil(() => window.sinew.drawn > 2);
  assert.match(await page.locator("#title").textContent(), /punch on human50, flat/);
  assert.match(await page.locator("#chips").textContent(), /real time|paused/);
  assert.deepEqual(page.mistakes, []);
});

test("time: pause, step, scrub, go on, slow motion, reset", async () => {
  await keys(" ");
  await waitUntil(() => window.sinew.panels.state.paused);
  const { clock } = await state();
  await keys(".");
  await waitUntil((old) => window.sinew.panels.state.clock > old, clock);
  await page.locator("input[aria-label='Time line']").fill(String((await state()).from + 0.016));
  await press(page.getByRole("button", { name: "Go on from here" }));
  await waitUntil(() => !window.sinew.panels.state.paused);
  // Frame by frame back: the time line goes along. When another page lets time go on, nothing is left of it.
  await frames(page, 20);
  await keys(" ");
  await waitUntil(() => window.sinew.panels.state.paused);
  for (let i = 0; i < 8; ++i) {
    const before = await page.evaluate(() => window.sinew.frames);
    await keys(",");
    await waitUntil((old) => window.sinew.frames > old, before);
  }
  const resume = page.getByRole("button", { name: "Go on from here" });
  await resume.waitFor();
  await waitUntil(() => {
    const line = document.querySelector("input[aria-label='Time line']"), { state } = window.sinew.panels;
    return Math.abs(state.clock - 8 * 0.016 - Number(line.value)) < 0.02;
  });
  await page.evaluate(() => window.sinew.link.send({ type: "pause", on: false }));
  await resume.waitFor({ state: "hidden" });
  await page.locator("select[aria-label='Speed']").selectOption("0.25");
  await waitUntil(() => window.sinew.panels.state.speed === 0.25);
  await keys("+");
  await waitUntil(() => window.sinew.panels.state.speed === 0.5);
  await page.locator("select[aria-label='Speed']").selectOption("1");
  await frames(page, 20);
  const late = (await state()).clock;
  await keys("r");
  await waitUntil((old) => window.sinew.panels.state.clock < old, late);
});

// Where the performer is on the page.
const middle = () => page.evaluate(() => {
  const { view } = window.sinew;
  const p = view.players[0].puppet.bodies[0].position.clone().project(view.camera);
  return [(p.x + 1) / 2 * innerWidth, (1 - p.y) / 2 * innerHeight];
});

test("hands: push by a key, throw where one clicks, drag a body", async () => {
  await keys("r");
  await frames(page, 5);
  const before = await root();
  await keys("ArrowRight");
  await waitUntil((p) => {
    const q = window.sinew.view.players[0].puppet.bodies[0].position;
    return Math.hypot(q.x - p[0], q.y - p[1]) > 0.05;
  }, before);
  await keys("r");
  await keys("3");
  await waitUntil(() => window.sinew.view.players[0].puppet.bodies[0].position.z > 0.7);
  const [x, y] = await middle();
  await page.mouse.click(x, y);
  await waitUntil(() => window.sinew.view.players[0].props.some((prop) => prop.visible));
  await keys("1");
  // What stands still can be got hold of.
  await page.evaluate(() => window.sinew.link.send({ type: "pause", on: true }));
  await waitUntil(() => window.sinew.panels.state.paused);
  await page.waitForTimeout(1000);
  await page.mouse.move(...(await middle()));
  await page.mouse.down();
  await page.mouse.move(x + 60, y - 20, { steps: 4 });
  await waitUntil(() => window.sinew.view.handLine.visible);
  await page.mouse.up();
  await waitUntil(() => !window.sinew.view.handLine.visible);
  await page.evaluate(() => window.sinew.link.send({ type: "pause", on: false }));
});

// Times are printed, not judged: other work on the machine and drawing without a graphics card make them long. What is judged is that
// the page keeps nothing back: once the frame with the ball has come, one of the next pictures shows it.
test("from a click to what it does", async () => {
  await keys("r");
  await keys("3");
  const times = [];
  for (let i = 0; i < 7; ++i) times.push(await reaction(page, () => page.mouse.click(150, 220)));
  console.log(inWords(times));
  assert.ok(times.every((t) => t.pictures <= 3), `pictures until a ball is seen: ${times.map((t) => t.pictures)}`);
  await keys("1");
});

test("pictures go on evenly, never back, though frames come in bursts", async () => {
  // Frames as a method sends them that thinks for 60 ms ten times a second; pictures sixty times a second.
  const shown = await page.evaluate(() => {
    const playback = new window.sinew.playback.constructor();
    const frame = (clock, touched) => ({ epoch: 1, clock, still: false, sketch: false, touched, performers: [] });
    const clocks = [];
    let made = 0;
    for (let tick = 0; tick < 600; ++tick) {
      const now = tick / 60, thinks = now % 0.1 < 0.06;
      while (!thinks && made * 0.016 <= now) playback.push(frame(++made * 0.016, made === 300), now);
      playback.tick(1 / 60);
      clocks.push(playback.shown);
    }
    return clocks;
  });
  const steps = shown.slice(1).map((clock, i) => clock - shown[i]);
  assert.ok(steps.every((step) => step >= 0), "time went back");
  // Settled, and before a hand does something after 4.8 s: steps are a sixtieth, but for a quarter of it.
  const even = steps.slice(120, 270).map((step) => 60 * step);
  assert.ok(Math.min(...even) > 0.75 && Math.max(...even) < 1.25, `steps of ${Math.min(...even)} to ${Math.max(...even)} of a picture's time`);
  // Less than a second after the hand did it all is nearly even again.
  const after = steps.slice(330).map((step) => 60 * step);
  assert.ok(Math.min(...after) > 0.6 && Math.max(...after) < 1.4, `later ${Math.min(...after)} to ${Math.max(...after)}`);
  console.log(`steps between pictures: ${Math.min(...even).toFixed(2)} to ${Math.max(...even).toFixed(2)} of even ones; after a click ${Math.min(...steps.slice(270, 330)) * 60} to ${(Math.max(...steps.slice(270, 330)) * 60).toFixed(2)}`);
});

test("a machine that draws slowly gets simpler pictures", async () => {
  const second = await openPage(chrome.browser, studio.address, { width: 320, height: 200 });
  const qualities = await second.evaluate(() => {
    const { view } = window.sinew, seen = [];
    view.quality = 2;
    for (let i = 0; i < 200; ++i) view.judge(1 / 60);
    seen.push(view.quality);
    for (let i = 0; i < 100; ++i) view.judge(1 / 30);
    seen.push(view.quality);
    for (let i = 0; i < 200; ++i) view.judge(1 / 20);
    // There is nothing simpler, whatever a clock says.
    view.judge(-2);
    seen.push(view.quality);
    return seen;
  });
  assert.deepEqual(qualities, [2, 1, 0]);
  await second.context().close();
  // Where there is no graphics card it begins with the simplest.
  const third = await openPage(chrome.browser, studio.address, { width: 320, height: 200 }, null);
  assert.equal(await third.evaluate(() => document.documentElement.dataset.quality), "0");
  assert.deepEqual(third.mistakes, []);
  await third.context().close();
});

test("changes while it runs: slope, friction, character, method, stiffness, one more performer", async () => {
  await page.setViewportSize({ width: 1100, height: 600 });
  await becomes(() => page.locator("input[aria-label='Slope']").fill("-4"),
    (world) => window.sinew.panels.scene.setting.world === world, "slope:deg=-4");
  await becomes(() => page.locator("input[aria-label='Friction']").fill("0.5"),
    (friction) => window.sinew.panels.scene.setting.friction === friction, 0.5);
  await becomes(() => page.locator("select[aria-label='Character']").selectOption("robot35"),
    (name) => window.sinew.panels.scene.performers[0].character.name === name, "robot35");
  const method = (name) => window.sinew.panels.scene.performers[0].role.method === name;
  await becomes(() => press(page.getByRole("radio", { name: "QP" })), method, "paper");
  await becomes(() => press(page.getByRole("radio", { name: "Servo" })), method, "servo");
  await becomes(() => page.locator("input[aria-label='Stiffness']").fill("1"),
    (gain) => window.sinew.panels.scene.performers[0].role.gain === gain, 2);
  const performers = (count) => window.sinew.panels.scene.performers.length === count;
  await becomes(() => press(page.getByRole("button", { name: "Add a performer" })), performers, 2);
  await becomes(() => press(page.getByRole("button", { name: "Remove this performer" })), performers, 1);
});

// By the menu.
async function exportAs(format) {
  await press(page.getByRole("button", { name: "Export the take" }));
  await press(page.locator(`[data-choice=${format}]`));
}

// Drops a file onto the page and waits until it is performed; tells when its ghost was seen.
async function dropOntoPage(file, name) {
  const begin = Date.now();
  let since = 0;
  await rebuilt(async () => {
    since = await page.evaluate(({ content, name }) => {
      const data = new DataTransfer();
      data.items.add(new File([Uint8Array.from(atob(content), (c) => c.charCodeAt(0))], name));
      const now = performance.now();
      dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
      return now;
    }, { content: readFileSync(file).toString("base64"), name });
  });
  const whole = Date.now() - begin, ghost = await page.evaluate(() => window.sinew.sketched) - since;
  console.log(`${name}: its ghost is seen after ${(ghost > 0 ? ghost : whole).toFixed(0)} ms, performed after ${whole} ms`);
}

test("a long motion's ghost is there before it is performed", async (t) => {
  // The largest of the real ones.
  const folders = (process.env.SINEW_MOTIONS ?? "").split(":").filter((folder) => folder && existsSync(folder));
  const files = folders.flatMap((folder) => readdirSync(folder, { recursive: true }).map((name) => join(folder, name)))
    .filter((name) => name.endsWith(".bvh")).sort((a, b) => statSync(b).size - statSync(a).size);
  if (files.length === 0) return t.skip("SINEW_MOTIONS names no folder with motions");
  await dropOntoPage(files[0], "long.bvh");
  assert.equal((await scene()).performers[0].role.clip, "dropped/long");
  assert.ok(await page.evaluate(() => window.sinew.sketched > 0), "no ghost before it was performed");
});

// The take in a format, saved as a file.
async function exported(format) {
  const [download] = await Promise.all([page.waitForEvent("download"), exportAs(format)]);
  const file = join(folder, `again-${format}.${format}`);
  await download.saveAs(file);
  return file;
}

test("export, drop it again, and a bad file's sentence", async () => {
  await frames(page, 30);
  for (const format of ["bvh", "glb"]) {
    const file = await exported(format);
    if (format === "bvh") assert.match(readFileSync(file, "utf8"), /^HIERARCHY/);
    await dropOntoPage(file, `again-${format}.${format}`);
    assert.equal((await scene()).performers[0].role.clip, `dropped/again-${format}`);
    assert.ok(await page.evaluate(() => window.sinew.view.players[0].ghost.root.visible), "no ghost");
    await frames(page, 30);
  }
  // A film that a browser plays.
  const film = readFileSync(await exported("mp4")).toString("base64");
  const cinema = await page.context().newPage();
  const played = await cinema.evaluate(async (base64) => {
    const video = document.createElement("video");
    video.src = `data:video/mp4;base64,${base64}`;
    await new Promise((resolve, reject) => ((video.onloadeddata = resolve), (video.onerror = reject)));
    return { seconds: video.duration, width: video.videoWidth };
  }, film);
  await cinema.close();
  assert.ok(played.seconds > 0.2 && played.width >= 320, `a film of ${played.seconds} s, ${played.width} wide`);
  // By the button, and bad.
  const bad = join(folder, "bad.bvh");
  writeFileSync(bad, "HIERARCHY\nROOT hips\n{\n  OFFSET 0 0\n");
  page.mistakes = page.mistakes.filter((text) => !/422/.test(text));
  await page.locator("input[type=file]").setInputFiles(bad);
  const toast = page.locator(".toast.error");
  await toast.waitFor();
  assert.match(await toast.first().textContent(), /bad\.bvh:\d+: /);
  page.mistakes = page.mistakes.filter((text) => !/422/.test(text));
});

test("gallery: scenes with pictures, one click", async () => {
  await keys("g");
  await page.locator("#gallery[open]").waitFor();
  const entries = await page.locator("#gallery [data-scene]").count();
  assert.ok(entries >= 5);
  assert.ok((await page.locator("#gallery img").count()) >= 2, "no scene has a picture");
  await rebuilt(() => press(page.locator("[data-scene=cartwheel]")));
  const now = await scene();
  assert.equal(now.performers[0].role.method, "control");
  assert.equal(now.performers[0].character.name, "robot35");
});

test("gallery: slalom and metamorphosis", async () => {
  await keys("g");
  await rebuilt(() => press(page.locator("[data-scene=slalom]")));
  await waitUntil(() => window.sinew.view.players[0].puppet.bodies[0].position.x > 3);
  assert.ok(!(await page.evaluate(() => window.sinew.view.players[0].ghost.root.visible)), "a ghost of nothing");
  await keys("g");
  await rebuilt(() => press(page.locator("[data-scene=metamorphosis]")));
  const sizes = () => page.evaluate(() => window.sinew.view.players[0].puppet.meshes.map((mesh) => mesh.userData.size[0]));
  const before = await sizes();
  await waitUntil(() => window.sinew.panels.state.changes[0]?.part > 0.1);
  await frames(page, 3);
  await waitUntil((old) => window.sinew.view.players[0].puppet.meshes.some((mesh, i) => Math.abs(mesh.userData.size[0] - old[i]) > 1e-3), before);
});

test("search: begins, shows its best, ends when told", async () => {
  await rebuilt(() => page.locator("select[aria-label='Motion']").selectOption("roll-sideways"));
  // By keys, while time stands still: it goes on, and the keys stay where one is.
  await keys(" ");
  await waitUntil(() => window.sinew.panels.state.paused);
  await page.locator("#find-control").focus();
  await key("Enter");
  await waitUntil(() => window.sinew.panels.state.search?.samples > 0 && !window.sinew.panels.state.paused);
  assert.equal(await page.evaluate(() => document.activeElement.id), "cancel-search");
  await waitUntil(() => window.sinew.panels.scene.performers[0].role.method === "control");
  await press(page.locator("#cancel-search"));
  await waitUntil(() => !window.sinew.panels.state.search);
});

test("a run is morphed, turned back and adapted, with its best so far to be seen", async () => {
  await rebuilt(() => page.locator("select[aria-label='Motion']").selectOption("behaviour/run"));
  await page.locator("select[aria-label='Become']").selectOption("woman");
  await press(page.locator("#morph"));
  await waitUntil(() => window.sinew.panels.state.changes[0]?.part > 0);
  await press(page.locator("#turn-back"));
  await waitUntil(() => !window.sinew.panels.state.changes[0].under_way);
  await page.locator("select[aria-label='Become']").selectOption("child");
  await press(page.locator("#adapt"));
  await waitUntil(() => window.sinew.panels.state.search?.kind === "adapt" && window.sinew.panels.state.search.samples > 0);
  await waitUntil(() => window.sinew.panels.scene.performers[0].role.character === "child");
  await press(page.locator("#cancel-search"));
  await waitUntil(() => !window.sinew.panels.state.search);
  await waitUntil(() => window.sinew.panels.scene.performers[0].role.character === "man");
});

// Every control that can be seen is reached by Tab, and shows that it is.
test("Tab reaches every control", async () => {
  await page.setViewportSize({ width: 1100, height: 600 });
  await page.evaluate(() => document.activeElement.blur());
  const controls = () => page.evaluate(() => {
    const name = (at) => at.getAttribute("aria-label") || at.closest("label")?.textContent.trim() || at.textContent.trim() || at.id;
    const all = [...document.querySelectorAll("button, select, input")].filter((at) => at.checkVisibility() && !at.disabled);
    return all.map(name);
  });
  const reached = new Set(), hidden = [];
  for (let i = 0; i < 80; ++i) {
    await key("Tab");
    const at = await page.evaluate(() => {
      const at = document.activeElement;
      const name = at.getAttribute("aria-label") || at.closest("label")?.textContent.trim() || at.textContent.trim() || at.id;
      return at === document.body ? null : { name, seen: getComputedStyle(at).outlineStyle !== "none" };
    });
    if (!at) continue;
    if (reached.has(at.name) && reached.size > 20) break;
    reached.add(at.name);
    if (!at.seen) hidden.push(at.name);
  }
  assert.deepEqual((await controls()).filter((name) => !reached.has(name)), []);
  assert.deepEqual(hidden, [], "without a visible focus");
  // The export is a menu that arrows go through; nothing is exported on the way.
  await page.getByRole("button", { name: "Export the take" }).focus();
  await key("Enter");
  await key("ArrowDown");
  assert.equal(await page.evaluate(() => document.activeElement.dataset.choice), "glb");
  await key("Escape");
  assert.ok(!(await page.locator("[role=menu]").isVisible()));
  // Arrows go through methods and tools without choosing.
  await page.locator("[data-tool=hand]").focus();
  await key("ArrowRight");
  assert.equal(await page.evaluate(() => document.activeElement.dataset.tool), "push");
  await page.setViewportSize({ width: 640, height: 400 });
});

test("keys alone, themes, a narrow window", async () => {
  await keys("?");
  await page.locator("#help[open]").waitFor();
  await key("Escape");
  assert.equal(await page.locator("#help[open]").count(), 0);
  const theme = await page.evaluate(() => document.documentElement.dataset.theme);
  await keys("t");
  assert.notEqual(await page.evaluate(() => document.documentElement.dataset.theme), theme);
  await page.setViewportSize({ width: 420, height: 720 });
  await press(page.locator("#left-button"));
  assert.ok(await page.locator("#left").isVisible());
  await press(page.locator("#right-button"));
  assert.ok(!(await page.locator("#left").isVisible()));
  assert.ok(await page.locator("#right").isVisible());
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "wider than its window");
  await page.setViewportSize({ width: 640, height: 400 });
});

test("two tabs see the same; a studio that comes back is found again", async () => {
  const second = await openPage(chrome.browser, studio.address);
  await keys(" ");
  await second.waitForFunction(() => window.sinew.panels.state.paused, null, { polling: 50 });
  await second.context().close();
  await studio.stop();
  await waitUntil(() => document.body.dataset.link === "closed" || document.body.dataset.link === "connecting");
  studio = await startStudio(["punch", "-c", "human50", "--method", "servo"], studio.port);
  await waitUntil(() => document.body.dataset.link === "open");
  await frames(page, 10);
});
