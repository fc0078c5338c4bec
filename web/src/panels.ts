import type { Connection } from "./connection";
import { byId, element, icon } from "./dom";
import type { Hands, Tool } from "./hands";
import { LinePlot, TorquePlot } from "./plots";
import type { Frame, Hello, PerformerInfo, Role, SceneMessage, Search, StateMessage } from "./protocol";
import type { GhostMode, View } from "./view";

const METHODS: [Role["method"], string, string][] = [
  ["preview", "Preview", "looks ahead on a model of its own"],
  ["paper", "QP", "quadratic programs, da Silva et al. 2008"],
  ["servo", "Servo", "joints follow the motion, nothing balances"],
  ["control", "Found", "plays what a search found"],
];
// Behaviours stand among the motions under a name of their own.
const shortName = (clip: string) => clip.replace("behaviour/", "");
const MOST_PERFORMERS = 4;
const FORMATS: [string, string][] = [["bvh", "BVH"], ["glb", "GLB"], ["mp4", "MP4 film"], ["control", "What was found"]];
const SPEEDS: [number, string][] = [[0.1, "1/10 speed"], [0.25, "1/4 speed"], [0.5, "1/2 speed"], [1, "real time"], [2, "2× speed"]];

// A labelled slider that tells its value while it moves, and is heard when it rests.
function slider(label: string, low: number, high: number, step: number, show: (x: number) => string, heard: (x: number) => void) {
  const output = element("output");
  const input = element("input", { type: "range", min: low, max: high, step, "aria-label": label });
  const set = (x: number) => {
    if (document.activeElement === input && input.matches(":active")) return;
    input.value = String(x);
    output.textContent = show(x);
  };
  input.addEventListener("input", () => (output.textContent = show(Number(input.value))));
  input.addEventListener("change", () => heard(Number(input.value)));
  return { root: element("label", { class: "slide" }, element("span", {}, label), input, output), set };
}

function check(label: string, on: boolean, heard: (on: boolean) => void) {
  const input = element("input", { type: "checkbox", checked: on });
  input.addEventListener("change", () => heard(input.checked));
  return { root: element("label", { class: "check" }, input, label), input };
}

// A button that unfolds choices: arrows go through them, Escape folds it again.
function menu(label: string, name: string, choices: [string, string][], chosen: (choice: string) => void) {
  const list = element("div", { class: "menu-list", role: "menu", "aria-label": name, hidden: true });
  const button = element("button", { "aria-haspopup": "menu", "aria-expanded": "false", "aria-label": name }, label);
  const unfold = (open: boolean) => {
    list.hidden = !open;
    button.setAttribute("aria-expanded", String(open));
    if (open) (list.firstElementChild as HTMLElement).focus();
  };
  for (const [choice, text] of choices) {
    const item = element("button", { role: "menuitem", "data-choice": choice }, text);
    item.onclick = () => {
      unfold(false);
      button.focus();
      chosen(choice);
    };
    list.append(item);
  }
  button.onclick = () => unfold(list.hidden);
  const root = element("div", { class: "menu" }, button, list);
  arrowsWithin(list);
  root.addEventListener("focusout", (event) => {
    if (!root.contains(event.relatedTarget as Node | null)) unfold(false);
  });
  root.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || list.hidden) return;
    unfold(false);
    button.focus();
  });
  return root;
}

// Arrows go from one of a group of buttons to the next.
function arrowsWithin(group: HTMLElement) {
  group.addEventListener("keydown", (event) => {
    const way = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    const buttons = [...group.querySelectorAll<HTMLElement>("button:not(:disabled)")], at = buttons.indexOf(event.target as HTMLElement);
    if (!way || at < 0) return;
    event.preventDefault();
    event.stopPropagation();
    buttons[(at + way + buttons.length) % buttons.length].focus();
  });
}

