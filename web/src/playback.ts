import type { Frame } from "./protocol";

export type Between = { a: Frame; b: Frame; share: number };

// Frames come in bursts, for a method thinks now and then; pictures are drawn evenly. The play head follows the
// newest frame at a small distance that grows and shrinks with the gaps between arrivals.
export class Playback {
  private frames: Frame[] = [];
  private head = 0;
  private lastArrival = 0;
  private gap = 0.02;
  rate = 1; // simulated seconds a second, as the server says

  push(frame: Frame, now: number) {
    const last = this.frames.at(-1);
    const fresh = !last || last.epoch !== frame.epoch || frame.clock <= last.clock || frame.still || last.still;
    if (fresh) {
      this.frames = [];
      this.head = frame.clock;
    } else {
      const gap = Math.min(now - this.lastArrival, 0.3);
      this.gap = Math.max(gap, this.gap - 0.02 * (this.gap - gap));
    }
    this.lastArrival = now;
    this.frames.push(frame);
    if (this.frames.length > 120) this.frames.shift();
  }

  get newest(): Frame | undefined {
    return this.frames.at(-1);
  }

  // The distance that the play head keeps, in simulated seconds.
  get delay() {
    return Math.min(Math.max(1.1 * this.gap + 0.008, 0.024), 0.16) * Math.max(this.rate, 0.05);
  }

  // Moves the play head on; what to draw.
  tick(dt: number): Between | null {
    const first = this.frames[0], last = this.frames.at(-1);
    if (!first || !last) return null;
    const error = last.clock - this.head - this.delay;
    const rate = this.rate * Math.min(Math.max(1 + 3 * error / Math.max(this.rate, 0.1), 0.5), 1.6);
    this.head = Math.min(Math.max(this.head + dt * rate, first.clock), last.clock);
    if (error > 0.5) this.head = last.clock - this.delay;
    let i = this.frames.length - 1;
    while (i > 0 && this.frames[i].clock > this.head) --i;
    const a = this.frames[i], b = this.frames[Math.min(i + 1, this.frames.length - 1)];
    const span = b.clock - a.clock;
    return { a, b, share: span > 0 ? Math.min(Math.max((this.head - a.clock) / span, 0), 1) : 0 };
  }
}
