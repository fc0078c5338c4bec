import * as THREE from "three";
import type { Connection } from "./connection";
import type { View } from "./view";

export type Tool = "hand" | "push" | "ball";

const PUSH_S = 0.15;
const BALL_AWAY_M = 2.6;

type Grip = { performer: number; body: number; local: THREE.Vector3; plane: THREE.Plane; target: THREE.Vector3 };

// What the mouse and the keys do to a performer.
export class Hands {
  tool: Tool = "hand";
  pushForce = 300; // N
  ballSpeed = 8; // m/s
  onAct: (what: string) => void = () => {};
  private grip: Grip | null = null;
  private sent = 0;
  private down: { x: number; y: number } | null = null;

  constructor(private view: View, private link: Connection, private canvas: HTMLCanvasElement) {
    canvas.addEventListener("pointerdown", (event) => this.press(event));
    canvas.addEventListener("pointermove", (event) => this.move(event));
    for (const end of ["pointerup", "pointercancel"] as const) canvas.addEventListener(end, (event) => this.lift(event));
  }

  private place(event: PointerEvent) {
    const box = this.canvas.getBoundingClientRect();
    return { x: 2 * (event.clientX - box.left) / box.width - 1, y: 1 - 2 * (event.clientY - box.top) / box.height };
  }

  // A point of the page's world in a performer's own.
  private own(performer: number, point: THREE.Vector3) {
    return point.clone().sub(this.view.players[performer].lane.position);
  }

  private press(event: PointerEvent) {
    this.canvas.focus({ preventScroll: true });
    if (event.button !== 0) return;
    const { x, y } = this.place(event);
    this.down = { x: event.clientX, y: event.clientY };
    const hit = this.view.pick(x, y);
    if (this.tool !== "hand" || !hit || hit.performer < 0) return;
    const body = this.view.players[hit.performer].puppet.bodies[hit.body];
    const normal = this.view.camera.getWorldDirection(new THREE.Vector3());
    this.grip = {
      performer: hit.performer, body: hit.body, local: body.worldToLocal(hit.point.clone()),
      plane: new THREE.Plane().setFromNormalAndCoplanarPoint(normal, hit.point), target: hit.point.clone(),
    };
    this.view.controls.enabled = false;
    this.canvas.setPointerCapture(event.pointerId);
    this.canvas.classList.add("grabbing");
    this.sendGrip();
    this.onAct("hold");
  }

  private move(event: PointerEvent) {
    const { x, y } = this.place(event);
    if (!this.grip) {
      const hit = event.buttons === 0 && this.tool === "hand" ? this.view.pick(x, y) : null;
      this.canvas.classList.toggle("grab", hit !== null && hit.performer >= 0);
      return;
    }
    const ray = new THREE.Raycaster();
    ray.setFromCamera(new THREE.Vector2(x, y), this.view.camera);
    ray.ray.intersectPlane(this.grip.plane, this.grip.target);
    if (performance.now() - this.sent > 15) this.sendGrip();
  }

  private sendGrip() {
    if (!this.grip) return;
    this.sent = performance.now();
    const { performer, body, local, target } = this.grip;
    this.link.send({ type: "hold", performer, body, point: local.toArray(), target: this.own(performer, target).toArray() });
  }

  private lift(event: PointerEvent) {
    const moved = this.down ? Math.hypot(event.clientX - this.down.x, event.clientY - this.down.y) : 99;
    this.down = null;
    if (this.grip) return this.letGo();
    // A click that is no drag.
    if (event.button !== 0 || moved > 5 || this.tool === "hand") return;
    const { x, y } = this.place(event);
    const hit = this.view.pick(x, y);
    if (!hit) return;
    if (this.tool === "ball") this.throwAt(hit.performer >= 0 ? hit.performer : this.view.focus, hit.point);
    else if (hit.performer >= 0) {
      const way = this.view.camera.getWorldDirection(new THREE.Vector3());
      this.push(hit.performer, hit.body, way.setZ(0).normalize());
    }
  }

  letGo() {
    if (!this.grip) return;
    this.grip = null;
    this.view.controls.enabled = true;
    this.view.showHand(null, null);
    this.canvas.classList.remove("grabbing");
    this.link.send({ type: "release" });
  }

  push(performer: number, body: number, way: THREE.Vector3) {
    this.link.send({ type: "push", performer, body, force: way.multiplyScalar(this.pushForce).toArray(), seconds: PUSH_S });
    this.onAct("push");
  }

  throwAt(performer: number, point: THREE.Vector3) {
    const back = this.view.camera.position.clone().sub(point);
    const from = point.clone().add(back.setLength(Math.min(BALL_AWAY_M, back.length())));
    from.z = Math.max(from.z, 0.3);
    this.link.send({
      type: "throw", performer, from: this.own(performer, from).toArray(), to: this.own(performer, point).toArray(), speed: this.ballSpeed,
    });
    this.onAct("throw");
  }

  // The same by keys alone: at the chest, at the hips.
  private part(performer: number, name: string) {
    const bodies = this.view.players[performer]?.info.character.bodies ?? [];
    return Math.max(0, bodies.findIndex((body) => body.name === name));
  }
  throwAtChest() {
    const player = this.view.players[this.view.focus];
    if (!player) return;
    const chest = player.puppet.bodies[this.part(this.view.focus, "thorax")];
    this.throwAt(this.view.focus, chest.getWorldPosition(new THREE.Vector3()).add(new THREE.Vector3(0, 0, 0.12)));
  }
  pushAside(right: number, ahead: number) {
    if (!this.view.players[this.view.focus]) return;
    const way = this.view.camera.getWorldDirection(new THREE.Vector3()).setZ(0).normalize();
    const side = new THREE.Vector3(way.y, -way.x, 0);
    this.push(this.view.focus, this.part(this.view.focus, "thorax"), way.multiplyScalar(ahead).addScaledVector(side, right));
  }

  // The line from the held point to the hand.
  draw() {
    if (!this.grip) return;
    const player = this.view.players[this.grip.performer];
    if (!player) return this.letGo();
    this.view.showHand(player.puppet.bodies[this.grip.body].localToWorld(this.grip.local.clone()), this.grip.target);
  }
}