// Everything around the stage.
export class Panels {
  performer = 0;
  private hello: Hello | null = null;
  private scene: SceneMessage | null = null;
  private state: StateMessage | null = null;
  private shownClock = 0;
  private overSeconds = 5; // that it takes to become another
  private place: { clock: number; x: number; y: number; speed: number } | null = null; // of the last frame

  private tabs = element("div", { class: "tabs", role: "group", "aria-label": "Performers" });
  private motion = element("select", { "aria-label": "Motion" });
  private character = element("select", { "aria-label": "Character" });
  private world = element("select", { "aria-label": "World" });
  private methods = element("div", { class: "segments", role: "radiogroup", "aria-label": "Method" });
  private methodNote = element("p", { class: "quiet" });
  private methodField = element("div");
  private searchBox = element("div");
  private become = element("select", { "aria-label": "Become" });
  private gain; private strength; private slope; private friction; private over;
  private repeatMotions; private repeatFalls;
  private errorPlot = new LinePlot("Tracking error", "°", 1, 8, null, "rms over all joints, the last 10 s");
  private heightPlot = new LinePlot("Root height off by", "cm", 1, 6, 30, "30 cm or more is lost");
  private planPlot = new LinePlot("Plan", "ms", 1, 10, null, "time of one plan");
  private speedPlot = new LinePlot("Speed", "m/s", 1, 6, null, "of the root along the ground, the last 10 s");
  private torquePlot = new TorquePlot();
  private play = element("button", { class: "icon play", title: "Play or pause (Space)", "aria-label": "Pause" });
  private line = element("input", { type: "range", min: 0, max: 1, step: 0.016, value: 1, "aria-label": "Time line" });
  private time = element("div", { class: "time" });
  private speed = element("select", { "aria-label": "Speed" });
  private resume = element("button", { title: "Go on from here (Enter)", hidden: true }, "Go on from here");
  private ghost = element("select", { "aria-label": "Ghost of the motion" });
  private forces; private pressure; private follow;

  constructor(private link: Connection, private view: View, private hands: Hands) {
    this.gain = slider("Stiffness", -2, 2, 0.1, (x) => `${(2 ** x).toFixed(2)}×`, (x) => this.choose({ gain: 2 ** x }));
    this.strength = slider("Strength", 0.2, 2, 0.05, (x) => `${Math.round(100 * x)} %`, (x) => this.choose({ strength: x }));
    this.slope = slider("Slope", -12, 12, 0.5, (x) => `${x.toFixed(1)}°`, (x) => link.send({ type: "surround", slope: x }));
    this.friction = slider("Friction", 0.05, 1.5, 0.05, (x) => x.toFixed(2), (x) => link.send({ type: "surround", friction: x }));
    this.over = slider("within", 1, 20, 1, (x) => `${x} s`, (x) => (this.overSeconds = x));
    this.over.set(this.overSeconds);
    this.repeatMotions = check("begin again when it ends", true, (on) => link.send({ type: "repeat", motions: on }));
    this.repeatFalls = check("begin again after a fall", true, (on) => link.send({ type: "repeat", falls: on }));
    this.forces = check("contact forces", true, (on) => (view.showForces = on));
    this.pressure = check("pressure on the body", true, (on) => (view.showPressure = on));
    this.follow = check("the camera follows", true, (on) => (view.follow = on));
    this.buildLeft();
    this.buildRight();
    this.buildTools();
    this.buildTransport();
    for (const group of [this.methods, byId("tools")]) arrowsWithin(group);
  }

  private choose(change: Partial<Role>) {
    this.link.send({ type: "choose", performer: this.performer, ...change });
  }

  // ---- what stands where

