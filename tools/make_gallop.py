#!/usr/bin/env python3
"""Writes assets/motions/gallop.json: a rotary gallop of the cheetah of make_characters.py, one stride that repeats.

Footfalls, paw paths and the bending of the spine are written down; the rest follows from mechanics. Half-sine forces
under the paws carry the weight, so the centre of mass falls freely in both flights; the trunk pitches so that the
angular momentum of the whole body is what those forces make it. Usage: tools/make_gallop.py [FILE]
"""
import json
import math
import pathlib
import sys

from make_characters import CHEETAH, PAD, cheetah, minus

PERIOD, SPEED = 0.4, 6.5  # s, m/s
FPS, FINE = 60, 2  # keys a second; steps between two keys
STEPS = round(PERIOD * FPS) * FINE
DT = PERIOD / STEPS
G = 9.81
STANCE = 5 / FPS  # s that each paw stands

# Right hind, left hind, flight with the body stretched; left fore, right fore, flight with the body gathered.
TOUCHDOWN = {"right_hind": 0.0, "left_hind": 2 / FPS, "left_fore": 11 / FPS, "right_fore": 14 / FPS}
GATHERED = 0.5 * (TOUCHDOWN["right_fore"] + STANCE + PERIOD)  # middle of that flight
# Paths of the paws: where the middle of the stance is from the hips or shoulders at rest, height of the swing, place
# to the side, and how much further out in the swing. Hind paws pass outside the forepaws.
TRACK = {"hind": (0.09, 0.17, 0.11, 0.04), "fore": (-0.11, 0.16, 0.04, 0.0)}
COM_DROP = 0.03  # m that the body runs lower than it stands
SPINE = (3.0, 12.0)  # degrees: mean flexion and swing of each of the two joints of the back
DRIVE = 0.07  # of the weight: what the hind legs drive and the forelegs brake
PITCH = -2.0  # degrees: mean pitch of the pelvis, which the flexion of the back asks for

# Angles in degrees over the time since touchdown (s). Of the foot and the paws in the world, against the standing
# animal; of the scapula against the thorax. + turns what hangs backwards and what points forward down.
TOUCH, OFF = 0.0, STANCE
ANGLES = {
    "foot": [(TOUCH, -15), (0.5 * OFF, 0), (OFF, 32), (0.155, 48), (0.22, 20), (0.30, -20), (0.36, -26)],
    "toes": [(TOUCH, 0), (OFF, 0), (0.18, 60), (0.24, 55), (0.37, 0)],
    "scapula": [(TOUCH, -26), (OFF, 22), (0.2, 10), (0.35, -32)],
    "hand": [(TOUCH, 0), (OFF, 0), (0.19, 85), (0.25, 72), (0.37, 0)],
}


# ---------------------------------------------------------------- small mathematics


def periodic(keys, t):
    """A smooth curve through (time, value) keys that repeats; it holds still between equal keys, never overshoots."""
    t %= PERIOD
    times = [k[0] for k in keys] + [keys[0][0] + PERIOD]
    values = [k[1] for k in keys] + [keys[0][1]]
    n = len(keys)
    i = max(k for k in range(n) if times[k] <= t)
    rise = lambda k: (values[k % n + 1] - values[k % n]) / (times[k % n + 1] - times[k % n])

    def slope(k):
        before, after = rise(k - 1), rise(k)
        return 0.0 if before * after <= 0 else 2 * before * after / (before + after)

    h = times[i + 1] - times[i]
    u = (t - times[i]) / h
    m0, m1, d = h * slope(i), h * slope(i + 1), values[i + 1] - values[i]
    return values[i] + u * (m0 + u * (3 * d - 2 * m0 - m1 + u * (m0 + m1 - 2 * d)))


def times(A, v):
    return [sum(A[i][k] * v[k] for k in range(3)) for i in range(3)]


def product(A, B):
    return [[sum(A[i][k] * B[k][j] for k in range(3)) for j in range(3)] for i in range(3)]


def transposed(A):
    return [list(row) for row in zip(*A)]


def about_x(a):
    c, s = math.cos(a), math.sin(a)
    return [[1, 0, 0], [0, c, -s], [0, s, c]]


def about_y(a):
    c, s = math.cos(a), math.sin(a)
    return [[c, 0, s], [0, 1, 0], [-s, 0, c]]


