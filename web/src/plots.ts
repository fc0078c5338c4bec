import { colour, element } from "./dom";

const WINDOW_S = 10;

function context(canvas: HTMLCanvasElement) {
  const ratio = Math.min(devicePixelRatio, 2), width = canvas.clientWidth, height = canvas.clientHeight;
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
  }
  // Small and drawn often: the processor is quicker at it than a graphics card that has other things to do.
  const draw = canvas.getContext("2d", { willReadFrequently: true })!;
  draw.setTransform(ratio, 0, 0, ratio, 0, 0);
  draw.clearRect(0, 0, width, height);
  return { draw, width, height };
}

// A value over the last ten seconds, with a line that it should stay below.
export class LinePlot {
  readonly root: HTMLElement;
  private canvas = element("canvas");
  private value = element("output");
  private times: number[] = [];
  private values: number[] = [];

  constructor(title: string, private unit: string, private digits: number, private least: number, private mark: number | null, small: string) {
    this.root = element("div", { class: "plot" }, element("header", {}, element("b", {}, title), this.value), this.canvas, element("small", {}, small));
  }

  add(time: number, value: number) {
    if (this.times.length && time <= this.times.at(-1)!) this.clear();
    this.times.push(time);
    this.values.push(value);
    while (this.times.length && this.times[0] < time - WINDOW_S) {
      this.times.shift();
      this.values.shift();
    }
  }
  clear() {
    this.times = [];
    this.values = [];
  }

  draw() {
    if (!this.canvas.clientWidth) return;
    const { draw, width, height } = context(this.canvas);
    const top = Math.max(this.least, 1.15 * Math.max(0, ...this.values));
    const y = (v: number) => height - 3 - (height - 8) * v / top;
    const end = this.times.at(-1) ?? 0, x = (t: number) => width * (1 - (end - t) / WINDOW_S);
    if (this.mark !== null && this.mark < top) {
      draw.strokeStyle = colour("--bad");
      draw.globalAlpha = 0.55;
      draw.setLineDash([4, 4]);
      draw.beginPath();
      draw.moveTo(0, y(this.mark));
      draw.lineTo(width, y(this.mark));
      draw.stroke();
      draw.setLineDash([]);
      draw.globalAlpha = 1;
    }
    if (this.values.length < 2) return;
    draw.beginPath();
    this.times.forEach((t, i) => (i ? draw.lineTo(x(t), y(this.values[i])) : draw.moveTo(x(t), y(this.values[i]))));
    draw.strokeStyle = colour("--cool");
    draw.lineWidth = 1.6;
    draw.lineJoin = "round";
    draw.stroke();
    draw.lineTo(x(end), height);
    draw.lineTo(x(this.times[0]), height);
    draw.globalAlpha = 0.13;
    draw.fillStyle = colour("--cool");
    draw.fill();
    draw.globalAlpha = 1;
    this.value.textContent = `${this.values.at(-1)!.toFixed(this.digits)} ${this.unit}`;
  }
}

// Every joint's torque as a share of its limit: a bar each, the highest of the last second as a tick.
export class TorquePlot {
  readonly root: HTMLElement;
  private canvas = element("canvas");
  private value = element("output");
  private small = element("small", {}, "each bar a joint; the line is its limit");
  private peaks: number[] = [];
  private shares: number[] = [];
  private names: string[] = [];

  constructor() {
    this.root = element("div", { class: "plot tall" }, element("header", {}, element("b", {}, "Torques"), this.value), this.canvas, this.small);
  }

  set(names: string[], shares: number[]) {
    if (names.length !== this.peaks.length) this.peaks = names.map(() => 0);
    this.names = names;
    this.shares = shares;
    this.peaks = this.peaks.map((peak, i) => Math.max(shares[i], peak * 0.985));
  }

  draw() {
    if (!this.canvas.clientWidth || !this.shares.length) return;
    const { draw, width, height } = context(this.canvas);
    const step = width / this.shares.length, bar = Math.max(1.5, 0.66 * step), limit = 0.12 * height;
    const y = (share: number) => height - (height - limit) * Math.min(share, 1.08);
    this.shares.forEach((share, i) => {
      const x = i * step + (step - bar) / 2;
      draw.fillStyle = colour(share > 0.97 ? "--bad" : share > 0.7 ? "--accent" : "--cool");
      draw.fillRect(x, y(share), bar, height - y(share));
      draw.globalAlpha = 0.6;
      draw.fillRect(x, y(this.peaks[i]) - 1, bar, 2);
      draw.globalAlpha = 1;
    });
    draw.strokeStyle = colour("--bad");
    draw.setLineDash([4, 4]);
    draw.beginPath();
    draw.moveTo(0, limit);
    draw.lineTo(width, limit);
    draw.stroke();
    draw.setLineDash([]);
    const most = this.shares.indexOf(Math.max(...this.shares));
    this.value.textContent = `${Math.round(100 * this.shares[most])} %`;
    this.small.textContent = `of the limit, most at ${this.names[most].replaceAll("_", " ")}`;
  }
}