  private buildLeft() {
    for (const [method, label, note] of METHODS) {
      const button = element("button", { role: "radio", title: note, "data-method": method }, label);
      button.onclick = () => this.choose({ method });
      this.methods.append(button);
    }
    this.motion.onchange = () => this.choose({ clip: this.motion.value });
    this.character.onchange = () => this.choose({ character: this.character.value });
    this.world.onchange = () => this.link.send({ type: "surround", world: this.world.value });
    const file = element("input", { type: "file", accept: ".bvh,.glb,.fbx", hidden: true, "aria-label": "Motion file" });
    file.addEventListener("change", () => {
      if (file.files?.[0]) void this.drop(file.files[0]);
      file.value = "";
    });
    const field = (label: string, input: HTMLElement) => element("label", { class: "field" }, element("span", {}, label), input);
    const open = element("button", { id: "open-file", class: "icon", title: "Open a BVH, GLB or FBX of yours; or drop it anywhere", "aria-label": "Open a motion file" }, icon("open"));
    open.onclick = () => file.click();
    this.methodField.append(this.methods, this.methodNote, this.gain.root);
    byId("left").append(
      element("section", {}, element("h2", {}, "Performer", this.tabs),
        element("div", { class: "field" }, element("span", {}, "Motion"), element("div", { class: "row" }, this.motion, open, file)),
        field("Character", this.character),
        this.methodField, this.strength.root, this.searchBox),
      element("section", {}, element("h2", {}, "World"), field("Place", this.world), this.slope.root, this.friction.root),
      element("section", {}, element("h2", {}, "Repeat"), this.repeatMotions.root, this.repeatFalls.root),
    );
  }

  private buildRight() {
    for (const [mode, label] of [["beside", "beside"], ["inside", "in place"], ["off", "hidden"]])
      this.ghost.append(element("option", { value: mode }, label));
    this.ghost.onchange = () => (this.view.ghostMode = this.ghost.value as GhostMode);
    byId("right").append(
      element("section", {}, element("h2", {}, "Live"),
        this.errorPlot.root, this.heightPlot.root, this.speedPlot.root, this.torquePlot.root, this.planPlot.root),
      element("section", {}, element("h2", {}, "Show"),
        element("label", { class: "slide" }, element("span", {}, "Ghost"), this.ghost),
        this.forces.root, this.pressure.root, this.follow.root),
    );
  }

  private buildTools() {
    const tools: [Tool, string, string][] = [["hand", "1", "Drag"], ["push", "2", "Push"], ["ball", "3", "Throw"]];
    for (const [tool, key, label] of tools) {
      const button = element("button", { role: "radio", "data-tool": tool, "aria-checked": String(tool === "hand"), "aria-label": label }, element("kbd", {}, key), element("span", {}, label));
      button.onclick = () => this.setTool(tool);
      byId("tools").append(button);
    }
  }

  setTool(tool: Tool) {
    this.hands.tool = tool;
    byId("canvas").classList.toggle("aim", tool !== "hand");
    for (const button of byId("tools").querySelectorAll("button"))
      button.setAttribute("aria-checked", String(button.dataset.tool === tool));
  }

  private buildTransport() {
    const button = (name: string, label: string, act: () => void) => {
      const made = element("button", { class: "icon", title: label, "aria-label": label }, icon(name));
      made.onclick = act;
      return made;
    };
    this.play.append(icon("pause"));
    this.play.onclick = () => this.togglePause();
    for (const [value, label] of SPEEDS) this.speed.append(element("option", { value, selected: value === 1 }, label));
    this.speed.onchange = () => this.link.send({ type: "speed", factor: Number(this.speed.value) });
    this.line.addEventListener("input", () => this.seek(Number(this.line.value)));
    this.resume.onclick = () => this.goOn();
    const save = menu("Export…", "Export the take", FORMATS, (format) => {
      this.link.send({ type: "export", performer: this.performer, format });
      if (format === "mp4") this.toast("drawing the film; it will be saved when it is ready", "note");
    });
    byId("transport").append(
      button("reset", "From the beginning (R)", () => this.reset()), button("back", "One frame back (,)", () => this.stepBack()),
      this.play, button("step", "One frame on (.)", () => this.step()),
      element("div", { class: "line" }, this.line), this.resume, this.time, this.speed, save,
    );
  }