def rotation_vector(R):
    """Axis times angle; no turn here comes near half a circle."""
    w = [R[2][1] - R[1][2], R[0][2] - R[2][0], R[1][0] - R[0][1]]
    sine = 0.5 * math.sqrt(sum(x * x for x in w))
    angle = math.atan2(sine, 0.5 * (R[0][0] + R[1][1] + R[2][2] - 1))
    return [0.5 * x * (angle / sine if sine > 1e-9 else 1.0) for x in w]


# ---------------------------------------------------------------- the body


class Body:
    """The cheetah as bones: places at rest, masses, inertias about y."""

    def __init__(self):
        self.bones = []  # name, parent, place at rest
        self.mass = {}
        self.centre = {}  # from the joint
        self.inertia = {}
        self.at = {}
        for s in cheetah().segments:
            limb = s.name in ("clavicle", "upper_arm", "lower_arm", "hand", "thigh", "shin", "foot", "toes")
            for side in ("left_", "right_") if limb else ("",):
                flip = -1 if side == "right_" else 1
                place = (s.origin[0], flip * s.origin[1], s.origin[2])
                trunk = s.name in ("clavicle", "thigh")
                self.bones.append((side + s.name, s.parent if trunk or not limb else side + s.parent, place))
                self.at[side + s.name] = place
                self.mass[side + s.name] = s.mass
                self.centre[side + s.name] = [s.com[0] - s.origin[0], flip * (s.com[1] - s.origin[1]),
                                              s.com[2] - s.origin[2]]
                self.inertia[side + s.name] = s.inertia[1]
        self.total = sum(self.mass.values())

    def place(self, root, local):
        """World rotations and places from the root's place and the local rotations."""
        R, p = {}, {}
        for name, parent, at in self.bones:
            if not parent:
                R[name], p[name] = local[name], list(root)
                continue
            offset = times(R[parent], [a - b for a, b in zip(at, self.at[parent])])
            R[name] = product(R[parent], local[name])
            p[name] = [a + b for a, b in zip(p[parent], offset)]
        return R, p

    def centres(self, R, p):
        return {n: [a + b for a, b in zip(p[n], times(R[n], self.centre[n]))] for n, _, _ in self.bones}

    def centre_of_mass(self, centres):
        return [sum(self.mass[n] * c[k] for n, c in centres.items()) / self.total for k in range(3)]


BODY = Body()
REST_COM = BODY.centre_of_mass({n: [a + b for a, b in zip(at, BODY.centre[n])] for n, _, at in BODY.bones})


def planar(a, b):
    """Length and angle, from straight down, backwards +, of the bone from a to b as the animal stands."""
    dx, dz = CHEETAH[b][0] - CHEETAH[a][0], CHEETAH[b][2] - CHEETAH[a][2]
    return math.hypot(dx, dz), math.atan2(-dx, -dz)


STRAIGHT, SOFT = 0.92, 0.06  # of the length of a limb


def bend(a, b, c, x, depth, forward):
    """Turns of two bones a-b-c against their rest so that c is x ahead of a and `depth` below it."""
    (l1, rest1), (l2, rest2) = planar(a, b), planar(b, c)
    reach = math.hypot(x, depth)
    # A limb in the air that should reach further than it can is stretched, softly.
    share = reach / (l1 + l2)
    d = (l1 + l2) * (share if share < STRAIGHT else STRAIGHT + SOFT * math.tanh((share - STRAIGHT) / SOFT))
    line = math.atan2(-x, depth)
    at_a = math.acos(max(-1, min(1, (l1 * l1 + d * d - l2 * l2) / (2 * l1 * d))))
    at_c = math.acos(max(-1, min(1, (l2 * l2 + d * d - l1 * l1) / (2 * l2 * d))))
    side = -1 if forward else 1  # whether b lies ahead of the line
    return line + side * at_a - rest1, line - side * at_c - rest2


# ---------------------------------------------------------------- what is written down: spine and paws


