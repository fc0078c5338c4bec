// Makes the pictures of the studio again: docs/images/studio.png and the cards of the gallery (web/public/gallery).
// SINEW_BINARY=build/release/sinew node web/tests/pictures.mjs [NAME...]; with names only those (studio, walk, ...).
import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { join } from "node:path";
import { openPage, startBrowser, startStudio } from "./studio.mjs";

const top = fileURLToPath(new URL("../..", import.meta.url));
const wanted = process.argv.slice(2);
const wants = (name) => wanted.length === 0 || wanted.includes(name);

// Which moment of a scene its card shows, and from where: seconds, and the camera beside the performer.
const CARDS = {
  walk: { at: 1.6, from: [1.7, -2.6, 0.4] },
  downhill: { at: 2.4, from: [1.2, -2.9, 0.6] },
  seesaw: { at: 1.7, from: [0.6, -3.2, 0.6] },
  boxing: { at: 0.66, from: [2.0, -2.1, 0.35] },
  cartwheel: { at: 1.0, from: [2.0, -2.7, 0.6] },
  drop: { at: 1.5, from: [1.0, -3.2, 0.8] },
  metamorphosis: { at: 6.6, from: [2.0, -2.3, 0.3] },
  slalom: { at: 9.3, from: [2.6, -2.7, 0.7] },
  methods: { at: 1.0, from: [5.3, 0.5, 0.35] },
};

const studio = await startStudio();
const chrome = await startBrowser();

// By the clock: fine pictures take long without a graphics card.
const wait = (page, what, value, timeout = 180000) => page.waitForFunction(what, value, { timeout, polling: 50 });

// Until what has come is drawn, however slowly.
async function drawn(page) {
  const before = await page.evaluate(() => window.sinew.drawn);
  await wait(page, (old) => window.sinew.drawn >= old + 4, before);
}

// Nothing is drawn on the way to a moment, so that the machine is free to simulate.
const drawing = (page, on) => page.evaluate((on) => {
  const { renderer } = window.sinew.view;
  window.render ??= renderer.render;
  renderer.render = on ? window.render : () => {};
}, on);

// A scene of the gallery, played until a moment and stopped there.
async function playTo(page, id, seconds) {
  await drawing(page, false);
  const epoch = await page.evaluate(() => window.sinew.panels.scene.epoch);
  await page.evaluate((scene) => window.sinew.link.send({ type: "gallery", scene }), id);
  await wait(page, (old) => window.sinew.panels.scene.epoch > old && !window.sinew.panels.state.building, epoch);
  await wait(page, (t) => {
    const { playback, panels } = window.sinew;
    return playback.newest?.epoch === panels.scene.epoch && playback.newest.clock >= t;
  }, seconds);
  await page.evaluate(() => window.sinew.link.send({ type: "pause", on: true }));
  await wait(page, () => window.sinew.panels.state.paused);
  await page.evaluate((time) => window.sinew.link.send({ type: "seek", time }), seconds);
  await wait(page, (t) => Math.abs(window.sinew.playback.newest.clock - t) < 0.02, seconds);
  await drawing(page, true);
  await drawn(page);
}
const look = (page, from) => page.evaluate((away) => {
  const { view } = window.sinew;
  const root = view.players[0].puppet.bodies[0].position;
  view.controls.target.set(root.x, root.y, root.z - 0.05);
  view.camera.position.set(root.x + away[0], root.y + away[1], root.z + away[2]);
}, from);

try {
  const cards = await openPage(chrome.browser, studio.address, { width: 480, height: 300 }, 2);
  await cards.evaluate(() => {
    for (const part of document.querySelectorAll("header, aside, footer, .tools, .toasts, .hint")) part.style.display = "none";
  });
  mkdirSync(join(top, "web/public/gallery"), { recursive: true });
  for (const [id, card] of Object.entries(CARDS)) {
    if (!wants(id)) continue;
    await cards.evaluate((mode) => (window.sinew.view.ghostMode = mode), "off");
    await playTo(cards, id, card.at);
    await look(cards, card.from);
    await drawn(cards);
    await cards.screenshot({ path: join(top, `web/public/gallery/${id}.jpg`), type: "jpeg", quality: 82 });
    console.log(`web/public/gallery/${id}.jpg`);
  }
  // Whoever comes next finds time going on.
  await cards.evaluate(() => window.sinew.link.send({ type: "pause", on: false }));
  await cards.context().close();

  if (wants("studio")) {
    const page = await openPage(chrome.browser, studio.address, { width: 1280, height: 720 }, 2);
    await playTo(page, "downhill", 3.4);
    await look(page, [2.4, -4.3, 1.0]);
    await drawn(page);
    await page.screenshot({ path: join(top, "docs/images/studio.png") });
    console.log("docs/images/studio.png");
  }
} finally {
  await chrome.stop();
  await studio.stop();
}