  // ---- time

  // Whether a moment of the take is looked at that is not its end.
  private get scrubbing() {
    return this.state !== null && this.state.paused && this.shownClock < this.state.clock - 0.001;
  }
  togglePause() {
    this.link.send({ type: "pause", on: !(this.state?.paused ?? false) });
  }
  reset() {
    this.link.send({ type: "reset" });
  }
  step() {
    this.link.send({ type: "step", frames: 1 });
  }
  stepBack() {
    this.seek(this.shownClock - (this.hello?.frame_s ?? 0.016));
  }
  seek(clock: number) {
    if (!this.state) return;
    this.link.send({ type: "seek", time: Math.max(clock, this.state.from, 0) });
  }
  rewind(seconds: number) {
    if (!this.state) return;
    this.link.send({ type: "rewind", time: Math.max(this.state.clock - seconds, 0) });
  }
  goOn() {
    this.link.send({ type: "rewind", time: Math.max(this.shownClock, 0) });
    this.link.send({ type: "pause", on: false });
  }
  changeSpeed(by: number) {
    const at = SPEEDS.findIndex(([value]) => value === Number(this.speed.value));
    const next = SPEEDS[Math.min(Math.max(at + by, 0), SPEEDS.length - 1)];
    this.link.send({ type: "speed", factor: next[0] });
  }

  // ---- what the server says

  setHello(hello: Hello) {
    this.hello = hello;
    const options = (select: HTMLSelectElement, names: [string, string][]) => {
      const kept = select.value;
      select.replaceChildren(...names.map(([name, about]) => element("option", { value: name, title: about }, name)));
      select.value = kept;
    };
    this.listMotions(hello);
    options(this.character, hello.characters.map((name): [string, string] => [name, name]));
    options(this.world, hello.worlds.map((world): [string, string] => [world.name, world.about]));
    this.refresh();
  }

  private listMotions(hello: Hello) {
    const kept = this.motion.value;
    const group = (label: string, entries: { name: string; about: string }[]) =>
      element("optgroup", { label }, ...entries.map(({ name, about }) => element("option", { value: name, title: about }, shortName(name))));
    const groups = [group("Behaviours", hello.behaviours), group("Dropped", hello.drops.map((name) => ({ name, about: "dropped" }))), group("Motions", hello.motions)];
    this.motion.replaceChildren(...groups.filter((one) => one.children.length > 0));
    this.motion.value = kept;
  }

  private get timePlots() {
    return [this.errorPlot, this.heightPlot, this.speedPlot, this.planPlot];
  }

  setScene(scene: SceneMessage) {
    this.scene = scene;
    this.performer = Math.min(this.performer, scene.performers.length - 1);
    this.view.focus = this.performer;
    for (const plot of this.timePlots) plot.clear();
    this.refresh();
  }

  get info(): PerformerInfo | undefined {
    return this.scene?.performers[this.performer];
  }

  select(performer: number) {
    if (!this.scene) return;
    this.performer = (performer + this.scene.performers.length) % this.scene.performers.length;
    this.view.focus = this.performer;
    this.view.recentre();
    for (const plot of this.timePlots) plot.clear();
    this.refresh();
  }

