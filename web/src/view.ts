import * as THREE from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { geometryOf, mixPose, Puppet, setPose, surface, type Surface } from "./bodies";
import type { Between } from "./playback";
import type { PerformerInfo, SceneMessage } from "./protocol";

export type GhostMode = "beside" | "inside" | "off";

const LANE_M = 2.4; // between performers
const BESIDE_M = 1.0; // between a performer and its ghost
const AWAY_EACH = 0.35; // for each performer more the camera is so much farther away
const ARROW_M_PER_N = 1 / 1500;
const PRESSURE_FULL_PA = 80000;
const TILE_M = 2, FLOOR_M = 120;
const LINE_M = 0.06; // width of a course
const SUN = new THREE.Vector3(-3.5, -4.5, 8); // where it shines from
const JUMP_M = 1; // farther than anything moves from one frame to the next
// How fine pictures are: pixels for one of the page, how many at the most, those of the shadow, and surfaces. A step down after PATIENCE_S
// of pictures that take longer than slow_s.
const QUALITIES = [
  { pixels: 0.75, most: 250e3, shadow: 512, fine: false, slow_s: Infinity },
  { pixels: 1, most: Infinity, shadow: 1024, fine: true, slow_s: 1 / 28 },
  { pixels: 2, most: Infinity, shadow: 2048, fine: true, slow_s: 1 / 40 },
];
const PATIENCE_S = 1.5;
const NOWHERE = [0, 0, 0, 0, 0, 0, 1]; // a shift that is none

// The best quality to begin with: the lowest where there is no graphics card, which is known before the first picture.
export function firstQuality() {
  const draw = document.createElement("canvas").getContext("webgl2");
  if (!draw) return 0;
  const names = draw.getExtension("WEBGL_debug_renderer_info");
  const name = String(draw.getParameter(names ? names.UNMASKED_RENDERER_WEBGL : draw.RENDERER));
  draw.getExtension("WEBGL_lose_context")?.loseContext();
  return /swiftshader|llvmpipe|softpipe|software|basic render/i.test(name) ? 0 : QUALITIES.length - 1;
}

// The looks of the two themes.
const LOOKS = {
  dark: { sky: 0x1b2029, floor: 0x4b5563, line: "rgba(255,255,255,0.09)", strong: "rgba(255,255,255,0.17)", hemi: 0xb4c4e0, ground: 0x4a4640, sun: 2.5, fill: 1.5 },
  light: { sky: 0xe9edf2, floor: 0xdfe4ea, line: "rgba(30,45,70,0.10)", strong: "rgba(30,45,70,0.20)", hemi: 0xffffff, ground: 0xb9b3aa, sun: 2.6, fill: 1.7 },
};
export type Theme = keyof typeof LOOKS;

// One performer on the page: its puppet, its ghost, its world.
type Player = {
  info: PerformerInfo;
  lane: THREE.Group;
  puppet: Puppet;
  ghost: Puppet;
  props: THREE.Group[];
  drift: { x: number; y: number; yaw: number } | null;
};

// The floor under a point of a world that is a plane: heights and shifts along it.
function floorHeight(info: PerformerInfo, x: number, y: number) {
  const plane = info.world.shapes.find((s) => s.type === "plane" && s.ground);
  if (!plane) return 0;
  const normal = new THREE.Vector3(0, 0, 1).applyQuaternion(new THREE.Quaternion().fromArray(plane.pose, 3));
  const [px, py, pz] = plane.pose;
  return pz - (normal.x * (x - px) + normal.y * (y - py)) / Math.max(normal.z, 0.1);
}

export class View {
  readonly scene = new THREE.Scene();
  readonly camera = new THREE.PerspectiveCamera(38, 1, 0.05, 400);
  readonly renderer: THREE.WebGLRenderer;
  readonly controls: OrbitControls;
  onQuality: (quality: number) => void = () => {};
  adapts = true; // pictures become simpler where they take long
  follow = true;
  ghostMode: GhostMode = "beside";
  showForces = true;
  showPressure = true;
  players: Player[] = [];
  focus = 0; // the performer that the camera follows