def paw_place(leg, t):
    """Place of a paw's joint (toes, wrist of the flat hand) relative to a body that goes at constant speed."""
    side, kind = leg.split("_")
    shift, lift, y, aside = TRACK[kind]
    hip, joint = ("thigh", "toes") if kind == "hind" else ("upper_arm", "hand")
    tau = (t - TOUCHDOWN[leg]) % PERIOD
    way = SPEED * STANCE
    front = CHEETAH[hip][0] + shift + 0.5 * way
    z = CHEETAH[joint][2]
    flip = 1 if side == "left" else -1
    if tau <= STANCE:
        return [front - SPEED * tau, flip * y, z]
    # In the air: leaves and comes down at the speed of the ground.
    T = PERIOD - STANCE
    u = (tau - STANCE) / T
    m = -SPEED * T
    x = front - way + u * (m + u * (3 * way - 3 * m + u * (2 * m - 2 * way)))
    hump = 16 * (u * (1 - u)) ** 2
    return [x, flip * (y + aside * hump), z + lift * hump * (1.25 - 0.5 * u)]


def spine_angle(t):
    mean, swing = SPINE
    return math.radians(mean + swing * math.cos(2 * math.pi * (t - GATHERED) / PERIOD))


def pose(root, pitch, t):
    """Local rotations at one time, the root relative to the body that goes at constant speed."""
    local = {n: about_y(0) for n, _, _ in BODY.bones}
    s = spine_angle(t)
    local["pelvis"] = about_y(pitch)
    local["abdomen"] = local["thorax"] = about_y(s)
    # The head stays level; the tail streams behind and beats.
    chest = pitch + 2 * s
    local["neck"], local["head"] = about_y(0.14 - 0.6 * chest), about_y(-0.04 - 0.4 * chest)
    for k, (name, mean, swing) in enumerate((("tail_base", 20, 8), ("tail_middle", -2, 9), ("tail_tip", -4, 9))):
        beat = math.cos(2 * math.pi * (t - GATHERED) / PERIOD - 0.9 * k - 0.6)
        local[name] = about_y(math.radians(mean + swing * beat) - (pitch if k == 0 else 0))
    # The trunk turns about y alone: where hips and scapulae are follows from its angles.
    carried = lambda place, angle, a, b: [u + v for u, v in zip(place, times(about_y(angle), minus(BODY.at[b], BODY.at[a])))]
    thorax = carried(carried(root, pitch, "pelvis", "abdomen"), pitch + s, "abdomen", "thorax")
    for side in ("left_", "right_"):
        bend_hind_leg(local, carried(root, pitch, "pelvis", side + "thigh"), pitch, t, side)
        bend_foreleg(local, carried(thorax, chest, "thorax", side + "clavicle"), chest, t, side)
    return local


def limb_angle(name, leg, t):
    return math.radians(periodic(ANGLES[name], t - TOUCHDOWN[leg]))


def rocked(joint, angle, from_tip):
    """Where the joint of a paw goes that turns about its toes."""
    return [j + d - u for j, d, u in zip(joint, times(about_y(angle), from_tip), from_tip)]


def bend_hind_leg(local, hip, pitch, t, side):
    """From the paw up: the hock where the angle of the foot puts it, then the knee."""
    leg = side + "hind"
    foot = limb_angle("foot", leg, t)
    toes = limb_angle("toes", leg, t)
    joint = rocked(paw_place(leg, t), toes, (-0.043, 0, CHEETAH["toes"][2] - PAD))
    # The foot lies in the leg's plane, which the place of the hock itself tells.
    R = about_y(foot)
    for _ in range(3):
        hock = [g + d for g, d in zip(joint, times(R, minus(CHEETAH["foot"], CHEETAH["toes"])))]
        tilt, shin = bend_limb(local, side, ("thigh", "shin", "foot"), pitch, minus(hock, hip), forward=True)
        R = product(product(about_y(pitch), about_x(tilt)), about_y(foot - pitch))
    local[side + "foot"] = about_y(foot - pitch - shin)
    local[side + "toes"] = product(transposed(R), about_y(toes))


def bend_foreleg(local, top, chest, t, side):
    """The scapula as written, the wrist where the paw has it, then the elbow."""
    leg = side + "fore"
    scapula, hand = limb_angle("scapula", leg, t), limb_angle("hand", leg, t)
    carrier = chest + scapula
    local[side + "clavicle"] = about_y(scapula)
    shoulder = [u + v for u, v in zip(top, times(about_y(carrier), minus(BODY.at[side + "upper_arm"], BODY.at[side + "clavicle"])))]
    wrist = rocked(paw_place(leg, t), hand, (-0.062, 0, CHEETAH["hand"][2] - PAD))
    tilt, lower = bend_limb(local, side, ("upper_arm", "lower_arm", "hand"), carrier, minus(wrist, shoulder), forward=False)
    # The paw lies flat, whatever the tilt of the leg.
    R = product(product(about_y(carrier), about_x(tilt)), about_y(lower))
    local[side + "hand"] = product(transposed(R), about_y(hand))