  // All controls as the scene has them.
  private refresh() {
    const info = this.info;
    if (!info || !this.scene) return;
    const { role } = info;
    const held = this.tabs.contains(document.activeElement) ? document.activeElement!.getAttribute("aria-label") : null;
    this.tabs.replaceChildren(...this.scene.performers.map((_, i) => {
      const tab = element("button", { "aria-pressed": String(i === this.performer), "aria-label": `Performer ${i + 1}` }, String(i + 1));
      tab.onclick = () => this.select(i);
      return tab;
    }));
    if (this.scene.performers.length < MOST_PERFORMERS) {
      const add = element("button", { title: "One more performer", "aria-label": "Add a performer" }, "+");
      add.onclick = () => this.link.send({ type: "add" });
      this.tabs.append(add);
    }
    if (this.scene.performers.length > 1) {
      const remove = element("button", { title: "Remove this performer", "aria-label": "Remove this performer" }, "−");
      remove.onclick = () => this.link.send({ type: "remove", performer: this.performer });
      this.tabs.append(remove);
    }
    // Whoever came here by keys stays here.
    if (held) (this.tabs.querySelector<HTMLElement>(`[aria-label="${held}"]`) ?? this.tabs.querySelector<HTMLElement>("[aria-pressed=true]"))?.focus();
    this.motion.value = role.clip;
    this.character.value = role.character;
    this.world.value = this.scene.setting.world.split(":")[0];
    for (const button of this.methods.querySelectorAll("button"))
      button.setAttribute("aria-checked", String(button.dataset.method === role.method));
    this.methodNote.textContent = METHODS.find(([method]) => method === role.method)?.[2] ?? "";
    this.gain.set(Math.log2(role.gain));
    this.gain.root.hidden = role.method === "control"; // its servos are part of what was found
    this.strength.set(role.strength);
    const deg = /deg=(-?[\d.]+)/.exec(this.scene.setting.world);
    const kind = this.world.value;
    this.slope.set(kind === "slope" ? Number(deg?.[1] ?? 0) : 0);
    this.slope.root.querySelector("input")!.disabled = kind !== "flat" && kind !== "slope";
    this.friction.set(this.scene.setting.friction ?? 0.8);
    byId("transport").querySelector<HTMLButtonElement>("[data-choice=control]")!.disabled = !role.found;
    this.methodField.hidden = !info.follows;
    for (const plot of [this.errorPlot, this.heightPlot]) plot.root.hidden = !info.follows;
    this.speedPlot.root.hidden = info.follows;
    this.planPlot.root.hidden = role.method !== "preview" && role.method !== "paper";
    this.ghost.disabled = !info.follows;
    this.showTitle();
    this.showSearch();
  }

  private showTitle() {
    const info = this.info, change = this.state?.changes[this.performer];
    if (!info || !this.scene) return;
    const who = change ? `${change.from} → ${change.to} ${Math.round(100 * change.part)} %` : info.role.method === "ride" ? info.role.character : info.character.name;
    byId("title").replaceChildren(element("b", {}, shortName(info.role.clip)), ` on ${who}, ${this.scene.setting.world}`);
  }

  setState(state: StateMessage) {
    const before = this.state;
    this.state = state;
    if (before?.paused !== state.paused) {
      this.play.replaceChildren(icon(state.paused ? "play" : "pause"));
      this.play.setAttribute("aria-label", state.paused ? "Play" : "Pause");
    }
    const speed = SPEEDS.find(([value]) => value === state.speed);
    if (speed) this.speed.value = String(speed[0]);
    this.repeatMotions.input.checked = state.repeat_motions;
    this.repeatFalls.input.checked = state.repeat_falls;
    // The newest moment is on the right, also where there is no other.
    this.line.min = String(Math.min(state.from, state.clock - 0.016));
    this.line.max = String(state.clock);
    this.showTime();
    this.showChips();
    this.showTitle();
    this.showSearch();
  }

  // Where on the time line; whoever moves it is not disturbed.
  private showTime() {
    const state = this.state;
    if (!state) return;
    if (!this.line.matches(":active")) this.line.value = String(this.scrubbing ? this.shownClock : state.clock);
    this.resume.hidden = !this.scrubbing;
    byId("transport").classList.toggle("scrubbing", this.scrubbing);
    this.time.replaceChildren(element("b", {}, `${this.shownClock.toFixed(2)} s`), this.scrubbing ? element("span", {}, ` of ${state.clock.toFixed(1)}`) : "");
  }