  private floors: THREE.Mesh[] = [];
  private floorMaterial!: Surface | THREE.MeshBasicMaterial;
  private fence: WebGLSync | null = null; // passed when the last picture is finished
  private theme: Theme = "dark";
  private message: SceneMessage | null = null; // the scene that is shown
  private sun = new THREE.DirectionalLight(0xfff4e6, 2);
  private hemi = new THREE.HemisphereLight(0xffffff, 0x444444, 1);
  private arrows: THREE.Group[] = [];
  private arrowMaterial = new THREE.MeshBasicMaterial({ color: 0xff9d2e, toneMapped: false });
  private last: THREE.Vector3 | null = null; // where the focus was
  private slow = 0; // seconds of slow frames
  readonly handLine: THREE.Mesh;

  // The best quality is 2; 0 is for machines without a graphics card, and has no shadows.
  constructor(canvas: HTMLCanvasElement, public quality = 2) {
    this.quality = quality = Math.min(Math.max(Math.round(quality) || 0, 0), QUALITIES.length - 1);
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: quality > 0, powerPreference: "high-performance" });
    this.renderer.shadowMap.type = THREE.PCFSoftShadowMap;
    this.setEffort();
    this.camera.up.set(0, 0, 1);
    this.camera.position.set(2.6, -4.6, 1.9);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.target.set(0, 0, 0.95);
    this.controls.enableDamping = true;
    this.controls.dampingFactor = 0.12;
    this.controls.maxPolarAngle = 0.53 * Math.PI;
    this.controls.minDistance = 0.6;
    this.controls.maxDistance = 40;
    this.sun.castShadow = true;
    this.sun.shadow.radius = 5;
    this.sun.shadow.normalBias = 0.02;
    const lens = this.sun.shadow.camera;
    lens.left = lens.bottom = -4;
    lens.right = lens.top = 4;
    lens.near = 1;
    lens.far = 24;
    this.scene.add(this.sun, this.sun.target, this.hemi);
    this.handLine = new THREE.Mesh(
      new THREE.CylinderGeometry(0.008, 0.008, 1, 8).rotateX(Math.PI / 2).translate(0, 0, 0.5),
      new THREE.MeshBasicMaterial({ color: 0x37b6ff, toneMapped: false }),
    );
    this.handLine.visible = false;
    this.scene.add(this.handLine);
    this.setTheme("dark");
  }

  private get fine() {
    return QUALITIES[this.quality].fine;
  }

  setTheme(theme: Theme) {
    this.theme = theme;
    const look = LOOKS[theme];
    this.scene.background = new THREE.Color(look.sky);
    this.scene.fog = new THREE.Fog(look.sky, 14, 46);
    this.sun.intensity = look.sun;
    this.hemi.color.set(look.hemi);
    this.hemi.groundColor.set(look.ground);
    this.hemi.intensity = look.fill;
    this.floorMaterial?.map?.dispose();
    this.floorMaterial?.dispose();
    this.floorMaterial = this.fine ? surface(true, { map: this.grid(look) }, 0.96) : this.plainFloor(look);
    for (const floor of this.floors) floor.material = this.floorMaterial;
  }

  // Lit beforehand, as level ground is.
  private plainFloor(look: (typeof LOOKS)["dark"]) {
    const light = this.sun.color.clone().multiplyScalar(look.sun * SUN.clone().normalize().z);
    const color = light.add(this.hemi.color.clone().multiplyScalar(look.fill)).multiplyScalar(1 / Math.PI);
    return new THREE.MeshBasicMaterial({ map: this.grid(look), color });
  }

  // Tiles of two metres: a strong line around, a fine one through the middle.
  private grid(look: (typeof LOOKS)["dark"]) {
    const size = 512;
    const canvas = document.createElement("canvas");
    canvas.width = canvas.height = size;
    const draw = canvas.getContext("2d")!;
    draw.fillStyle = "#" + new THREE.Color(look.floor).getHexString();
    draw.fillRect(0, 0, size, size);
    draw.fillStyle = look.line;
    draw.fillRect(size / 2 - 1, 0, 2, size);
    draw.fillRect(0, size / 2 - 1, size, 2);
    draw.fillStyle = look.strong;
    draw.fillRect(0, 0, 3, size);
    draw.fillRect(0, 0, size, 3);
    const texture = new THREE.CanvasTexture(canvas);
    texture.wrapS = texture.wrapT = THREE.RepeatWrapping;
    texture.repeat.set(FLOOR_M / TILE_M, FLOOR_M / TILE_M);
    texture.anisotropy = this.fine ? 8 : 1;
    if (!this.fine) texture.minFilter = THREE.LinearMipmapNearestFilter;
    texture.colorSpace = THREE.SRGBColorSpace;
    return texture;
  }

  // Another scene: everything is built anew, the camera stays with the focus.
  setScene(message: SceneMessage) {
    this.message = message;
    for (const player of this.players) {
      this.scene.remove(player.lane);
      player.lane.traverse((part) => {
        if (!(part instanceof THREE.Mesh)) return;
        part.geometry.dispose();
        if (part.material !== this.floorMaterial) (part.material as THREE.Material).dispose();
      });
    }
    this.floors = [];
    this.stepBack(message.performers.length);
    this.players = message.performers.map((info, index) => this.makePlayer(info, index));
    this.focus = Math.min(this.focus, Math.max(this.players.length - 1, 0));
    this.moveAlong(message.shift);
  }

  // More performers want a view from farther away.
  private stepBack(count: number) {
    const away = (performers: number) => 1 + AWAY_EACH * (Math.max(performers, 1) - 1);
    const reach = this.camera.position.clone().sub(this.controls.target);
    this.camera.position.copy(this.controls.target).add(reach.multiplyScalar(away(count) / away(this.players.length)));
  }

  // What moved the performer to a new place moves the camera as well, so that nothing seems to jump.
  private moveAlong(shift: number[]) {
    const turn = new THREE.Quaternion().fromArray(shift, 3);
    const way = new THREE.Vector3().fromArray(shift);
    if (way.length() < 1e-9 && Math.abs(turn.w) > 1 - 1e-9) return;
    for (const point of [this.camera.position, this.controls.target]) point.applyQuaternion(turn).add(way);
    this.last?.applyQuaternion(turn).add(way);
  }

  laneOffset(index: number) {
    return index === 0 ? 0 : (index % 2 === 1 ? 1 : -1) * Math.ceil(index / 2) * LANE_M;
  }

  private makePlayer(info: PerformerInfo, index: number): Player {
    const lane = new THREE.Group();
    lane.position.y = this.laneOffset(index);
    const count = info.character.bodies.length;
    const puppet = new Puppet(info.character.shapes, count, false, this.fine);
    const ghost = new Puppet(info.character.shapes, count, true, this.fine);
    const props = info.world.props.map(() => new THREE.Group());
    for (const shape of info.world.shapes) this.addWorldShape(shape, index, lane, props, info);
    if (info.course) this.addCourse(info.course, lane);
    lane.add(puppet.root, ghost.root, ...props);
    this.scene.add(lane);
    return { info, lane, puppet, ghost, props, drift: null };
  }

  private addWorldShape(shape: PerformerInfo["world"]["shapes"][0], index: number, lane: THREE.Group, props: THREE.Group[], info: PerformerInfo) {
    if (shape.type === "plane") {
      // Planes have no end: one is enough for all lanes.
      if (index > 0 || !shape.ground) return;
      const floor = new THREE.Mesh(new THREE.PlaneGeometry(FLOOR_M, FLOOR_M), this.floorMaterial);
      setPose(floor, shape.pose);
      floor.userData.home = floor.position.clone();
      floor.receiveShadow = true;
      this.floors.push(floor);
      lane.add(floor);
      return;
    }
    const geometry = geometryOf(shape, this.fine);
    if (!geometry) return;
    const ball = shape.body >= 0 && info.world.props[shape.body]?.waiting;
    const [r, g, b, a] = shape.rgba;
    const color = ball ? new THREE.Color(0xe8503a) : new THREE.Color().setRGB(r, g, b, THREE.SRGBColorSpace);
    const material = surface(this.fine, { color, transparent: a < 1, opacity: a }, ball ? 0.35 : 0.75);
    const mesh = new THREE.Mesh(geometry, material);
    setPose(mesh, shape.pose);
    mesh.castShadow = mesh.receiveShadow = true;
    (shape.body >= 0 ? props[shape.body] : lane).add(mesh);
  }

  // A line on the ground, and a pole to go around where it bends back.
  private addCourse(course: [number, number][], lane: THREE.Group) {
    const positions: number[] = [], index: number[] = [];
    course.forEach(([x, y], i) => {
      const [bx, by] = course[Math.min(i + 1, course.length - 1)], [ax, ay] = course[Math.max(i - 1, 0)];
      const along = new THREE.Vector2(bx - ax, by - ay).normalize().multiplyScalar(LINE_M / 2);
      positions.push(x - along.y, y + along.x, 0.004, x + along.y, y - along.x, 0.004);
      if (i > 0) index.push(2 * i - 2, 2 * i - 1, 2 * i, 2 * i - 1, 2 * i + 1, 2 * i);
    });
    const line = new THREE.BufferGeometry();
    line.setAttribute("position", new THREE.Float32BufferAttribute(positions, 3));
    line.setIndex(index);
    line.computeVertexNormals();
    const material = surface(this.fine, { color: 0x3d8fe0, side: THREE.DoubleSide }, 0.9);
    const ribbon = new THREE.Mesh(line, material);
    ribbon.receiveShadow = true;
    lane.add(ribbon);
    const aside = course.map(([, y]) => Math.abs(y));
    const bends = course.filter((_, i) => aside[i] > 0.5 && aside[i] < 3 && aside[i] >= (aside[i - 1] ?? 0) && aside[i] > (aside[i + 1] ?? 9));
    const poles = new THREE.InstancedMesh(new THREE.CylinderGeometry(0.02, 0.035, 1.1, 14).rotateX(Math.PI / 2),
      surface(this.fine, { color: 0xe8503a }, 0.5), bends.length);
    bends.forEach(([x], i) => poles.setMatrixAt(i, new THREE.Matrix4().makeTranslation(x, 0, 0.55)));
    poles.castShadow = true;
    poles.frustumCulled = false;
    lane.add(poles);
  }

  resize(width: number, height: number) {
    const { pixels, most } = QUALITIES[this.quality];
    const ratio = pixels < 1 ? pixels * Math.min(devicePixelRatio, 1) : Math.min(devicePixelRatio, pixels);
    this.renderer.setPixelRatio(Math.min(ratio, Math.sqrt(most / Math.max(width * height, 1))));
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / Math.max(height, 1);
    // A tall window sees as much to the sides as a square one.
    this.camera.fov = this.camera.aspect < 1 ? 2 * Math.atan(Math.tan(0.33) / this.camera.aspect) * 90 / Math.PI * 0.72 + 12 : 38;
    this.camera.updateProjectionMatrix();
  }

  // Everything to where it is at a moment between two frames.
  show(between: Between, dt: number) {
    let arrow = 0;
    this.players.forEach((player, index) => {
      const a = between.a.performers[index], b = between.b.performers[index];
      if (!a || !b || a.bodies.length !== 7 * player.puppet.bodies.length || b.bodies.length !== a.bodies.length) return;
      player.puppet.reshape(a.shapes);
      player.puppet.pose(a.bodies, b.bodies, between.share);
      this.poseGhost(player, a.ghost, b.ghost, between.share, dt);
      player.props.forEach((prop, i) => {
        if (7 * i + 6 >= a.props.length) return;
        // What is thrown is where it is thrown from, and not on its way there.
        const thrown = Math.hypot(...[0, 1, 2].map((k) => b.props[7 * i + k] - a.props[7 * i + k])) > JUMP_M;
        mixPose(prop, a.props, b.props, thrown ? 1 : between.share, 7 * i);
        const entry = player.info.world.props[i];
        prop.visible = !entry.waiting || prop.position.distanceToSquared(new THREE.Vector3(...entry.pose.slice(0, 3) as [number, number, number])) > 1e-6;
      });
      const bodies = player.info.character.bodies;
      player.puppet.glow((body) => (this.showPressure && !bodies[body].name.endsWith("wheel") ? a.pressure[body] / PRESSURE_FULL_PA : 0));
      if (this.showForces) arrow = this.poseArrows(player, a.contacts, arrow);
    });
    for (; arrow < this.arrows.length; ++arrow) this.arrows[arrow].visible = false;
    this.moveCamera();
  }

  // The reference beside the performer, wherever that went.
  private poseGhost(player: Player, a: Float32Array, b: Float32Array, share: number, dt: number) {
    const root = player.ghost.root;
    root.visible = this.ghostMode !== "off" && player.info.follows;
    if (!root.visible) return;
    player.ghost.pose(a, b, share);
    const real = player.puppet.bodies[0], shown = player.ghost.bodies[0];
    const yaw = (q: THREE.Quaternion) => Math.atan2(2 * (q.w * q.z + q.x * q.y), 1 - 2 * (q.y * q.y + q.z * q.z));
    const turn = Math.atan2(Math.sin(yaw(real.quaternion) - yaw(shown.quaternion)), Math.cos(yaw(real.quaternion) - yaw(shown.quaternion)));
    const goal = { x: real.position.x - shown.position.x, y: real.position.y - shown.position.y, yaw: turn };
    // A motion that begins anew, or another one, is beside the performer at once.
    const jumped = player.drift && Math.hypot(goal.x - player.drift.x, goal.y - player.drift.y) > 1.5;
    const drift = (player.drift = jumped || !player.drift ? { ...goal } : player.drift);
    const pull = Math.min(1, dt / 0.6);
    drift.x += pull * (goal.x - drift.x);
    drift.y += pull * (goal.y - drift.y);
    drift.yaw += pull * Math.atan2(Math.sin(goal.yaw - drift.yaw), Math.cos(goal.yaw - drift.yaw));
    const inside = this.ghostMode === "inside";
    const to = { x: shown.position.x + (inside ? 0 : drift.x), y: shown.position.y + (inside ? 0 : drift.y + BESIDE_M) };
    const rise = floorHeight(player.info, to.x, to.y) - floorHeight(player.info, shown.position.x, shown.position.y);
    // Turned about the ghost's own root, then moved.
    const angle = inside ? 0 : drift.yaw;
    const cos = Math.cos(angle), sin = Math.sin(angle), x = shown.position.x, y = shown.position.y;
    root.rotation.z = angle;
    root.position.set(to.x - (cos * x - sin * y), to.y - (sin * x + cos * y), rise);
  }

  private poseArrows(player: Player, contacts: Float32Array, next: number) {
    const up = new THREE.Vector3(0, 0, 1), force = new THREE.Vector3();
    for (let i = 0; i + 6 < contacts.length; i += 7) {
      force.set(contacts[i + 4], contacts[i + 5], contacts[i + 6]);
      const length = force.length() * ARROW_M_PER_N;
      if (length < 0.015) continue;
      const arrow = this.arrow(next++);
      arrow.visible = true;
      arrow.position.set(contacts[i + 1], contacts[i + 2], contacts[i + 3]).add(player.lane.position);
      arrow.quaternion.setFromUnitVectors(up, force.normalize());
      const [shaft, tip] = arrow.children;
      shaft.scale.set(1, 1, Math.max(length - 0.05, 0.001));
      tip.position.z = Math.max(length - 0.05, 0);
    }
    return next;
  }

  private arrow(index: number) {
    while (this.arrows.length <= index) {
      const arrow = new THREE.Group();
      arrow.add(
        new THREE.Mesh(new THREE.CylinderGeometry(0.009, 0.009, 1, 10).rotateX(Math.PI / 2).translate(0, 0, 0.5), this.arrowMaterial),
        new THREE.Mesh(new THREE.ConeGeometry(0.026, 0.06, 14).rotateX(Math.PI / 2).translate(0, 0, 0.03), this.arrowMaterial),
      );
      this.scene.add(arrow);
      this.arrows.push(arrow);
    }
    return this.arrows[index];
  }

  // The camera and the sun go along with the focus.
  private moveCamera() {
    const player = this.players[this.focus];
    if (!player) return;
    const here = player.puppet.bodies[0].position.clone().add(player.lane.position);
    if (this.last) {
      const way = here.clone().sub(this.last);
      if (way.length() > 3) way.set(way.x, way.y, 0);
      way.z *= 0.15;
      if (this.follow) {
        this.camera.position.add(way);
        this.controls.target.add(way);
      }
    } else {
      const aim = new THREE.Vector3(here.x, here.y, here.z);
      this.camera.position.add(aim.clone().sub(this.controls.target));
      this.controls.target.copy(aim);
    }
    this.last = here;
    this.moveFloors(here);
    // Texels of the shadow keep their place, or its edges would crawl.
    const snap = (x: number) => Math.round(x * 8) / 8;
    this.sun.target.position.set(snap(here.x), snap(here.y), snap(here.z - 0.9));
    this.sun.position.copy(this.sun.target.position).add(SUN);
  }

  // Floors have no end: they go along, by whole tiles.
  private moveFloors(here: THREE.Vector3) {
    for (const floor of this.floors) {
      const home = floor.userData.home as THREE.Vector3;
      const way = here.clone().sub(home).applyQuaternion(floor.quaternion.clone().invert());
      way.set(TILE_M * Math.round(way.x / TILE_M), TILE_M * Math.round(way.y / TILE_M), 0);
      floor.position.copy(home).add(way.applyQuaternion(floor.quaternion));
    }
  }

  // The focus in the middle of the picture again.
  recentre() {
    this.last = null;
  }

  showHand(from: THREE.Vector3 | null, to: THREE.Vector3 | null) {
    this.handLine.visible = from !== null && to !== null;
    if (!from || !to) return;
    const way = to.clone().sub(from);
    this.handLine.position.copy(from);
    this.handLine.scale.set(1, 1, Math.max(way.length(), 0.001));
    this.handLine.quaternion.setFromUnitVectors(new THREE.Vector3(0, 0, 1), way.normalize());
  }

  // Where a ray through a pixel meets a body, else the ground.
  pick(x: number, y: number): { performer: number; body: number; point: THREE.Vector3 } | null {
    const ray = new THREE.Raycaster();
    ray.setFromCamera(new THREE.Vector2(x, y), this.camera);
    const all = this.players.flatMap((player) => player.puppet.meshes);
    const hit = ray.intersectObjects(all, false)[0];
    if (hit) {
      const performer = this.players.findIndex((player) => player.puppet.meshes.includes(hit.object as THREE.Mesh));
      return { performer, body: hit.object.userData.body as number, point: hit.point };
    }
    const ground = ray.intersectObjects(this.floors, false)[0];
    return ground && ground.distance < 30 ? { performer: -1, body: -1, point: ground.point } : null;
  }

  // Whether the last picture is finished. Pictures that would wait behind it would be old when they are seen.
  get free() {
    const gl = this.renderer.getContext() as WebGL2RenderingContext;
    if (!this.fence || gl.isContextLost()) return true;
    if (gl.getSyncParameter(this.fence, gl.SYNC_STATUS) !== gl.SIGNALED) return false;
    gl.deleteSync(this.fence);
    this.fence = null;
    return true;
  }

  draw(dt: number) {
    this.controls.update();
    this.renderer.render(this.scene, this.camera);
    const gl = this.renderer.getContext() as WebGL2RenderingContext;
    this.fence = gl.fenceSync(gl.SYNC_GPU_COMMANDS_COMPLETE, 0);
    gl.flush();
    if (this.adapts) this.judge(dt);
  }

  // A machine that is too slow gets simpler pictures.
  judge(dt: number) {
    this.slow = dt > QUALITIES[this.quality].slow_s ? this.slow + dt : Math.max(0, this.slow - 2 * dt);
    if (this.slow < PATIENCE_S || this.quality === 0) return;
    --this.quality;
    this.slow = 0;
    this.onQuality(this.quality);
    this.setEffort();
    // Other surfaces.
    this.setTheme(this.theme);
    if (this.message) this.setScene({ ...this.message, shift: NOWHERE });
    const canvas = this.renderer.domElement;
    this.resize(canvas.clientWidth, canvas.clientHeight);
  }

  private setEffort() {
    this.renderer.shadowMap.enabled = this.fine;
    this.renderer.toneMapping = this.fine ? THREE.NeutralToneMapping : THREE.NoToneMapping;
    this.sun.shadow.mapSize.setScalar(QUALITIES[this.quality].shadow);
    this.sun.shadow.map?.dispose();
    this.sun.shadow.map = null;
  }
}
