import { Connection, type LinkState } from "./connection";
import { byId, icon } from "./dom";
import { Hands } from "./hands";
import { Panels } from "./panels";
import { Playback } from "./playback";
import type { ServerMessage } from "./protocol";
import { buildGallery, buildHelp } from "./sheets";
import { firstQuality, View, type Theme } from "./view";

// The token is in the address, after the mark that is never sent to a server.
const address = new URLSearchParams(location.hash.slice(1));
const token = address.get("token") ?? "";
const canvas = byId<HTMLCanvasElement>("canvas");
const link = new Connection(token);

// Without WebGL there is nothing to see, and the page says so.
function makeView() {
  try {
    return new View(canvas, Number(address.get("quality") ?? firstQuality()));
  } catch (error) {
    say("This browser cannot draw: WebGL 2 is missing or switched off.");
    throw error;
  }
}
function say(words: string) {
  const hint = byId("hint");
  hint.textContent = words;
  hint.classList.toggle("on", words !== "");
}
const view = makeView();
view.adapts = !address.has("quality");
const hands = new Hands(view, link, canvas);
const panels = new Panels(link, view, hands);
const playback = new Playback();
const help = buildHelp();
const gallery = byId<HTMLDialogElement>("gallery");

// ---- the server

let latency = 0;
function hear(message: ServerMessage) {
  switch (message.type) {
    case "hello":
      buildGallery(message.gallery, (scene) => link.send({ type: "gallery", scene }));
      panels.setHello(message);
      break;
    case "scene":
      view.setScene(message);
      panels.setScene(message);
      epoch = message.epoch;
      break;
    case "state":
      playback.rate = message.paused ? message.speed : message.slow ? Math.max(message.factor, 0.05) : message.speed;
      panels.setState(message);
      break;
    case "file":
      panels.save(message.id, message.name);
      break;
    case "error":
    case "note":
      panels.toast(message.text, message.type);
      break;
    case "pong":
      latency = performance.now() - message.stamp;
      break;
  }
}
let epoch = 0;
let frames = 0;
let sketched = 0, sketching = false; // since when the ghost of a motion on its way is seen
link.onMessage = hear;
link.onFrame = (frame) => {
  if (frame.epoch !== epoch) return;
  ++frames;
  if (frame.sketch && !sketching) sketched = performance.now();
  sketching = frame.sketch;
  playback.push(frame, performance.now() / 1000);
  panels.setFrame(frame);
};
link.onLink = (state: LinkState) => {
  const words: Record<LinkState, string> = {
    connecting: "",
    open: "",
    closed: "The studio is not there; waiting for it to come back…",
    refused: "The studio was opened anew: open the address that it printed.",
  };
  if (state !== "connecting") say(words[state]);
  document.body.dataset.link = state;
};

// ---- looks

function setTheme(theme: Theme) {
  document.documentElement.dataset.theme = theme;
  localStorage.setItem("sinew-theme", theme);
  view.setTheme(theme);
}
const toggleTheme = () => setTheme(document.documentElement.dataset.theme === "dark" ? "light" : "dark");
const wished = localStorage.getItem("sinew-theme");
setTheme(wished === "dark" || wished === "light" ? wished : matchMedia("(prefers-color-scheme: light)").matches ? "light" : "dark");
view.onQuality = (quality) => (document.documentElement.dataset.quality = String(quality));
view.onQuality(view.quality);
byId("theme-button").append(icon("sun"));
byId("theme-button").onclick = toggleTheme;
byId("help-button").onclick = () => help.showModal();
byId("gallery-button").onclick = () => gallery.showModal();
for (const side of ["left", "right"])
  byId(`${side}-button`).onclick = () => {
    byId(side === "left" ? "right" : "left").classList.remove("open");
    byId(side).classList.toggle("open");
  };
for (const dialog of [help, gallery])
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });

// ---- keys