  private showChips() {
    const state = this.state;
    if (!state) return;
    const chips: [string, string, string][] = [];
    if (state.building) chips.push(["", "preparing…", ""]);
    else if (state.paused) chips.push(["", "paused", ""]);
    else if (state.slow)
      chips.push(["warn", `${state.factor.toFixed(2)}× real time`, "This machine is too slow for real time, so time goes slower; the physics is the same."]);
    else chips.push(["good", `${state.factor.toFixed(2)}× real time`, `This machine could do ${state.capacity.toFixed(1)}×.`]);
    if (state.lost[this.performer]) chips.push(["bad", this.info?.follows === false ? "fell" : "lost the motion", ""]);
    if (state.slow && !state.building && !state.paused) chips.push(["warn extra", "too slow: time is slowed", ""]);
    // Only what is new is told to those who listen.
    const said = chips.join();
    if (byId("chips").dataset.said === said) return;
    byId("chips").dataset.said = said;
    byId("chips").replaceChildren(...chips.map(([kind, text, title]) => element("span", { class: `chip ${kind}`, title }, text)));
  }

  // ---- what takes long: a search, or one that becomes another

  private showSearch() {
    const search = this.state?.search, method = this.info?.role.method;
    const change = this.state?.changes[this.performer];
    const morphs = change?.under_way && !change.to_and_fro;
    const mode = search ? "search" : morphs ? "morph" : method === "run" ? "run" : method === "ride" ? "ride" : "motion";
    if (this.searchBox.dataset.mode !== mode) {
      this.searchBox.dataset.mode = mode;
      const held = this.searchBox.contains(document.activeElement);
      this.searchBox.replaceChildren(...this.searchParts(mode));
      if (held) this.searchBox.querySelector("button")?.focus();
    }
    if (mode === "run") this.listBodies(change ? (change.part > 0.5 ? change.to : change.from) : this.info!.character.name);
    const [words, bar] = [this.searchBox.querySelector("p"), this.searchBox.querySelector("progress")];
    if (!words || !bar) return;
    bar.value = search ? search.share : change!.part;
    words.textContent = search ? this.searchWords(search) : `${change!.from} becomes ${change!.to}: ${Math.round(100 * change!.part)} %`;
  }

  private searchParts(mode: string): HTMLElement[] {
    const button = (id: string, label: string, title: string, request: () => object) => {
      const made = element("button", { id, title }, label);
      made.onclick = () => this.link.send(request());
      return made;
    };
    const performer = () => this.performer;
    const row = (...parts: HTMLElement[]) => element("div", { class: "row" }, ...parts);
    if (mode === "search" || mode === "morph") {
      const end = mode === "search"
        ? button("cancel-search", "Cancel", "End the search", () => ({ type: "cancel" }))
        : button("turn-back", "Turn back", "Become who it was again", () => ({ type: "turn_back", performer: performer() }));
      return [element("p", { class: "quiet" }), element("progress", { max: 1, value: 0, "aria-label": "Progress" }), row(end)];
    }
    if (mode === "run")
      return [
        element("label", { class: "slide" }, element("span", {}, "Become"), this.become), this.over.root,
        row(
          button("morph", "Morph", "Becomes that one while it runs (sinew morph)", () => ({ type: "morph", performer: performer(), to: this.become.value, seconds: this.overSeconds })),
          button("adapt", "Adapt…", "Scales and tunes the run for that one, and lets it run (sinew adapt)", () => ({ type: "adapt", performer: performer(), to: this.become.value })),
        ),
      ];
    if (mode === "ride") return [];
    return [row(button("find-control", "Find control…", "Search for open-loop control that performs this motion (sinew reconstruct)", () => ({ type: "reconstruct", performer: performer() })))];
  }

  // Whom one can become: all others that run.
  private listBodies(now: string) {
    const names = this.hello?.runners.filter((name) => name !== now) ?? [], kept = this.become.value;
    if (names.join() === [...this.become.options].map((option) => option.value).join()) return;
    this.become.replaceChildren(...names.map((name) => element("option", { value: name }, name)));
    this.become.value = names.includes(kept) ? kept : names[0] ?? "";
  }

