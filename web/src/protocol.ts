// What the server says and is told (docs/studio.md).

export type Shape = {
  body: number;
  type: "sphere" | "capsule" | "box" | "ellipsoid" | "cylinder" | "mesh" | "plane";
  size: [number, number, number];
  pose: number[]; // x y z, quaternion x y z w
  rgba: [number, number, number, number];
  vertices?: [number, number, number][];
  ground?: boolean;
  soft?: boolean;
};
export type Role = {
  clip: string;
  character: string;
  method: "preview" | "paper" | "servo" | "control" | "run" | "ride";
  loop: boolean;
  gain: number;
  strength: number;
  found: boolean; // a search found something for it
};
export type PerformerInfo = {
  role: Role;
  character: {
    name: string;
    mass: number;
    height: number;
    bodies: { name: string; parent: number; com: number[] }[];
    shapes: Shape[];
    joints: { name: string; v: number; limit: number[] }[];
  };
  world: { name: string; shapes: Shape[]; props: { name: string; waiting: boolean; pose: number[] }[] };
  balls: number;
  cyclic: boolean;
  duration: number;
  follows: boolean; // a motion, which has a ghost; behaviours do not
  course?: [number, number][]; // the line that is ridden along
  notes: string[];
};
export type GalleryEntry = { id: string; title: string; about: string; source: string };
export type Hello = {
  type: "hello";
  sinew: string;
  characters: string[];
  drops: string[];
  motions: { name: string; about: string }[];
  behaviours: { name: string; about: string }[];
  runners: string[]; // characters that can run
  worlds: { name: string; about: string }[];
  gallery: GalleryEntry[];
  frame_s: number;
};
export type SceneMessage = {
  type: "scene";
  epoch: number;
  shift: number[];
  performers: PerformerInfo[];
  setting: { world: string; friction?: number; ball: number };
};
export type StateMessage = {
  type: "state";
  epoch: number;
  paused: boolean;
  speed: number;
  factor: number;
  capacity: number;
  slow: boolean;
  building: boolean;
  clock: number;
  from: number;
  repeat_motions: boolean;
  repeat_falls: boolean;
  lost: boolean[];
  changes: (Change | null)[];
  search?: Search;
};
// One that becomes another while it runs.
export type Change = { from: string; to: string; part: number; under_way: boolean; to_and_fro: boolean };
export type Search = {
  kind: "reconstruct" | "adapt";
  performer: number;
  share: number;
  cost: number;
  samples: number;
  seconds: number; reached: number; rewinds: number; // reconstruct
  to: string; part: number; // adapt
};
export type FileMessage = { type: "file"; id: string; name: string };
export type Words = { type: "error" | "note"; text: string };
export type Pong = { type: "pong"; stamp: number };
export type ServerMessage = Hello | SceneMessage | StateMessage | FileMessage | Words | Pong;

export type PerformerFrame = {
  phase: number;
  planMs: number;
  poseError: number;
  heightError: number;
  bodies: Float32Array; // 7 numbers each: x y z, quaternion x y z w
  ghost: Float32Array;
  props: Float32Array;
  contacts: Float32Array; // 7 numbers each: body, point, force
  torque: Float32Array;
  pressure: Float32Array;
  shapes: Float32Array; // 10 numbers each: size, pose; empty: as the scene said
};
// `still`: nothing moves but, in a sketch, the ghost of a motion that is on its way. `touched`: the first that shows what a hand did.
export type Frame = { epoch: number; clock: number; still: boolean; sketch: boolean; touched: boolean; performers: PerformerFrame[] };

const MAGIC = 0x31574e53;

// One moment from its bytes; null for what is none.
export function decodeFrame(buffer: ArrayBuffer): Frame | null {
  const view = new DataView(buffer);
  if (buffer.byteLength < 24 || view.getUint32(0, true) !== MAGIC) return null;
  const count = view.getUint32(16, true);
  const frame: Frame = {
    epoch: view.getUint32(4, true),
    clock: view.getFloat64(8, true),
    still: (view.getUint32(20, true) & 1) !== 0,
    sketch: (view.getUint32(20, true) & 2) !== 0,
    touched: (view.getUint32(20, true) & 4) !== 0,
    performers: [],
  };
  let at = 24;
  for (let i = 0; i < count; ++i) {
    const bodies = view.getUint16(at, true), props = view.getUint16(at + 2, true);
    const contacts = view.getUint16(at + 4, true), dofs = view.getUint16(at + 6, true);
    const head = new Float32Array(buffer, at + 8, 5);
    at += 28;
    const take = (numbers: number) => {
      const part = new Float32Array(buffer, at, numbers);
      at += 4 * numbers;
      return part;
    };
    frame.performers.push({
      phase: head[0], planMs: head[1], poseError: head[2], heightError: head[3],
      bodies: take(7 * bodies), ghost: take(7 * bodies), props: take(7 * props),
      contacts: take(7 * contacts), torque: take(dofs), pressure: take(bodies),
      shapes: take(10 * head[4]),
    });
  }
  return frame;
}