const KEYS: Record<string, () => void> = {
  " ": () => panels.togglePause(), ".": () => panels.step(), ",": () => panels.stepBack(),
  r: () => panels.reset(), z: () => panels.rewind(2), Enter: () => panels.goOn(),
  "+": () => panels.changeSpeed(1), "=": () => panels.changeSpeed(1), "-": () => panels.changeSpeed(-1),
  "1": () => panels.setTool("hand"), "2": () => panels.setTool("push"), "3": () => panels.setTool("ball"),
  ArrowLeft: () => hands.pushAside(-1, 0), ArrowRight: () => hands.pushAside(1, 0),
  ArrowUp: () => hands.pushAside(0, 1), ArrowDown: () => hands.pushAside(0, -1),
  b: () => hands.throwAtChest(), f: () => panels.toggle("follow"), c: () => view.recentre(),
  n: () => panels.select(panels.performer + 1), o: () => panels.nextGhost(),
  v: () => panels.toggle("forces"), p: () => panels.toggle("pressure"),
  g: () => gallery.showModal(), t: toggleTheme, h: () => help.showModal(), "?": () => help.showModal(),
};
addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || help.open || gallery.open) return;
  // Controls keep the keys that are theirs.
  const at = event.target as HTMLElement;
  const own = at.matches("select, input[type=text], input[type=search]") ||
    (at.matches("input[type=range], [role=menuitem]") && event.key.startsWith("Arrow")) ||
    (at.matches("button, input[type=checkbox]") && (event.key === " " || event.key === "Enter"));
  if (own) return;
  const act = KEYS[event.key.length === 1 ? event.key.toLowerCase() : event.key];
  if (!act) return;
  event.preventDefault();
  act();
});
addEventListener("blur", () => hands.letGo());
// Whoever chose with the mouse has the keys of the page again; whoever came by Tab stays.
let byPointer = false;
addEventListener("pointerdown", () => (byPointer = true), true);
addEventListener("keydown", () => (byPointer = false), true);
addEventListener("change", (event) => {
  if (byPointer && event.target instanceof HTMLSelectElement) canvas.focus({ preventScroll: true });
});

// ---- files that are dropped

const zone = byId("dropzone");
addEventListener("dragover", (event) => {
  event.preventDefault();
  zone.hidden = false;
});
addEventListener("dragleave", (event) => {
  if (!event.relatedTarget) zone.hidden = true;
});
addEventListener("drop", (event) => {
  event.preventDefault();
  zone.hidden = true;
  const file = event.dataTransfer?.files[0];
  if (file) void panels.drop(file);
});

// ---- drawing

const fit = () => view.resize(canvas.clientWidth, canvas.clientHeight);
new ResizeObserver(fit).observe(canvas);
fit();
// Between drawings of the plots, with a graphics card and without; and for so long after a hand did something they wait.
const PLOTS_MS = 100, PLOTS_SLOW_MS = 300, PLOTS_WAIT_MS = 150;
hands.onAct = () => (plotted = Math.max(plotted, performance.now() + PLOTS_WAIT_MS - PLOTS_MS));
let before = performance.now(), drawn = 0, plotted = 0;
// What was drawn last: when, which moment of the stage, and how long it took our own code and the renderer, ms.
type Presented = { at: number; clock: number; own: number; renderer: number };
const presented: Presented[] = [];
function draw(now: number) {
  requestAnimationFrame(draw);
  if (!view.free) return;
  const begin = performance.now(), dt = Math.min(Math.max((now - before) / 1000, 0), 0.25);
  before = now;
  const between = playback.tick(dt);
  if (between) view.show(between, dt);
  hands.draw();
  ++drawn;
  if (now - plotted > (view.quality > 0 ? PLOTS_MS : PLOTS_SLOW_MS)) {
    plotted = now;
    panels.draw();
  }
  const ready = performance.now();
  view.draw(dt);
  presented.push({ at: now, clock: playback.shown, own: ready - begin, renderer: performance.now() - ready });
  if (presented.length > 600) presented.shift();
}
requestAnimationFrame(draw);
setInterval(() => link.send({ type: "ping", stamp: performance.now() }), 2000);

// For tests: what is on the page, in numbers.
Object.assign(window, {
  sinew: {
    get frames() { return frames; },
    get drawn() { return drawn; },
    get latency() { return latency; },
    get sketched() { return sketched; },
    get presented() { return presented; },
    get playback() { return playback; },
    view, panels, link,
  },
});

if (token) link.open();
else link.onLink("refused");