  private searchWords(search: Search) {
    if (search.samples === 0) return search.kind === "adapt" ? `Scaling the run for ${search.to}…` : "Searching…";
    const back = search.rewinds ? `, ${search.rewinds} times back` : "";
    return search.kind === "adapt"
      ? `Tuning for ${search.part < 1 ? `${Math.round(100 * search.part)} % ` : ""}${search.to}: cost ${search.cost.toFixed(2)}, ${search.samples} runs`
      : `Searching: ${search.reached.toFixed(1)} of ${search.seconds.toFixed(1)} s, cost ${search.cost.toFixed(2)}, ${search.samples} simulations${back}`;
  }

  // One frame's figures; `live` draws come less often.
  setFrame(frame: Frame) {
    const info = this.info, now = frame.performers[this.performer];
    this.shownClock = frame.clock;
    if (!info || !now) return;
    if (!frame.still) {
      this.errorPlot.add(frame.clock, now.poseError * 180 / Math.PI);
      this.heightPlot.add(frame.clock, Math.abs(now.heightError) * 100);
      this.planPlot.add(frame.clock, now.planMs);
      this.speedPlot.add(frame.clock, this.speedAt(frame.clock, now.bodies[0], now.bodies[1]));
    }
    const joints = info.character.joints;
    this.torquePlot.set(
      joints.map((joint) => joint.name),
      joints.map((joint) => Math.max(...joint.limit.map((limit, i) => Math.abs(now.torque[joint.v + i]) / (limit > 0 ? limit : 300)))),
    );
  }

  // Smoothed over about a step.
  private speedAt(clock: number, x: number, y: number) {
    const last = this.place, dt = last ? clock - last.clock : 0;
    if (!last || dt <= 0 || dt > 0.2) {
      this.place = { clock, x, y, speed: 0 };
      return 0;
    }
    const now = Math.hypot(x - last.x, y - last.y) / dt;
    const speed = last.speed === 0 ? now : last.speed + (1 - Math.exp(-dt / 0.3)) * (now - last.speed);
    this.place = { clock, x, y, speed };
    return speed;
  }

  draw() {
    this.showTime();
    for (const plot of [...this.timePlots, this.torquePlot]) plot.draw();
  }

  // ---- words, files

  toast(text: string, kind: "error" | "note") {
    const box = byId("toasts");
    const close = element("button", { "aria-label": "Close" }, "×");
    const toast = element("div", { class: `toast ${kind}` }, element("div", {}, text), close);
    close.onclick = () => toast.remove();
    box.append(toast);
    while (box.children.length > 4) box.firstElementChild!.remove();
    setTimeout(() => toast.remove(), kind === "error" ? 12000 : 5000);
  }

  async drop(file: File) {
    if (file.size > 64 * 1024 * 1024) return this.toast(`${file.name}: is larger than 64 MB`, "error");
    try {
      const sentence = await this.link.drop(file, this.performer);
      if (sentence) this.toast(sentence, "error");
      else this.toast(`${file.name} is among the motions`, "note");
    } catch {
      this.toast(`${file.name}: could not be sent; is the studio still running?`, "error");
    }
  }

  save(id: string, name: string) {
    const anchor = element("a", { href: this.link.fileAddress(id), download: name });
    document.body.append(anchor);
    anchor.click();
    anchor.remove();
    this.toast(`${name} is saved`, "note");
  }

  toggle(name: "forces" | "pressure" | "follow") {
    const input = { forces: this.forces, pressure: this.pressure, follow: this.follow }[name].input;
    input.click();
  }
  nextGhost() {
    const modes: GhostMode[] = ["beside", "inside", "off"];
    this.view.ghostMode = modes[(modes.indexOf(this.view.ghostMode) + 1) % modes.length];
    this.ghost.value = this.view.ghostMode;
  }
}