def bend_limb(local, side, bones, carrier, target, forward):
    """Turns the two upper bones of a limb so that the third begins at `target`; tells the tilt of their plane and
    the angle of the second in it, both against the carrier."""
    x, y, z = times(about_y(-carrier), target)
    upper, lower = bend(*bones, x, math.copysign(math.hypot(y, z), -z), forward)
    tilt = math.atan2(y, -z)
    local[side + bones[0]] = product(about_x(tilt), about_y(upper))
    local[side + bones[1]] = about_y(lower - upper)
    return tilt, lower


# ---------------------------------------------------------------- forces


def load(leg, t):
    """Share of its peak that a paw bears."""
    tau = (t - TOUCHDOWN[leg]) % PERIOD
    return math.sin(math.pi * tau / STANCE) if tau < STANCE else 0.0


def forces(hind, t):
    """Vertical and forward force of each paw; `hind` is the share of the weight that the hind legs carry."""
    peak = math.pi * BODY.total * G * PERIOD / (4 * STANCE)
    out = {}
    for leg in TOUCHDOWN:
        kind = leg.split("_")[1]
        up = peak * (hind if kind == "hind" else 1 - hind) * load(leg, t)
        # Along the leg, half: brakes while the paw is ahead, drives when it is behind; hind legs drive, forelegs brake.
        tau = (t - TOUCHDOWN[leg]) % PERIOD
        drive = DRIVE / hind if kind == "hind" else -DRIVE / (1 - hind)
        out[leg] = (up, up * (drive + 0.3 * SPEED * (tau - 0.5 * STANCE) / 0.6) if up else 0.0)
    return out


def double_integral(a):
    """Periodic path of a periodic acceleration whose mean is zero; mean zero."""
    def once(f):
        out, sum_ = [], 0.0
        for k in range(STEPS):
            out.append(sum_)
            sum_ += 0.5 * (f[k] + f[(k + 1) % STEPS]) * DT
        mean = sum(out) / STEPS
        return [x - mean for x in out]

    mean = sum(a) / STEPS
    return once(once([x - mean for x in a]))


def com_path(hind):
    F = [forces(hind, k * DT) for k in range(STEPS)]
    up = double_integral([sum(f[0] for f in now.values()) / BODY.total - G for now in F])
    ahead = double_integral([sum(f[1] for f in now.values()) / BODY.total for now in F])
    return [[REST_COM[0] + x, 0.0, REST_COM[2] - COM_DROP + z] for x, z in zip(ahead, up)]


# ---------------------------------------------------------------- the whole


def settle(root, pitch, t, goal):
    """The pose whose centre of mass is at `goal`."""
    for _ in range(3):
        local = pose(root, pitch, t)
        R, p = BODY.place(root, local)
        com = BODY.centre_of_mass(BODY.centres(R, p))
        miss = [g - c for g, c in zip(goal, com)]
        root = [root[0] + miss[0], 0.0, root[2] + miss[2]]
    return root, local


def momentum(frames, path):
    """Angular momentum about y through the centre of mass, per step, by central differences."""
    placed = [BODY.place(r, l) for r, l in frames]
    centres = [BODY.centres(R, p) for R, p in placed]
    pitch = [{n: math.atan2(R[n][0][2], R[n][2][2]) for n in R} for R, _ in placed]
    out = []
    for k in range(STEPS):
        a, b = (k - 1) % STEPS, (k + 1) % STEPS
        v_com = [(path[b][i] - path[a][i]) / (2 * DT) for i in range(3)]
        L = 0.0
        for n, _, _ in BODY.bones:
            v = [(centres[b][n][i] - centres[a][n][i]) / (2 * DT) - v_com[i] for i in range(3)]
            r = [centres[k][n][i] - path[k][i] for i in range(3)]
            spin = math.remainder(pitch[b][n] - pitch[a][n], 2 * math.pi) / (2 * DT)
            L += BODY.mass[n] * (r[2] * v[0] - r[0] * v[2]) + BODY.inertia[n] * spin
        out.append(L)
    return out


