import type { Frame } from "./protocol";

export type Between = { a: Frame; b: Frame; share: number };

const HURRY = 8; // times real time

// Frames come in bursts, for a method thinks now and then; pictures are drawn evenly. The play head follows the
// newest frame at a small distance that grows and shrinks with the gaps between arrivals. What a hand did is not
// kept waiting: up to the first frame that shows it the head hurries.
export class Playback {
  private frames: Frame[] = [];
  private head = 0;
  private lastArrival = 0;
  private gap = 0.02;
  private hurry = -Infinity; // the clock that the head hurries to
  rate = 1; // simulated seconds a second, as the server says

  push(frame: Frame, now: number) {
    const last = this.frames.at(-1);
    const fresh = !last || last.epoch !== frame.epoch || frame.clock <= last.clock || frame.still || last.still;
    if (fresh) {
      this.frames = [];
      this.head = frame.clock;
      this.hurry = -Infinity;
    } else {
      const gap = Math.min(now - this.lastArrival, 0.3);
      this.gap = Math.max(gap, this.gap - 0.02 * (this.gap - gap));
    }
    if (frame.touched) this.hurry = frame.clock;
    this.lastArrival = now;
    this.frames.push(frame);
    if (this.frames.length > 120) this.frames.shift();
  }

  get newest(): Frame | undefined {
    return this.frames.at(-1);
  }

  // The moment that is shown, in simulated seconds.
  get shown() {
    return this.head;
  }

  // The distance that the play head keeps, in simulated seconds.
  get delay() {
    return Math.min(Math.max(1.1 * this.gap + 0.008, 0.024), 0.16) * Math.max(this.rate, 0.05);
  }

  // How fast the head goes: evenly, a little faster or slower where its distance is not what it should be.
  private pace(error: number) {
    if (this.head < this.hurry) return HURRY * Math.max(this.rate, 1);
    return this.rate * Math.min(Math.max(1 + 3 * error / Math.max(this.rate, 0.1), 0.5), 1.6);
  }

  // Moves the play head on, never back; what to draw.
  tick(dt: number): Between | null {
    const first = this.frames[0], last = this.frames.at(-1);
    if (!first || !last) return null;
    const error = last.clock - this.head - this.delay;
    const before = this.head;
    this.head = Math.min(Math.max(before + dt * this.pace(error), first.clock), last.clock);
    // What hurries stops where it wanted to be.
    if (before < this.hurry && this.head > this.hurry) this.head = this.hurry;
    if (error > 0.5) this.head = Math.max(this.head, last.clock - this.delay);
    let i = this.frames.length - 1;
    while (i > 0 && this.frames[i].clock > this.head) --i;
    const a = this.frames[i], b = this.frames[Math.min(i + 1, this.frames.length - 1)];
    const span = b.clock - a.clock;
    return { a, b, share: span > 0 ? Math.min(Math.max((this.head - a.clock) / span, 0), 1) : 0 };
  }
}
