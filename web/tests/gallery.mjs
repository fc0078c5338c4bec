// Every scene of the gallery by one click on its card, for so long (GALLERY_SECONDS, 10) of simulated time; says what happened, and ends
// with 1 if one falls. SINEW_BINARY=build/release/sinew node web/tests/gallery.mjs [NAME...]
import { openPage, startBrowser, startStudio } from "./studio.mjs";

const seconds = Number(process.env.GALLERY_SECONDS ?? 10);
const studio = await startStudio(["punch", "-c", "human50", "--method", "servo"]);
const chrome = await startBrowser();
const page = await openPage(chrome.browser, studio.address, { width: 320, height: 240 });
const scenes = process.argv.slice(2).length ? process.argv.slice(2) : await page.locator("[data-scene]").evaluateAll((cards) => cards.map((card) => card.dataset.scene));
let bad = 0;
for (const id of scenes) {
  const epoch = await page.evaluate(() => window.sinew.panels.scene.epoch);
  await page.evaluate(({ id, epoch }) => {
    // What the server says of each performer, four times a second, and how far it was off in each frame.
    const { link, panels } = window.sinew;
    window.fates = [];
    window.hear ??= link.onFrame;
    link.onFrame = (frame) => {
      window.hear(frame);
      if (frame.epoch <= epoch) return;
      frame.performers.forEach((one, i) => {
        const fate = (window.fates[i] ??= { lost: null, height: 0, frames: 0 });
        ++fate.frames;
        fate.height = Math.max(fate.height, Math.abs(one.heightError));
        if (panels.state.lost[i] && panels.state.epoch === frame.epoch) fate.lost ??= frame.clock;
      });
    };
    document.querySelector(`[data-scene=${id}]`).click();
  }, { id, epoch });
  await page.waitForFunction((old) => window.sinew.panels.scene.epoch > old, epoch, { polling: 100 });
  const picture = await page.locator(`[data-scene=${id}] img`).count();
  // Scenes that are laid out again go on, others begin anew: what counts is frames.
  await page.waitForFunction((n) => window.fates[0]?.frames >= n, Math.ceil(seconds / 0.016), { polling: 200, timeout: 600000 });
  const { fates, state, names } = await page.evaluate(() => ({ fates: window.fates, state: window.sinew.panels.state, names: window.sinew.panels.scene.performers.map((one) => one.role.method) }));
  const words = fates.map((fate, i) => `${names[i]} ${fate.lost === null ? "stands" : `falls at ${fate.lost.toFixed(1)} s`} (root off by ${(100 * fate.height).toFixed(0)} cm at most)`);
  const wrong = fates.some((fate) => fate.lost !== null) || picture === 0;
  bad += wrong;
  console.log(`${wrong ? "BAD" : "ok "} ${id}, ${seconds} s, ${picture ? "with a picture" : "WITHOUT a picture"}: ${words.join(", ")}; ${state.factor.toFixed(2)} of real time`);
}
console.log(`${scenes.length - bad} of ${scenes.length} scenes`);
await chrome.stop();
await studio.stop();
process.exit(bad ? 1 : 0);
