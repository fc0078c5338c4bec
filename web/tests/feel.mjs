// How the page feels, in figures: from a click to what it does, what a picture costs. SINEW_BINARY=build/release/sinew node web/tests/feel.mjs
import { inWords, median, openPage, reaction, startBrowser, startStudio } from "./studio.mjs";

const CLICKS = Number(process.env.FEEL_CLICKS ?? 15), PICTURES = 60;
const SMALL = { width: 640, height: 400 }, USUAL = { width: 1280, height: 720 };
const chrome = await startBrowser();

async function clicks(page, size) {
  const times = [];
  for (let i = 0; i < CLICKS; ++i) {
    await page.waitForTimeout(150 + 37 * i % 100);
    times.push(await reaction(page, () => page.mouse.click(0.3 * size.width, 0.55 * size.height)));
  }
  return times;
}

// Clicks while a method works. Once more with a renderer that draws nothing: what is left is what a graphics card would not take away.
for (const [method, size] of [["servo", SMALL], ["servo", USUAL], ["preview", SMALL]]) {
  const studio = await startStudio(["walk", "--method", method]);
  const page = await openPage(chrome.browser, studio.address, size, 0);
  await page.waitForFunction(() => window.sinew.drawn > 5, null, { polling: 50 });
  await page.locator("#canvas").focus();
  await page.keyboard.press("3");
  const name = `${method}, ${size.width}x${size.height}`;
  console.log(`${name}: ${inWords(await clicks(page, size))}`);
  const state = await page.evaluate(() => window.sinew.panels.state);
  const plan = await page.evaluate(() => window.sinew.playback.newest.performers[0].planMs);
  const delay = await page.evaluate(() => 1000 * window.sinew.playback.delay);
  console.log(`  ${state.factor.toFixed(2)} of real time, the last plan ${plan.toFixed(0)} ms, frames are played ${delay.toFixed(0)} ms late`);
  await page.evaluate(() => (window.sinew.view.renderer.render = () => {}));
  console.log(`  nothing drawn: ${inWords(await clicks(page, size))}`);
  await page.context().close();
  await studio.stop();
}

// What a picture costs the page: our own code, three.js with the driver behind it, and what the graphics card would be asked for.
const studio = await startStudio(["walk", "--method", "servo"]);
for (const quality of [2, 0]) {
  const page = await openPage(chrome.browser, studio.address, USUAL, quality);
  await page.evaluate(() => (window.sinew.presented.length = 0));
  await page.waitForFunction((n) => window.sinew.presented.length >= n, PICTURES, { polling: 200 });
  const { presented, calls, triangles } = await page.evaluate(() => {
    const { presented, view } = window.sinew, { calls, triangles } = view.renderer.info.render;
    return { presented: [...presented], calls, triangles };
  });
  const own = presented.map((picture) => picture.own), renderer = presented.map((picture) => picture.renderer);
  const apart = presented.slice(1).map((picture, i) => picture.at - presented[i].at);
  console.log(`1280x720, quality ${quality}: a picture takes ${median(own).toFixed(1)} ms of our own code and ${median(renderer).toFixed(1)} ms of the renderer without a graphics card (medians of ${PICTURES}), pictures are ${median(apart).toFixed(0)} ms apart; ${calls} calls, ${triangles} triangles`);
  await page.context().close();
}
await studio.stop();
await chrome.stop();