def torque(hind, path):
    """About y through the centre of mass, of all paws."""
    out = []
    for k in range(STEPS):
        sum_ = 0.0
        for leg, (up, ahead) in forces(hind, k * DT).items():
            if up == 0:
                continue
            x, _, _ = paw_place(leg, k * DT)
            x += 0.02  # the middle of the pads is ahead of the joint
            sum_ += (0 - path[k][2]) * ahead - (x - path[k][0]) * up
        out.append(sum_)
    return out


def balanced_share():
    """The share of the hind legs for which the forces do not turn the body over."""
    low, high = 0.2, 0.8
    for _ in range(40):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if sum(torque(middle, com_path(middle))) < 0 else (low, middle)
    return 0.5 * (low + high)


def solve():
    hind = balanced_share()
    path = com_path(hind)
    wanted, sum_ = [], 0.0
    moment = torque(hind, path)
    for k in range(STEPS):
        wanted.append(sum_)
        sum_ += 0.5 * (moment[k] + moment[(k + 1) % STEPS]) * DT
    pitch = [math.radians(PITCH)] * STEPS
    roots = [list(BODY.at["pelvis"]) for _ in range(STEPS)]
    inertia = 4.5  # about; the iteration corrects it
    for _ in range(25):
        frames = []
        for k in range(STEPS):
            roots[k], local = settle(roots[k], pitch[k], k * DT, path[k])
            frames.append((roots[k], local))
        got = momentum(frames, path)
        # The constant of the momentum is free: the trunk must come back to its pitch.
        error = [w - g for w, g in zip(wanted, got)]
        mean = sum(error) / STEPS
        rate = [0.8 * (e - mean) / inertia for e in error]
        change, sum_ = [], 0.0
        for k in range(STEPS):
            change.append(sum_)
            sum_ += 0.5 * (rate[k] + rate[(k + 1) % STEPS]) * DT
        middle = sum(change) / STEPS
        pitch = [p + c - middle for p, c in zip(pitch, change)]
        solve.residual = max(abs(e - mean) for e in error)
    frames = []
    for k in range(STEPS):
        roots[k], local = settle(roots[k], pitch[k], k * DT, path[k])
        frames.append((roots[k], local))
    return hind, pitch, frames


def rounded(values, digits):
    values = [round(v, digits) + 0.0 for v in values]
    while len(values) > 1 and values[-1] == 0:
        values.pop()
    return values


def main():
    file = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else
                        pathlib.Path(__file__).resolve().parent.parent / "assets" / "motions" / "gallop.json")
    hind, pitch, frames = solve()
    bones = [{"name": n} | ({"parent": parent} if parent else {}) | {"at": list(at)} for n, parent, at in BODY.bones]
    keys = []
    for k in range(0, STEPS, FINE):
        root, local = frames[k]
        t = k * DT
        joints = {n: rounded(map(math.degrees, rotation_vector(local[n])), 3) for n, p, _ in BODY.bones if p}
        keys.append({"t": round(t, 6), "pelvis": [round(root[0] + SPEED * t, 5), 0, round(root[2], 5)],
                     "turn": [0, round(math.degrees(pitch[k]), 3)], "joints": joints})
    head = {"sinew_keyframes": 1, "name": "gallop",
            "about": f"A cheetah's rotary gallop at {SPEED} m/s with two flights a stride; loops.",
            "fps": FPS, "loop": True, "period": PERIOD, "travel": [round(SPEED * PERIOD, 6), 0], "repeat": 5}
    line = lambda x: json.dumps(x, separators=(", ", ": "))
    text = "{\n" + "".join(f"  {line(k)}: {line(v)},\n" for k, v in head.items())
    text += '  "bones": [\n' + ",\n".join("    " + line(b) for b in bones) + "\n  ],\n"
    text += '  "keys": [\n' + ",\n".join("    " + line(k) for k in keys) + "\n  ]\n}\n"
    file.write_text(text)
    print(f"hind legs carry {100 * hind:.0f} %, pitch {math.degrees(min(pitch)):.1f} to {math.degrees(max(pitch)):.1f} degrees, "
          f"residual momentum {solve.residual:.3f} kg m2/s")


if __name__ == "__main__":
    main()
