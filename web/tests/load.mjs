// The studio under load: so many minutes (LOAD_MINUTES, 30) of simulated time with two pages open, pushes, balls, drags, rebuilds and
// exports all the while. Ends with 1 if the memory of the server or of the page grows after the first fifth.
import { readFileSync } from "node:fs";
import { frames, openPage, startBrowser, startStudio } from "./studio.mjs";

const minutes = Number(process.env.LOAD_MINUTES ?? 30);
const studio = await startStudio(["punch", "-c", "human50", "--method", "servo"]);
const chrome = await startBrowser();
const server = () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${studio.pid}/status`, "utf8"))[1]) / 1024;

const page = await openPage(chrome.browser, studio.address, { width: 320, height: 200 });
const second = await openPage(chrome.browser, studio.address, { width: 320, height: 200 });
// Every tenth picture is drawn: without a graphics card drawing would take the time that the simulation is to have.
for (const one of [page, second])
  await one.evaluate(() => {
    const { renderer } = window.sinew.view, render = renderer.render;
    let pictures = 0;
    renderer.render = (...what) => { if (++pictures % 10 === 0) render.apply(renderer, what); };
  });
const devtools = await page.context().newCDPSession(page);
const heap = async () => {
  await devtools.send("HeapProfiler.collectGarbage");
  return (await devtools.send("Runtime.getHeapUsage")).usedSize / 2 ** 20;
};
const send = (request) => page.evaluate((words) => window.sinew.link.send(words), request);
await send({ type: "speed", factor: 4 });

let simulated = 0, round = 0;
const times = {};
function due(what, every) {
  const count = Math.floor(simulated / every), is = count > (times[what] ?? 0);
  times[what] = count;
  return is;
}
let clock = await page.evaluate(() => window.sinew.panels.state.clock);
const begin = Date.now(), samples = [];
while (simulated < 60 * minutes) {
  await page.waitForTimeout(500);
  const now = await page.evaluate(() => window.sinew.panels.state.clock);
  simulated += Math.max(0, now - clock); // a rewind takes nothing back
  clock = now;
  ++round;
  await send({ type: "push", performer: 0, body: 0, force: [200, 100, 0], seconds: 0.2 });
  await send({ type: "throw", performer: 0, from: [2, 0, 1.5], to: [0, 0, 1.2], speed: 8 });
  await send({ type: "hold", performer: 0, body: 1, point: [0, 0, 0], target: [0.3, 0, 1.4] });
  await send({ type: "release" });
  // By the clock of the stage, so that a slow machine has the same to do in a simulated minute.
  if (due("slope", 80)) await send({ type: "surround", slope: times.slope % 5 });
  if (due("character", 120)) await send({ type: "choose", character: times.character % 2 ? "human57" : "human50" });
  if (due("rewind", 180)) await send({ type: "rewind", time: Math.max(0, now - 2) });
  if (due("export", 240)) await send({ type: "export", performer: 0, format: "bvh" });
  if (round % 20 === 0) {
    samples.push({ simulated, server: server(), page: await heap() });
    const last = samples.at(-1);
    console.log(`${(simulated / 60).toFixed(1)} min simulated in ${((Date.now() - begin) / 60000).toFixed(1)}: server ${last.server.toFixed(0)} MB, page ${last.page.toFixed(1)} MB`);
  }
}
await frames(second, 5);
await chrome.stop();
await studio.stop();

// The mean of the last fifth against that of the second.
const mean = (name, from, to) => {
  const part = samples.slice(Math.floor(from * samples.length), Math.max(Math.floor(to * samples.length), 1));
  return part.reduce((sum, sample) => sum + sample[name], 0) / part.length;
};
const growth = { server: mean("server", 0.8, 1) - mean("server", 0.2, 0.4), page: mean("page", 0.8, 1) - mean("page", 0.2, 0.4) };
console.log(`growth: server ${growth.server.toFixed(1)} MB, page ${growth.page.toFixed(1)} MB over ${minutes} simulated minutes`);
process.exit(growth.server < 30 && growth.page < 15 ? 0 : 1);
