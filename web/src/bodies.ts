import * as THREE from "three";
import { ConvexGeometry } from "three/examples/jsm/geometries/ConvexGeometry.js";
import { RoundedBoxGeometry } from "three/examples/jsm/geometries/RoundedBoxGeometry.js";
import type { Shape } from "./protocol";

const VISIBLE_M = 0.0007;

// How surfaces look: fine ones are rounder and lit by the pixel, others are for machines without a graphics card.
export type Surface = THREE.MeshStandardMaterial | THREE.MeshLambertMaterial;
export function surface(fine: boolean, looks: THREE.MeshLambertMaterialParameters, roughness: number): Surface {
  return fine ? new THREE.MeshStandardMaterial({ ...looks, roughness, metalness: 0.04 }) : new THREE.MeshLambertMaterial(looks);
}

// The surface of a shape in its own frame. Capsules and cylinders lie along Z, as in MuJoCo.
export function geometryOf(shape: Shape, fine: boolean): THREE.BufferGeometry | null {
  const [a, b, c] = shape.size;
  const upright = (geometry: THREE.BufferGeometry) => geometry.rotateX(Math.PI / 2);
  // Without a graphics card it is triangles that take time: about a hundred a shape are enough for a small picture.
  const parts = (many: number, few: number) => (fine ? many : few);
  switch (shape.type) {
    case "sphere": return new THREE.SphereGeometry(a, parts(32, 10), parts(20, 6));
    case "capsule": return upright(new THREE.CapsuleGeometry(a, 2 * b, parts(10, 2), parts(28, 9)));
    case "cylinder": return upright(new THREE.CylinderGeometry(a, a, 2 * b, parts(32, 12)));
    case "ellipsoid": return new THREE.SphereGeometry(1, parts(36, 12), parts(24, 7)).scale(a, b, c);
    case "box": return new RoundedBoxGeometry(2 * a, 2 * b, 2 * c, parts(4, 1), 0.25 * Math.min(a, b, c));
    case "mesh": return shape.vertices ? new ConvexGeometry(shape.vertices.map((v) => new THREE.Vector3(...v))) : null;
    case "plane": return null;
  }
}

export function setPose(object: THREE.Object3D, pose: ArrayLike<number>, at = 0) {
  object.position.set(pose[at], pose[at + 1], pose[at + 2]);
  object.quaternion.set(pose[at + 3], pose[at + 4], pose[at + 5], pose[at + 6]);
}

const qa = new THREE.Quaternion(), qb = new THREE.Quaternion();
export function mixPose(object: THREE.Object3D, a: Float32Array, b: Float32Array, share: number, at: number) {
  object.position.set(
    a[at] + share * (b[at] - a[at]),
    a[at + 1] + share * (b[at + 1] - a[at + 1]),
    a[at + 2] + share * (b[at + 2] - a[at + 2]),
  );
  qa.set(a[at + 3], a[at + 4], a[at + 5], a[at + 6]);
  qb.set(b[at + 3], b[at + 4], b[at + 5], b[at + 6]);
  object.quaternion.slerpQuaternions(qa, qb, share);
}

// One character: a group a body, with its shapes.
export class Puppet {
  readonly root = new THREE.Group();
  readonly bodies: THREE.Group[] = [];
  readonly meshes: THREE.Mesh[] = [];
  private materials: Surface[][] = [];
  private reshaped = false;

  constructor(private shapes: Shape[], count: number, ghost: boolean, private fine: boolean) {
    for (let i = 0; i < count; ++i) {
      this.bodies.push(new THREE.Group());
      this.materials.push([]);
      this.root.add(this.bodies[i]);
    }
    const spectral = surface(fine, { color: 0x8fa3b8, transparent: true, opacity: 0.3, depthWrite: true }, 0.9);
    for (const [index, shape] of shapes.entries()) {
      const geometry = geometryOf(shape, fine);
      if (!geometry) continue;
      const [r, g, b] = shape.rgba;
      const material = ghost ? spectral : surface(fine, { color: new THREE.Color().setRGB(r, g, b, THREE.SRGBColorSpace) }, 0.52);
      const mesh = new THREE.Mesh(geometry, material);
      setPose(mesh, shape.pose);
      mesh.visible = shape.rgba[3] > 0; // a wheel touches with a shape that is not seen
      mesh.castShadow = !ghost;
      mesh.receiveShadow = !ghost;
      mesh.userData = { body: shape.body, index, size: shape.size };
      if (!ghost) this.materials[shape.body].push(material);
      this.bodies[shape.body].add(mesh);
      this.meshes.push(mesh);
    }
  }

  pose(a: Float32Array, b: Float32Array, share: number) {
    for (let i = 0; i < this.bodies.length; ++i) mixPose(this.bodies[i], a, b, share, 7 * i);
  }

  // Other sizes and places of its shapes, 10 numbers each; none: its own.
  reshape(numbers: Float32Array) {
    if (!numbers.length && !this.reshaped) return;
    this.reshaped = numbers.length > 0;
    for (const mesh of this.meshes) {
      const shape = this.shapes[mesh.userData.index as number], at = 10 * (mesh.userData.index as number);
      const size = this.reshaped ? [numbers[at], numbers[at + 1], numbers[at + 2]] as Shape["size"] : shape.size;
      if (this.reshaped) setPose(mesh, numbers, at + 3);
      else setPose(mesh, shape.pose);
      // A surface is made anew once one could see the difference.
      const built = mesh.userData.size as Shape["size"];
      if (built.every((x, i) => Math.abs(x - size[i]) < VISIBLE_M)) continue;
      mesh.geometry.dispose();
      mesh.geometry = geometryOf({ ...shape, size }, this.fine) ?? mesh.geometry;
      mesh.userData.size = size;
    }
  }

  // 0 to 1 for each body: how hard something presses on it.
  glow(shares: (body: number) => number) {
    this.materials.forEach((list, body) => {
      const share = Math.min(Math.max(shares(body), 0), 1);
      for (const material of list) {
        material.emissive.setRGB(0.95, 0.18, 0.05);
        material.emissiveIntensity = 0.85 * share;
      }
    });
  }
}
