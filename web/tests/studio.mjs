// What the tests of the page, its pictures and its load test share: a studio of their own, and Debian's Chromium.
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";

export const TOKEN = "tests-of-the-page-0123456789";
const CHROMIUM = process.env.SINEW_CHROMIUM ?? "/usr/bin/chromium";

export const hasChromium = () => existsSync(CHROMIUM);

// `sinew studio` as a child process; its address once it listens.
export async function startStudio(words = [], port = 0) {
  const child = spawn(process.env.SINEW_BINARY, ["studio", "--no-browser", "--token", TOKEN, "--port", String(port), ...words]);
  let said = "";
  const address = await new Promise((resolve, reject) => {
    child.stdout.on("data", (text) => {
      said += text;
      const found = /http:\/\/\S+/.exec(said);
      if (found) resolve(found[0]);
    });
    child.stderr.on("data", (text) => (said += text));
    child.on("exit", (status) => reject(new Error(`sinew studio ended with ${status}: ${said}`)));
  });
  return {
    address,
    port: Number(new URL(address).port),
    pid: child.pid,
    stop: () => new Promise((resolve) => {
      child.once("exit", resolve);
      child.kill("SIGTERM");
    }),
  };
}

// Chromium without a screen, a sandbox (tests may run as root) or a wish to call home.
export async function startBrowser() {
  const folder = mkdtempSync(join(tmpdir(), "sinew-chromium-"));
  const browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: ["--no-sandbox", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update",
      "--disable-sync", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist",
      `--disk-cache-dir=${folder}`],
  });
  return { browser, stop: async () => { await browser.close(); rmSync(folder, { recursive: true, force: true }); } };
}

// A page of the studio that shows frames; mistakes in it are kept. Without a graphics card fine pictures take long; without a
// quality the page chooses.
export async function openPage(browser, address, size = { width: 640, height: 400 }, quality = 0) {
  const context = await browser.newContext({ viewport: size, acceptDownloads: true });
  const page = await context.newPage();
  page.setDefaultTimeout(120000);
  page.mistakes = [];
  page.on("pageerror", (error) => page.mistakes.push(String(error)));
  page.on("console", (message) => { if (message.type() === "error") page.mistakes.push(message.text()); });
  await page.goto(quality === null ? address : `${address}&quality=${quality}`, { waitUntil: "commit" });
  await page.waitForFunction(() => window.sinew?.frames >= 3, null, { polling: 50 });
  return page;
}

// Waits until so many more frames came.
export async function frames(page, more, timeout = 120000) {
  const before = await page.evaluate(() => window.sinew.frames);
  await page.waitForFunction((goal) => window.sinew.frames >= goal, before + more, { timeout, polling: 50 });
}

// What happens to a ball that is thrown, in ms since the event: when the page's code hears of it, when the frame with the ball has come,
// when the first picture with it is begun, when it has been handed to the renderer, and when the renderer has finished it (a pixel of it
// is read back). How many pictures there were after the frame had come.
export async function reaction(page, act) {
  await page.evaluate(() => {
    const { link, view } = window.sinew, hear = link.onFrame, draw = view.draw, show = view.show;
    window.reaction = new Promise((resolve) => addEventListener("pointerup", (event) => {
      const heard = performance.now();
      const places = () => view.players[0].props.map((prop) => (prop.visible ? prop.position.clone() : null));
      const before = places();
      let came = 0, begun = 0, pictures = 0;
      link.onFrame = (frame) => {
        if (frame.touched && !came) came = performance.now();
        hear(frame);
      };
      view.show = (...now) => {
        begun = performance.now();
        show.apply(view, now);
      };
      view.draw = (dt) => {
        draw.call(view, dt);
        if (!came) return;
        ++pictures;
        const thrown = places().some((at, i) => at && (!before[i] || at.distanceTo(before[i]) > 1));
        if (!thrown && pictures < 60) return;
        const drawn = performance.now(), gl = view.renderer.getContext();
        gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4));
        const finished = performance.now(), since = event.timeStamp;
        link.onFrame = hear;
        delete view.draw;
        delete view.show;
        resolve({ heard: heard - since, came: came - since, begun: begun - since, drawn: drawn - since, finished: finished - since, pictures });
      };
    }, { once: true, capture: true }));
  });
  await act();
  return page.evaluate(() => window.reaction);
}

export const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
const of = (times, what) => median(times.map((t) => t[what])).toFixed(0);
export const inWords = (times) =>
  `a ball is in a finished picture ${of(times, "finished")} ms after the click (medians of ${times.length}; longest ${Math.max(...times.map((t) => t.finished)).toFixed(0)} ms): heard of after ${of(times, "heard")}, its frame comes after ${of(times, "came")}, its picture is begun after ${of(times, "begun")} and handed to the renderer after ${of(times, "drawn")}`;
