// The studio in a real browser: node --test page.test.mjs, with SINEW_BINARY the program.
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { frames, hasChromium, openPage, startBrowser, startStudio } from "./studio.mjs";

if (!hasChromium()) {
  console.log("Chromium is not installed (SINEW_CHROMIUM, /usr/bin/chromium): the page is not tested");
  process.exit(process.env.SINEW_REQUIRE_MOTIONS === "1" ? 1 : 77);
}

const folder = mkdtempSync(join(tmpdir(), "sinew-page-"));
let studio, chrome, page;

// One studio with a cheap method serves all tests.
before(async () => {
  studio = await startStudio(["punch", "--method", "servo"]);
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

// Printed, not judged: other work on the machine slows it down, and without a graphics card pictures are drawn seldom. So what counts
// is when the first frame with the ball has come, and how long the page then holds it back to play evenly.
test("from a click to what it does", async () => {
  await keys("r");
  await keys("3");
  const times = [];
  for (let i = 0; i < 7; ++i) {
    await page.evaluate(() => {
      const { link, playback } = window.sinew, hear = link.onFrame;
      window.reaction = new Promise((resolve) => addEventListener("pointerup", () => {
        const begin = performance.now();
        let before = playback.newest?.performers[0].props;
        link.onFrame = (frame) => {
          hear(frame);
          const props = frame.performers[0].props;
          if (before?.some((x, k) => Math.abs(x - props[k]) > 1)) {
            link.onFrame = hear;
            resolve({ came: performance.now() - begin, held: 1000 * playback.delay });
          }
          before = props;
        };
      }, { once: true, capture: true }));
    });
    await page.mouse.click(150, 220);
    times.push(await page.evaluate(() => window.reaction));
  }
  const median = (values) => values.sort((a, b) => a - b)[3].toFixed(0);
  const [came, held, all] = [times.map((t) => t.came), times.map((t) => t.held), times.map((t) => t.came + t.held)].map(median);
  console.log(`a ball is seen ${all} ms after the click: it comes after ${came} ms and is held back for ${held} ms (medians of 7)`);
  await keys("1");
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

// Drops a file onto the page and waits until it is performed; tells when its ghost was seen.
async function dropOntoPage(file, name) {
  const begin = Date.now();
  let since = 0;
  await rebuilt(async () => {
    since = await page.evaluate(({ content, name }) => {
      const data = new DataTransfer();
      data.items.add(new File([content], name));
      const now = performance.now();
      dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
      return now;
    }, { content: readFileSync(file, "utf8"), name });
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

test("export, drop it again, and a bad file's sentence", async () => {
  await frames(page, 30);
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.locator("select[aria-label='Export the take']").selectOption("bvh"),
  ]);
  const file = join(folder, "again.bvh");
  await download.saveAs(file);
  assert.match(readFileSync(file, "utf8"), /^HIERARCHY/);
  await dropOntoPage(file, "again.bvh");
  assert.equal((await scene()).performers[0].role.clip, "dropped/again");
  assert.ok(await page.evaluate(() => window.sinew.view.players[0].ghost.root.visible), "no ghost");
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
  await press(page.locator("#find-control"));
  await waitUntil(() => window.sinew.panels.state.search?.samples > 0);
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

test("keys alone, themes, a narrow window", async () => {
  await keys("h");
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
  studio = await startStudio(["punch", "--method", "servo"], studio.port);
  await waitUntil(() => document.body.dataset.link === "open");
  await frames(page, 10);
});
