#!/usr/bin/env python3
"""Writes assets/characters/*.xml from the tables of masses, inertias and gains and a few lengths.

Everything is laid out in the world as the character stands at rest: a T-pose on z = 0 that faces +X, left = +Y.
Limbs are described for the left side and mirrored. Usage: tools/make_characters.py [FOLDER]
"""
import math
import pathlib
import sys
from dataclasses import dataclass, field

# ---------------------------------------------------------------- a character as plain values


@dataclass
class Shape:
    kind: str  # sphere, capsule, ellipsoid, box, cylinder
    look: str  # a class of <default>
    at: tuple  # centre, or the two ends of a capsule or cylinder; in the world at rest
    size: tuple
    name: str = ""
    pitch: float = 0  # degrees about Y

    def mirrored(self):
        flip = lambda p: (p[0], -p[1], p[2])
        at = tuple(flip(p) for p in self.at) if isinstance(self.at[0], tuple) else flip(self.at)
        return Shape(self.kind, self.look, at, self.size, self.name, self.pitch)


@dataclass
class Segment:
    name: str  # a body part, without left_ for a limb
    parent: str
    origin: tuple  # where its joint is
    joints: list  # (name, type, attributes)
    mass: float
    com: tuple
    inertia: tuple  # about x, y, z through the centre of mass
    shapes: list
    limb: bool = False


@dataclass
class Model:
    name: str
    about: str
    segments: list
    servos: list  # (joint, text)
    looks: dict  # class -> rgba
    excludes: list = field(default_factory=list)
    glossy: float = 0.2


def sphere(look, at, r, name=""):
    return Shape("sphere", look, at, (r,), name)


def capsule(look, a, b, r):
    return Shape("capsule", look, (a, b), (r,))


def cylinder(look, a, b, r):
    return Shape("cylinder", look, (a, b), (r,))


def ellipsoid(look, at, size, pitch=0):
    return Shape("ellipsoid", look, at, size, "", pitch)


def box(look, at, size, pitch=0):
    return Shape("box", look, at, size, "", pitch)


# ---------------------------------------------------------------- writing MJCF


def number(x):
    text = f"{x:.5f}".rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text


def numbers(values):
    return " ".join(number(v) for v in values)


def exact(values):
    return " ".join(f"{v:.6g}" for v in values)


def minus(a, b):
    return tuple(x - y for x, y in zip(a, b))


def geom(shape, origin, side):
    # The tint of the two sides differs a little.
    look = shape.look + (f"_{side}" if side and shape.look in ("joint", "shoe", "sole") else "")
    text = f'<geom class="{look}"'
    if shape.name:
        text += f' name="{side + "_" if side else ""}{shape.name}"'
    if shape.kind != "sphere":
        text += f' type="{shape.kind}"'
    if shape.kind in ("capsule", "cylinder"):
        ends = minus(shape.at[0], origin) + minus(shape.at[1], origin)
        text += f' fromto="{numbers(ends)}"'
    else:
        text += f' pos="{numbers(minus(shape.at, origin))}"'
    if shape.pitch:
        text += f' euler="0 {number(shape.pitch)} 0"'
    return text + f' size="{numbers(shape.size)}"/>'


def joint(spec, side):
    name, kind, attributes = spec
    if kind == "free":
        return f'<freejoint name="{name}"/>'
    attributes = dict(attributes)
    # The mirror turns the axes x and z of a hinge around, so that its range stays what it is.
    if side == "right" and kind == "hinge":
        x, y, z = attributes["axis"]
        attributes["axis"] = (-x, y, -z)
    text = f'<joint name="{side + "_" if side else ""}{name}" type="{kind}"'
    for key, value in attributes.items():
        text += f' {key}="{numbers(value) if isinstance(value, tuple) else number(value)}"'
    return text + "/>"


def body(model, segment, parent_origin, side, depth):
    flip = side == "right"
    mirror = (lambda p: (p[0], -p[1], p[2])) if flip else (lambda p: p)
    origin = mirror(segment.origin)
    pad = "  " * depth
    name = f"{side}_{segment.name}" if side else segment.name
    out = [f'{pad}<body name="{name}" pos="{numbers(minus(origin, parent_origin))}">']
    inner = pad + "  "
    out += [inner + joint(spec, side) for spec in segment.joints]
    out.append(
        f'{inner}<inertial pos="{numbers(minus(mirror(segment.com), origin))}" mass="{exact([segment.mass])}" '
        f'diaginertia="{exact(segment.inertia)}"/>'
    )
    for shape in segment.shapes:
        out.append(inner + geom(shape.mirrored() if flip else shape, origin, side))
    for child in model.segments:
        if child.parent != segment.name:
            continue
        for child_side in ("left", "right") if child.limb and not side else (side,):
            out += body(model, child, origin, child_side, depth + 1)
    out.append(pad + "</body>")
    return out


def mjcf(model):
    out = [f"<!-- {model.about}", "     Written by tools/make_characters.py. -->"]
    out += [f'<mujoco model="{model.name}">', '  <compiler angle="degree" inertiafromgeom="false"/>', "  <default>"]
    out += ['    <joint limited="true"/>']
    out += ['    <geom type="sphere" friction="0.8 0.005 0.0001" condim="3" solref="0.01 1"/>']
    for look, (rgba, collides) in model.looks.items():
        extra = "" if collides else ' contype="0" conaffinity="0" group="1"'
        out.append(f'    <default class="{look}"><geom rgba="{numbers(rgba)}"{extra}/></default>')
    out += ["  </default>", "  <worldbody>"]
    root = next(s for s in model.segments if not s.parent)
    out += body(model, root, (0, 0, 0), "", 2)
    out += ["  </worldbody>", "  <contact>"]
    out += [f'    <exclude body1="{a}" body2="{b}"/>' for a, b in model.excludes]
    out += ["  </contact>", "  <custom>"]
    out += [f'    <text name="servo:{name}" data="{data}"/>' for name, data in model.servos]
    out += ["  </custom>", "</mujoco>", ""]
    return "\n".join(out)


# ---------------------------------------------------------------- joints


def ball(name, lower, upper, **more):
    """A ball joint whose cone is no narrower than the box of its limits."""
    corner = math.sqrt(sum(max(abs(a), abs(b)) ** 2 for a, b in zip(lower, upper)))
    return (name, "ball", {"range": (0.0, float(min(corner, 180)))} | more), (lower, upper)


def hinge(name, axis, lower, upper, **more):
    return (name, "hinge", {"axis": tuple(map(float, axis)), "range": (float(lower), float(upper))} | more)


# Anatomical limits in degrees for the left side, about x (forward), y (left), z (up), from the T-pose.
LIMITS = {
    "waist": ((-45, -45, -60), (45, 100, 60)),
    "spine": ((-30, -30, -35), (30, 55, 35)),
    "neck": ((-50, -70, -85), (50, 75, 85)),
    "sternoclavicular": ((-25, -35, -40), (50, 35, 35)),
    "shoulder": ((-130, -140, -155), (150, 140, 100)),
    "elbow": ((-50, -100, -155), (50, 100, 0)),
    "wrist": ((-85, -85, -45), (80, 85, 45)),
    "hip": ((-40, -140, -60), (80, 50, 70)),
    "knee": ((-15, 0, -20), (15, 155, 20)),
    "ankle": ((-40, -40, -40), (40, 65, 40)),
}
TORQUES = {"waist": 300, "spine": 300, "neck": 60, "sternoclavicular": 120, "shoulder": 120, "elbow": 80,
           "wrist": 20, "hip": 300, "knee": 300, "ankle": 250, "toes": 50}


def limits_text(name):
    lower, upper = LIMITS[name]
    return f"lower={','.join(map(str, lower))} upper={','.join(map(str, upper))}"


def ball_joint(name):
    spec, _ = ball(name, *LIMITS[name])
    return spec


def ours(lateral, vertical, forward):
    """004 counts axes x lateral, y up, z forward: its long axes of arms, legs and feet show it."""
    return (forward, lateral, vertical)


# ---------------------------------------------------------------- the shape of a person


@dataclass
class Person:
    """Lengths in metres, after Winter's and de Leva's segment tables, for a stature of 1.70."""
    top: float = 1.70
    ankle: float = 0.08
    shin: float = 0.405
    thigh: float = 0.415
    hip_half: float = 0.088
    waist: float = 1.01
    chest: float = 1.17  # joint between abdomen and thorax where there is one
    neck: float = 1.46
    clavicle_y: float = 0.02
    shoulder_y: float = 0.175
    shoulder: float = 1.39
    upper_arm: float = 0.28
    lower_arm: float = 0.25
    hand: float = 0.175
    girth: float = 1.0  # of the trunk

    @property
    def knee(self):
        return self.ankle + self.shin

    @property
    def hip(self):
        return self.knee + self.thigh

    @property
    def elbow_y(self):
        return self.shoulder_y + self.upper_arm

    @property
    def wrist_y(self):
        return self.elbow_y + self.lower_arm


def across(look, p, height, half_width, r):
    """A capsule from side to side of the trunk; heights are 0 at the hips and 1 at the shoulders."""
    z = p.hip + height * (p.shoulder - p.hip)
    half = p.girth * (half_width - r)
    return capsule(look, (0, -half, z), (0, half, z), p.girth * r)


def swelling(p, height, half_height, half_width, half_depth, x=0.0):
    """A smooth piece of the trunk, for looks: collision is left to the capsules inside it."""
    rise = p.shoulder - p.hip
    return ellipsoid("soft", (x, 0, p.hip + height * rise),
                     (p.girth * half_depth, p.girth * half_width, half_height * rise))


def pelvis_shapes(p):
    buttocks = [sphere("skin", (-0.028, side * 0.06, p.hip - 0.014), 0.077 * p.girth) for side in (1, -1)]
    return [across("skin", p, 0.05, 0.148, 0.092), swelling(p, 0.05, 0.25, 0.163, 0.101)] + buttocks


def belly_shapes(p):
    return [across("skin", p, 0.36, 0.126, 0.085), swelling(p, 0.38, 0.44, 0.134, 0.092, 0.003)]


def chest_shapes(p):
    return [
        across("skin", p, 0.60, 0.128, 0.088),
        across("skin", p, 0.78, 0.146, 0.094),
        across("skin", p, 0.965, 0.16, 0.056),
        swelling(p, 0.74, 0.41, 0.165, 0.108),
    ]


def throat(p):
    return [capsule("skin", (-0.014, 0, p.shoulder), (-0.002, 0, p.neck + 0.015), 0.05)]


def head_shapes(p):
    z = p.top - 0.108
    eyes = [sphere("eye", (0.093, side * 0.031, z - 0.008), 0.01) for side in (1, -1)]
    return [
        capsule("skin", (0.014, 0, z - 0.06), (0.006, 0, z + 0.02), 0.078),
        ellipsoid("soft", (0.006, 0, z), (0.1, 0.08, 0.108)),
        ellipsoid("soft", (0.024, 0, z - 0.05), (0.073, 0.066, 0.084)),
        ellipsoid("soft", (0.1, 0, z - 0.036), (0.016, 0.011, 0.02)),
        capsule("skin", (-0.002, 0, p.neck), (0.004, 0, p.neck + 0.05), 0.048),
    ] + eyes


def clavicle_shapes(p):
    a = (-0.006, p.clavicle_y + 0.05, p.shoulder + 0.008)
    return [capsule("skin", a, (-0.002, p.shoulder_y - 0.012, p.shoulder + 0.004), 0.05)]


def upper_arm_shapes(p):
    y0, y1, z = p.shoulder_y, p.elbow_y, p.shoulder
    return [
        sphere("joint", (0, y0, z), 0.055),
        capsule("skin", (0, y0 + 0.02, z), (0, y1, z), 0.0405),
        ellipsoid("soft", (0.002, y0 + 0.12, z), (0.048, 0.155, 0.049)),
    ]


def lower_arm_shapes(p):
    y0, y1, z = p.elbow_y, p.wrist_y, p.shoulder
    return [
        sphere("joint", (0, y0, z), 0.043),
        capsule("skin", (0, y0 + 0.03, z), (0, y1, z), 0.0285),
        ellipsoid("soft", (0.001, y0 + 0.09, z), (0.0405, 0.135, 0.039)),
    ]


def hand_shapes(p):
    y0, z = p.wrist_y, p.shoulder
    tip = y0 + p.hand
    return [
        sphere("joint", (0, y0, z), 0.029),
        capsule("skin", (0.0, y0 + 0.035, z), (0.004, tip - 0.018, z), 0.018),
        ellipsoid("soft", (0.0, y0 + 0.055, z), (0.041, 0.052, 0.019)),
        ellipsoid("soft", (0.004, tip - 0.05, z), (0.036, 0.05, 0.014)),
        capsule("soft", (0.03, y0 + 0.035, z), (0.058, y0 + 0.085, z - 0.004), 0.0125),
    ]


def thigh_shapes(p):
    y, z0, z1 = p.hip_half, p.hip, p.knee
    return [
        sphere("joint", (0, y, z0), 0.077),
        capsule("skin", (0, y, z0 - 0.05), (0.002, y, z0 - 0.2), 0.068),
        capsule("skin", (0.002, y, z0 - 0.2), (0.004, y, z1), 0.0535),
        ellipsoid("soft", (0.003, y, z0 - 0.18), (0.079, 0.077, 0.245)),
    ]


def shin_shapes(p):
    y, z0, z1 = p.hip_half, p.knee, p.ankle
    return [
        sphere("joint", (0.004, y, z0), 0.057),
        capsule("skin", (-0.004, y, z0 - 0.04), (-0.006, y, z0 - 0.16), 0.046),
        capsule("skin", (-0.004, y, z0 - 0.16), (0, y, z1), 0.037),
        ellipsoid("soft", (-0.009, y, z0 - 0.13), (0.056, 0.053, 0.185)),
    ]


HEEL, BALL, TOE = 0.021, 0.019, 0.016  # radii of the spheres of the sole


# The tip of a shoe stands a little off the floor: one rolls over it, and standing rests on four points a foot.
TOE_SPRING = 0.003


def sole(p, toes=True):
    """Spheres that stand on the floor: heel and ball inside and outside, then the toe."""
    y = p.hip_half
    out = [
        sphere("sole", (-0.034, y - 0.02, HEEL), HEEL, "heel_inner"),
        sphere("sole", (-0.034, y + 0.02, HEEL), HEEL, "heel_outer"),
        sphere("sole", (0.132, y - 0.03, BALL), BALL, "ball_inner"),
        sphere("sole", (0.116, y + 0.038, BALL), BALL, "ball_outer"),
    ]
    return out + ([sphere("sole", (0.182, y - 0.006, TOE + TOE_SPRING), TOE, "toe")] if toes else [])


def shoe(p):
    y = p.hip_half
    return [
        sphere("joint", (0, y, p.ankle), 0.042),
        capsule("shoe", (-0.034, y - 0.02, HEEL), (0.132, y - 0.03, BALL), BALL),
        capsule("shoe", (-0.034, y + 0.02, HEEL), (0.116, y + 0.038, BALL), BALL),
        capsule("shoe", (-0.022, y, 0.042), (-0.004, y, 0.066), 0.036),
        capsule("shoe", (0.01, y, 0.056), (0.105, y + 0.002, 0.032), 0.031),
        ellipsoid("shoe", (0.06, y + 0.002, 0.03), (0.095, 0.044, 0.03)),
    ]


def toe_cap(p):
    y = p.hip_half
    return [
        capsule("shoe", (0.132, y - 0.03, BALL), (0.182, y - 0.012, TOE), 0.0165),
        capsule("shoe", (0.116, y + 0.038, BALL), (0.178, y + 0.006, TOE), 0.0165),
        ellipsoid("shoe", (0.138, y, 0.023), (0.06, 0.046, 0.022)),
    ]


def looks(skin, soft, joint, shoe, left, right):
    mix = lambda a, b, t: tuple(x * (1 - t) + y * t for x, y in zip(a, b))
    a = lambda c: (*c, 1.0)
    return {
        "skin": (a(skin), True),
        "soft": (a(soft), False),
        "eye": (a((0.13, 0.13, 0.15)), False),
        "joint": (a(joint), False),
        "joint_left": (a(mix(joint, left, 0.45)), False),
        "joint_right": (a(mix(joint, right, 0.45)), False),
        "shoe": (a(shoe), False),
        "shoe_left": (a(mix(shoe, left, 0.5)), False),
        "shoe_right": (a(mix(shoe, right, 0.5)), False),
        "sole_left": (a(mix(shoe, left, 0.5)), True),
        "sole_right": (a(mix(shoe, right, 0.5)), True),
    }


BLUE, RED = (0.16, 0.36, 0.62), (0.66, 0.27, 0.22)
SKIN = (0.87, 0.76, 0.65)


# ---------------------------------------------------------------- human50: 004, Tables 1 and 2


def human50():
    p = Person()
    z = p.shoulder
    y = p.hip_half
    segments = [
        Segment("pelvis", "", (0, 0, p.hip), [("root", "free", {})], 4.836, (-0.005, 0, p.hip + 0.04),
                ours(1.620e-2, 4.732e-2, 4.022e-2), pelvis_shapes(p)),
        Segment("thorax", "pelvis", (0, 0, p.waist), [ball_joint("waist")], 14.31, (0, 0, p.waist + 0.235),
                ours(1.300e-1, 1.601e-1, 2.122e-1),
                belly_shapes(p) + chest_shapes(p) + throat(p)),
        Segment("head", "thorax", (0, 0, p.neck), [ball_joint("neck")], 5.494, (0.012, 0, p.neck + 0.112),
                ours(3.441e-2, 2.210e-2, 3.441e-2), head_shapes(p)),
        Segment("clavicle", "thorax", (0, p.clavicle_y, z + 0.01), [ball_joint("sternoclavicular")], 2.399,
                (-0.01, 0.105, z), ours(5.062e-3, 8.265e-3, 8.265e-3), clavicle_shapes(p), True),
        Segment("upper_arm", "clavicle", (0, p.shoulder_y, z), [ball_joint("shoulder")], 1.814,
                (0, p.shoulder_y + 0.5 * p.upper_arm, z), ours(2.173e-3, 9.104e-3, 9.104e-3),
                upper_arm_shapes(p)),
        Segment("lower_arm", "upper_arm", (0, p.elbow_y, z), [ball_joint("elbow")], 1.526,
                (0, p.elbow_y + 0.457 * p.lower_arm, z), ours(1.640e-3, 6.753e-3, 6.753e-3),
                lower_arm_shapes(p)),
        Segment("hand", "lower_arm", (0, p.wrist_y, z), [ball_joint("wrist")], 0.4588,
                (0.002, p.wrist_y + 0.07, z), ours(3.766e-4, 1.597e-3, 1.274e-3), hand_shapes(p)),
        Segment("thigh", "pelvis", (0, y, p.hip), [ball_joint("hip")], 6.524, (0, y, p.hip - 0.41 * p.thigh),
                ours(8.714e-2, 1.709e-2, 8.714e-2), thigh_shapes(p), True),
        Segment("shin", "thigh", (0, y, p.knee), [hinge("knee", (0, 1, 0), 0, 155)], 4.612,
                (0, y, p.knee - 0.44 * p.shin), ours(5.565e-2, 8.931e-3, 5.565e-2), shin_shapes(p)),
        Segment("foot", "shin", (0, y, p.ankle), [ball_joint("ankle")], 1.612, (0.045, y, 0.038),
                ours(9.479e-3, 9.706e-3, 1.714e-3), shoe(p) + toe_cap(p) + sole(p)),
    ]
    # kp, kd, strength and window in the table's order of axes, contact scale.
    table = {
        "neck": (100, 10, (1.0, 0.4, 1.0), (0.2, 0.2, 0.2), 1),
        "sternoclavicular": (300, 30, (0.1, 1.0, 1.0), (0.1, 0.1, 0.1), 1),
        "shoulder": (100, 5, (0.2, 1.0, 1.0), (0.2, 0.2, 0.2), 3),
        "elbow": (100, 5, (0.2, 1.0, 1.0), (0.0, 0.0, 0.0), 3),
        "wrist": (20, 1, (0.1, 1.0, 1.0), (0.0, 0.0, 0.0), 5),
        "waist": (1000, 100, (0.4, 1.0, 1.0), (0.2, 0.2, 0.2), 1),
        "hip": (300, 30, (1.0, 0.2, 1.0), (0.4, 0.4, 0.1), 1),
        "knee": (300, 30, 1.0, 0.2, 1),
        "ankle": (100, 10, (1.0, 1.0, 0.5), (0.4, 0.2, 0.1), 5),
    }
    return Model("human50", "A human of 50 degrees of freedom, 62.5 kg, 1.70 m: masses, inertias and servo gains of "
                 "Liu et al. 2010, Tables 1 and 2.", segments, servos_of(table),
                 looks(SKIN, SKIN, (0.32, 0.31, 0.34), (0.22, 0.23, 0.27), BLUE, RED), human_excludes())


def servos_of(table):
    """Servo lines from a table in 004's order of axes."""
    out = []
    for name, (kp, kd, strength, window, scale) in table.items():
        text = f"kp={kp} kd={kd}"
        if isinstance(strength, tuple):
            text += " strength=" + ",".join(map(number, ours(*strength)))
            text += " window=" + ",".join(map(number, ours(*window)))
        else:
            text += f" strength={number(strength)} window={number(window)}"
        text += f" limit={TORQUES[name]}"
        if scale != 1:
            text += f" contact_scale={scale}"
        if isinstance(strength, tuple):
            text += " " + limits_text(name)
        out.append((name, text))
    return out


def human_excludes(abdomen=False, clavicle=True, head=True):
    out = [("left_thigh", "right_thigh")]
    for side in ("left", "right"):
        out.append(("thorax", f"{side}_thigh"))
        if clavicle:
            out += [("thorax", f"{side}_upper_arm")]
            if head:
                out += [("head", f"{side}_clavicle")]
        if abdomen:
            out += [("abdomen", f"{side}_thigh")]
    if clavicle:
        out.append(("left_clavicle", "right_clavicle"))
    if abdomen:
        out.append(("pelvis", "thorax"))
    return out


# ---------------------------------------------------------------- solids, where a table gives no inertia


def rod(mass, length, radius, axis):
    """A solid cylinder along axis 0, 1 or 2."""
    across = mass * (3 * radius**2 + length**2) / 12
    out = [across] * 3
    out[axis] = 0.5 * mass * radius**2
    return tuple(out)


def brick(mass, x, y, z):
    return (mass * (y * y + z * z) / 12, mass * (x * x + z * z) / 12, mass * (x * x + y * y) / 12)


def joined(parts):
    """Mass, centre and inertia of (mass, centre, inertia) together; all on the plane y = 0 and one vertical."""
    mass = sum(m for m, _, _ in parts)
    centre = tuple(sum(m * c[k] for m, c, _ in parts) / mass for k in range(3))
    inertia = [0.0] * 3
    for m, c, own in parts:
        d = minus(c, centre)
        for k in range(3):
            inertia[k] += own[k] + m * (sum(v * v for v in d) - d[k] ** 2)
    return mass, centre, tuple(inertia)


# ---------------------------------------------------------------- human57: 001, Table 3


def three_hinges(name, flexion, twist, tilt, armature=0.0):
    """A joint of three degrees of freedom as hinges: flexion first; the narrow one is in the middle, where a wide
    one would let the outer two become parallel."""
    more = {"armature": armature} if armature else {}
    return [hinge(name, *flexion, **more), hinge(name + "_tilt", *tilt, **more), hinge(name + "_twist", *twist, **more)]


def human57():
    p = Person(top=1.76, shin=0.42, thigh=0.43, waist=1.06, neck=1.515, shoulder=1.44, shoulder_y=0.18,
               upper_arm=0.29, lower_arm=0.255, hand=0.18, girth=1.04)
    y, z = p.hip_half, p.shoulder
    # The head is a part of the thorax: 4.8 of its 17.155 kg.
    head = (4.8, (0.012, 0, p.top - 0.12), (0.027, 0.027, 0.018))
    chest = (17.155 - 4.8, (0, 0, 1.29), brick(17.155 - 4.8, 0.2, 0.31, 0.42))
    mass, centre, inertia = joined([head, chest])
    centre = (centre[0], 0, centre[2])
    ball_x = 0.122
    knee = three_hinges("knee", ((0, 1, 0), 0, 155), ((0, 0, 1), -10, 10), ((1, 0, 0), -6, 6))
    elbow = three_hinges("elbow", ((0, 0, -1), 0, 155), ((0, 1, 0), -90, 90), ((1, 0, 0), -6, 6))
    toes = three_hinges("toes", ((0, 1, 0), -65, 35), ((0, 0, 1), -5, 5), ((1, 0, 0), -5, 5), 0.005)
    segments = [
        Segment("pelvis", "", (0, 0, p.hip), [("root", "free", {})], 12.92, (0, 0, p.hip + 0.07),
                brick(12.92, 0.19, 0.3, 0.25), pelvis_shapes(p)),
        Segment("thorax", "pelvis", (0, 0, p.waist), [ball_joint("waist")], mass, centre, inertia,
                belly_shapes(p) + chest_shapes(p) + throat(p) + head_shapes(p)),
        Segment("clavicle", "thorax", (0, p.clavicle_y, z + 0.01), [ball_joint("sternoclavicular")], 2.535,
                (-0.008, 0.11, z), rod(2.535, 0.17, 0.055, 1), clavicle_shapes(p), True),
        Segment("upper_arm", "clavicle", (0, p.shoulder_y, z), [ball_joint("shoulder")], 1.435,
                (0, p.shoulder_y + 0.5 * p.upper_arm, z), rod(1.435, p.upper_arm, 0.043, 1), upper_arm_shapes(p)),
        Segment("lower_arm", "upper_arm", (0, p.elbow_y, z), elbow, 0.575,
                (0, p.elbow_y + 0.5 * p.lower_arm, z), rod(0.575, p.lower_arm, 0.034, 1), lower_arm_shapes(p)),
        Segment("hand", "lower_arm", (0, p.wrist_y, z), [ball_joint("wrist")], 0.5,
                (0.002, p.wrist_y + 0.08, z), brick(0.5, 0.085, p.hand, 0.03), hand_shapes(p)),
        Segment("thigh", "pelvis", (0, y, p.hip), [ball_joint("hip")], 9.0853, (0, y, p.hip - 0.5 * p.thigh),
                rod(9.0853, p.thigh, 0.072, 2), thigh_shapes(p), True),
        Segment("shin", "thigh", (0, y, p.knee), knee, 3.944, (0, y, p.knee - 0.5 * p.shin),
                rod(3.944, p.shin, 0.05, 2), shin_shapes(p)),
        Segment("foot", "shin", (0, y, p.ankle), [ball_joint("ankle")], 1.0, (0.03, y, 0.04),
                brick(1.0, 0.17, 0.085, 0.07), shoe(p) + sole(p, toes=False)),
        Segment("toes", "foot", (ball_x, y, BALL), toes, 0.3, (0.155, y, 0.02), brick(0.3, 0.08, 0.085, 0.03),
                toe_cap(p) + [sphere("sole", (0.184, y - 0.022, TOE), TOE, "toe_inner"),
                              sphere("sole", (0.172, y + 0.022, TOE), TOE, "toe_outer")]),
    ]
    stiffness = {"hip": 4000, "knee": 4000, "ankle": 1000, "toes": 4000, "waist": 3000, "sternoclavicular": 4000,
                 "shoulder": 4000, "elbow": 3000, "wrist": 3000}
    servos = []
    for name, kp in stiffness.items():
        hinges = name in ("knee", "elbow", "toes")
        for joint_name in (name, name + "_tilt", name + "_twist") if hinges else (name,):
            servos.append((joint_name, f"kp={kp} limit={TORQUES[name]}" + ("" if hinges else " " + limits_text(name))))
    return Model("human57", "A human of 57 degrees of freedom, 68.8 kg, 1.76 m: masses and stiffness of da Silva et al. "
                 "2008, Table 3.", segments, servos,
                 looks((0.72, 0.76, 0.8), (0.72, 0.76, 0.8), (0.27, 0.3, 0.34), (0.24, 0.26, 0.3), BLUE, RED),
                 human_excludes(head=False) + [(f"{s}_shin", f"{s}_toes") for s in ("left", "right")])


# ---------------------------------------------------------------- biped18: 001, Table 2


def biped18():
    """Motion in the plane with a root in space: all joints turn about y. Arms hang, or they could not swing.

    Nothing could move it sideways, so nothing must push it there: both legs weigh and stand in the middle plane and pass
    through each other. They are only drawn side by side, on feet with outriggers.
    """
    ankle, shin, thigh, torso = 0.07, 0.42, 0.43, 0.47
    hip, knee = ankle + shin + thigh, ankle + shin
    top, shoulder = hip + torso + 0.27, hip + torso - 0.05
    waist = hip + 0.15
    upper_arm, lower_arm = 0.30, 0.29
    leg_y, arm_y, outrigger = 0.06, 0.208, 0.075
    # Pelvis and thorax weigh 10 kg together and have 0.176 kg m^2 about y through their common centre.
    pelvis_z, thorax_z = hip + 0.06, hip + 0.295
    pelvis_y = 0.0135
    thorax_y = 0.176 - pelvis_y - 4.0 * 6.0 / 10.0 * (thorax_z - pelvis_z) ** 2
    p = Person(top=top, ankle=ankle, shin=shin, thigh=thigh, hip_half=leg_y, waist=waist, neck=hip + torso + 0.01,
               shoulder=shoulder, shoulder_y=arm_y, girth=0.9)
    y_axis = (0, 1, 0)

    down = lambda shapes: hung(shapes, arm_y, shoulder)
    p.upper_arm, p.lower_arm, p.hand = upper_arm, 0.21, 0.13
    elbow = shoulder - upper_arm
    arm = lower_arm_shapes(p) + hand_shapes(p)
    for shape in arm:
        if shape.kind == "capsule" and shape.look == "skin" and shape.at[0][1] > p.wrist_y:
            shape.name = "hand"
    shoulders = capsule("soft", (-0.008, -arm_y + 0.02, shoulder), (-0.008, arm_y - 0.02, shoulder), 0.045)
    bar = lambda x: capsule("shoe", (x, -outrigger, 0.022), (x, outrigger, 0.022), 0.014)
    foot = [
        sphere("sole", (-0.045, -outrigger, 0.022), 0.022, "heel_inner"),
        sphere("sole", (-0.045, outrigger, 0.022), 0.022, "heel_outer"),
        sphere("sole", (0.155, -outrigger, 0.022), 0.022, "toe_inner"),
        sphere("sole", (0.155, outrigger, 0.022), 0.022, "toe_outer"),
        bar(-0.045),
        bar(0.155),
        sphere("joint", (0, leg_y, ankle), 0.042),
        box("shoe", (0.055, leg_y, 0.024), (0.118, 0.045, 0.02)),
        capsule("shoe", (-0.022, leg_y, 0.04), (0.08, leg_y, 0.032), 0.034),
    ]
    segments = [
        Segment("pelvis", "", (0, 0, hip), [("root", "free", {})], 4, (0, 0, pelvis_z), (0.028, pelvis_y, 0.032),
                pelvis_shapes(p)),
        Segment("thorax", "pelvis", (0, 0, waist), [hinge("waist", y_axis, -40, 90)], 6, (0, 0, thorax_z),
                (0.07, thorax_y, 0.06), belly_shapes(p) + chest_shapes(p) + throat(p) + [shoulders]),
        Segment("head", "thorax", (0, 0, p.neck), [hinge("neck", y_axis, -60, 60)], 3, (0, 0, 0.5 * (p.neck + top)),
                (0.011, 0.011, 0.008), head_shapes(p)),
        Segment("upper_arm", "thorax", (0, arm_y, shoulder), [hinge("shoulder", y_axis, -180, 70)], 2,
                (0, arm_y, shoulder - 0.5 * upper_arm), (0.022, 0.022, 0.002), down(upper_arm_shapes(p)), True),
        Segment("lower_arm", "upper_arm", (0, arm_y, elbow), [hinge("elbow", y_axis, -155, 0)], 1,
                (0, arm_y, elbow - 0.5 * lower_arm), (0.009, 0.009, 0.001), down(arm)),
        Segment("thigh", "pelvis", (0, 0, hip), [hinge("hip", y_axis, -140, 50)], 7, (0, 0, hip - 0.5 * thigh),
                (0.121, 0.121, 0.02), thigh_shapes(p), True),
        Segment("shin", "thigh", (0, 0, knee), [hinge("knee", y_axis, 0, 155)], 5, (0, 0, knee - 0.5 * shin),
                (0.077, 0.077, 0.008), shin_shapes(p)),
        Segment("foot", "shin", (0, 0, ankle), [hinge("ankle", y_axis, -40, 65)], 4, (0.055, 0, 0.035),
                (0.006, 0.019, 0.02), foot),
    ]
    legs = ("thigh", "shin", "foot")
    stiffness = {"neck": 3000, "shoulder": 4000, "elbow": 3000, "waist": 4000, "hip": 4000, "knee": 4000, "ankle": 4000}
    servos = [(name, f"kp={kp} limit={TORQUES[name]}") for name, kp in stiffness.items()]
    return Model("biped18", "A biped that moves in the plane, with a root in space, 18 degrees of freedom, 51 kg: masses, "
                 "inertias about y and stiffness of da Silva et al. 2008, Table 2.", segments, servos,
                 looks((0.9, 0.82, 0.6), (0.9, 0.82, 0.6), (0.36, 0.33, 0.26), (0.3, 0.28, 0.24), BLUE, RED),
                 human_excludes(clavicle=False) + [(f"left_{a}", f"right_{b}") for a in legs for b in legs
                                                   if (a, b) != ("thigh", "thigh")])


# ---------------------------------------------------------------- human45: 002, section 6


def human45():
    """14 bodies on ball joints. The paper names no masses: de Leva's fractions of 70 kg."""
    p = Person(top=1.75, shin=0.415, thigh=0.43, hip_half=0.09, waist=1.02, chest=1.19, neck=1.505, shoulder=1.43,
               shoulder_y=0.185, upper_arm=0.285, lower_arm=0.25, hand=0.175)
    y, z = p.hip_half, p.shoulder
    part = lambda percent: 0.7 * percent
    reach = p.lower_arm + 0.1
    arm = lower_arm_shapes(p) + hand_shapes(p)
    for shape in arm:
        if shape.kind == "capsule" and shape.look == "skin" and shape.at[0][1] > p.wrist_y:
            shape.name = "hand"
    # Without clavicles the shoulder's root belongs to the thorax.
    yokes = [s for c in clavicle_shapes(p) for s in (c, c.mirrored())]
    segments = [
        Segment("pelvis", "", (0, 0, p.hip), [("root", "free", {})], part(11.17), (-0.005, 0, p.hip + 0.03),
                brick(part(11.17), 0.19, 0.31, 0.17), pelvis_shapes(p)),
        Segment("abdomen", "pelvis", (0, 0, p.waist), [ball_joint("spine")], part(16.33), (0, 0, p.waist + 0.09),
                brick(part(16.33), 0.19, 0.28, 0.2), belly_shapes(p)),
        Segment("thorax", "abdomen", (0, 0, p.chest), [("chest",) + ball_joint("spine")[1:]], part(15.96),
                (0, 0, p.chest + 0.14), brick(part(15.96), 0.2, 0.32, 0.28),
                chest_shapes(p) + throat(p) + yokes),
        Segment("head", "thorax", (0, 0, p.neck), [ball_joint("neck")], part(6.94), (0.012, 0, p.neck + 0.12),
                (0.027, 0.027, 0.018), head_shapes(p)),
        Segment("upper_arm", "thorax", (0, p.shoulder_y, z), [ball_joint("shoulder")], part(2.71),
                (0, p.shoulder_y + 0.5 * p.upper_arm, z), rod(part(2.71), p.upper_arm, 0.045, 1),
                upper_arm_shapes(p), True),
        Segment("lower_arm", "upper_arm", (0, p.elbow_y, z), [ball_joint("elbow")], part(2.23),
                (0, p.elbow_y + 0.44 * reach, z), rod(part(2.23), reach, 0.036, 1), arm),
        Segment("thigh", "pelvis", (0, y, p.hip), [ball_joint("hip")], part(14.16), (0, y, p.hip - 0.41 * p.thigh),
                rod(part(14.16), p.thigh, 0.075, 2), thigh_shapes(p), True),
        Segment("shin", "thigh", (0, y, p.knee), [ball_joint("knee")], part(4.33), (0, y, p.knee - 0.44 * p.shin),
                rod(part(4.33), p.shin, 0.045, 2), shin_shapes(p)),
        Segment("foot", "shin", (0, y, p.ankle), [ball_joint("ankle")], part(1.37), (0.05, y, 0.036),
                brick(part(1.37), 0.25, 0.09, 0.07), shoe(p) + toe_cap(p) + sole(p)),
    ]
    servos = []
    for name in ("spine", "chest", "neck", "shoulder", "elbow", "hip", "knee", "ankle"):
        like = "spine" if name == "chest" else name
        servos.append((name, f"limit={TORQUES[like]} {limits_text(like)}"))
    return Model("human45", "A human of 45 degrees of freedom, 14 bodies on ball joints, 70 kg, 1.75 m, after Nunes et al. "
                 "2008, section 6; gains are derived from its inertias.", segments, servos,
                 looks((0.8, 0.68, 0.58), (0.8, 0.68, 0.58), (0.28, 0.34, 0.3), (0.22, 0.26, 0.24), BLUE, RED),
                 human_excludes(abdomen=True, clavicle=False) + [("head", "abdomen")])


# ---------------------------------------------------------------- robot35: 004, Table 3


def rounded(look, at, half, r):
    """An upright block with round edges, for looks."""
    (x, y, z), (a, b, c) = at, half
    out = [box(look, at, (a - r, b, c - 0.6 * r)), box(look, at, (a, b - r, c - 0.6 * r)), box(look, at, (a - r, b - r, c))]
    for i in (-1, 1):
        for j in (-1, 1):
            u, v = x + i * (a - r), y + j * (b - r)
            out.append(capsule(look, (u, v, z - c + r), (u, v, z + c - r), r))
        for k in (-1, 1):
            out.append(capsule(look, (x + i * (a - r), y - b + r, z + k * (c - r)),
                               (x + i * (a - r), y + b - r, z + k * (c - r)), r))
            out.append(capsule(look, (x - a + r, y + i * (b - r), z + k * (c - r)),
                               (x + a - r, y + i * (b - r), z + k * (c - r)), r))
    return out


def robot35():
    ankle, knee, hip, y = 0.085, 0.325, 0.575, 0.075
    neck, shoulder, arm_y = 0.965, 0.895, 0.17
    elbow_y, wrist_y = arm_y + 0.19, arm_y + 0.19 + 0.17
    trunk = (
        rounded("soft", (0.005, 0, 0.80), (0.085, 0.125, 0.135), 0.04)
        + rounded("grey", (0, 0, 0.645), (0.06, 0.085, 0.05), 0.03)
        + [
            box("shell", (0.005, 0, 0.80), (0.073, 0.113, 0.123)),
            # Round, so that it can roll on it, and broad, so that it does not fall off to a side.
            ellipsoid("shell", (-0.06, 0.028, 0.795), (0.12, 0.1, 0.19)),
            ellipsoid("shell", (-0.06, -0.028, 0.795), (0.12, 0.1, 0.19)),
            capsule("shell", (0, -0.05, hip + 0.01), (0, 0.05, hip + 0.01), 0.065),
            box("visor", (0.0875, 0, 0.86), (0.004, 0.05, 0.018)),
            ellipsoid("lamp", (0.09, 0.0, 0.77), (0.005, 0.014, 0.014)),
            cylinder("grey", (0, 0, 0.93), (0, 0, neck + 0.02), 0.045),
            cylinder("grey", (0, -arm_y + 0.03, shoulder), (0, arm_y - 0.03, shoulder), 0.042),
        ]
    )
    head = [
        ellipsoid("shell", (0.005, 0, 1.098), (0.098, 0.098, 0.102)),
        ellipsoid("visor", (0.032, 0, 1.098), (0.078, 0.082, 0.062)),
        cylinder("grey", (0, 0, neck), (0, 0, neck + 0.05), 0.042),
        cylinder("grey", (0.0, -0.102, 1.10), (0.0, 0.102, 1.10), 0.032),
    ]
    upper_arm = [
        sphere("shell", (0, arm_y, shoulder), 0.056),
        capsule("shell", (0, arm_y + 0.04, shoulder), (0, elbow_y - 0.045, shoulder), 0.041),
        sphere("mitt", (0, elbow_y, shoulder), 0.039),
    ]
    lower_arm = [
        cylinder("grey", (0, elbow_y, shoulder - 0.038), (0, elbow_y, shoulder + 0.038), 0.04),
        capsule("shell", (0, elbow_y + 0.045, shoulder), (0, wrist_y - 0.03, shoulder), 0.038),
    ]
    hand = [
        sphere("grey", (0, wrist_y, shoulder), 0.027),
        capsule("mitt", (0, wrist_y + 0.035, shoulder), (0.002, wrist_y + 0.095, shoulder), 0.02),
        ellipsoid("grey", (0, wrist_y + 0.045, shoulder), (0.038, 0.036, 0.021)),
        capsule("grey", (0.02, wrist_y + 0.05, shoulder), (0.022, wrist_y + 0.1, shoulder), 0.0125),
        capsule("grey", (-0.02, wrist_y + 0.05, shoulder), (-0.02, wrist_y + 0.092, shoulder), 0.0125),
        capsule("grey", (0.03, wrist_y + 0.025, shoulder), (0.052, wrist_y + 0.06, shoulder - 0.004), 0.011),
    ]
    thigh = rounded("soft", (0.004, y, 0.468), (0.062, 0.056, 0.085), 0.03) + [
        sphere("joint", (0, y, hip), 0.06),
        capsule("shell", (0, y, hip - 0.06), (0, y, knee), 0.05),
    ]
    shin = rounded("soft", (0.002, y, 0.208), (0.056, 0.05, 0.075), 0.028) + [
        cylinder("joint", (0, y - 0.052, knee), (0, y + 0.052, knee), 0.052),
        ellipsoid("soft", (0.03, y, knee - 0.004), (0.04, 0.046, 0.055)),
        capsule("shell", (0, y, knee - 0.06), (0, y, ankle + 0.04), 0.048),
    ]
    r = 0.018
    foot = [sphere("sole", (x, y + dy, r), r, name) for x, dy, name in (
        (-0.055, -0.038, "heel_inner"), (-0.055, 0.038, "heel_outer"),
        (0.088, -0.042, "ball_inner"), (0.088, 0.042, "ball_outer"), (0.125, 0.0, "toe"))]
    foot += rounded("shoe", (0.024, y, 0.034), (0.1, 0.06, 0.026), 0.02)
    foot += [ellipsoid("shoe", (0.085, y, 0.03), (0.058, 0.058, 0.028)),
             ellipsoid("soft", (0.03, y, 0.058), (0.075, 0.048, 0.032)), sphere("joint", (0, y, ankle), 0.04)]
    segments = [
        Segment("pelvis", "", (0, 0, hip), [("root", "free", {})], 19.5, (-0.025, 0, 0.775),
                brick(19.5, 0.22, 0.27, 0.36), trunk),
        Segment("head", "pelvis", (0, 0, neck), [hinge("neck", (0, 0, 1), -80, 80)], 3.0, (0.005, 0, 1.09),
                brick(3.0, 0.17, 0.17, 0.19), head),
        Segment("upper_arm", "pelvis", (0, arm_y, shoulder), [ball_joint("shoulder")], 1.6,
                (0, arm_y + 0.09, shoulder), rod(1.6, 0.2, 0.042, 1), upper_arm, True),
        Segment("lower_arm", "upper_arm", (0, elbow_y, shoulder), [hinge("elbow", (0, 0, -1), 0, 150)], 1.2,
                (0, elbow_y + 0.08, shoulder), rod(1.2, 0.18, 0.038, 1), lower_arm),
        Segment("hand", "lower_arm", (0, wrist_y, shoulder), [ball_joint("wrist")], 0.5,
                (0, wrist_y + 0.05, shoulder), brick(0.5, 0.08, 0.12, 0.05), hand),
        Segment("thigh", "pelvis", (0, y, hip), [ball_joint("hip")], 4.8, (0, y, hip - 0.11),
                rod(4.8, 0.26, 0.058, 2), thigh, True),
        Segment("shin", "thigh", (0, y, knee), [hinge("knee", (0, 1, 0), 0, 150)], 3.4, (0, y, knee - 0.11),
                rod(3.4, 0.25, 0.052, 2), shin),
        Segment("foot", "shin", (0, y, ankle), [ball_joint("ankle")], 2.0, (0.025, y, 0.04),
                brick(2.0, 0.21, 0.12, 0.06), foot),
    ]
    table = {
        "neck": (40, 4, 1.0, 0.0, 1),
        "shoulder": (100, 10, (0.15, 1.0, 1.0), (0.8, 0.8, 0.25), 3),
        "elbow": (100, 10, 1.0, 0.2, 3),
        "wrist": (10, 1, (0.1, 0.4, 1.0), (0.0, 0.0, 0.0), 3),
        "hip": (500, 50, (1.0, 0.2, 1.0), (0.8, 0.1, 0.4), 1),
        "knee": (300, 30, 1.0, 0.6, 1),
        "ankle": (200, 20, (1.0, 1.0, 0.5), (0.6, 0.6, 0.05), 3),
    }
    white, grey = (0.93, 0.94, 0.95), (0.42, 0.44, 0.47)
    styles = looks(white, white, grey, (0.85, 0.86, 0.88), BLUE, RED)
    styles = {k: v for k, v in styles.items() if k not in ("skin", "eye")}
    styles |= {"shell": ((*white, 1.0), True), "grey": ((*grey, 1.0), False), "mitt": ((*grey, 1.0), True),
               "visor": ((0.07, 0.08, 0.1, 1.0), False), "lamp": ((0.25, 0.7, 0.85, 1.0), False)}
    for side, tint in (("left", BLUE), ("right", RED)):
        blend = lambda base, t: tuple(u * (1 - t) + v * t for u, v in zip(base, tint))
        styles["shoe_" + side] = ((*blend((0.85, 0.86, 0.88), 0.12), 1.0), False)
        styles["sole_" + side] = ((*blend(grey, 0.3), 1.0), True)
    return Model("robot35", "A robot like Asimo of 35 degrees of freedom, 49.5 kg, 1.20 m: servo gains of Liu et al. 2010, "
                 "Table 3.", segments, servos_of(table), styles, [("left_thigh", "right_thigh")])


# ---------------------------------------------------------------- cheetah: a quadruped


# Where the joints of a cheetah that stands are: x forward from the hips, y to the left, z up, metres.
CHEETAH = {
    "pelvis": (0, 0, 0.68), "abdomen": (0.12, 0, 0.70), "thorax": (0.36, 0, 0.71),
    "neck": (0.73, 0, 0.70), "head": (0.89, 0, 0.83),
    "tail_base": (-0.11, 0, 0.71), "tail_middle": (-0.33, 0, 0.59), "tail_tip": (-0.56, 0, 0.49),
    "clavicle": (0.61, 0.055, 0.73), "upper_arm": (0.70, 0.075, 0.54), "lower_arm": (0.56, 0.075, 0.36),
    "hand": (0.595, 0.075, 0.09),
    "thigh": (0, 0.085, 0.66), "shin": (0.10, 0.085, 0.43), "foot": (-0.085, 0.085, 0.205),
    "toes": (-0.02, 0.085, 0.035),
}
PAD = 0.022  # radius of the balls of a paw


def paw(at_x, y):
    """What a paw stands on: the pad behind, the toes before it."""
    return [
        sphere("sole", (at_x, y, PAD), PAD, ""),
        sphere("sole", (at_x + 0.045, y - 0.014, PAD), PAD, ""),
        sphere("sole", (at_x + 0.045, y + 0.014, PAD), PAD, ""),
        ellipsoid("shoe", (at_x + 0.025, y, 0.026), (0.05, 0.033, 0.026)),
    ]


def slanted(look, a, b, thick, wide):
    """A swelling along the line between two points of a limb's plane."""
    dx, dz = b[0] - a[0], b[2] - a[2]
    middle = tuple(0.5 * (u + v) for u, v in zip(a, b))
    return Shape("ellipsoid", look, middle, (thick, wide, 0.5 * math.hypot(dx, dz) + 0.6 * thick), "",
                 math.degrees(math.atan2(dx, dz)))


def cheetah_spots():
    """Dark spots on the flanks, for looks, by the segment that carries them."""
    rows = {"thorax": ((0.42, 0.69), (0.5, 0.73), (0.49, 0.63), (0.58, 0.68), (0.66, 0.64), (0.56, 0.58)),
            "abdomen": ((0.17, 0.72), (0.24, 0.68), (0.31, 0.73), (0.3, 0.65)),
            "pelvis": ((-0.05, 0.73), (0.02, 0.75), (0.08, 0.71))}
    hull = {"thorax": (0.56, 0.64, 0.245, 0.11, 0.15), "abdomen": (0.25, 0.69, 0.20, 0.075, 0.092),
            "pelvis": (0.01, 0.68, 0.155, 0.095, 0.1)}
    out = {}
    for name, places in rows.items():
        x0, z0, a, b, c = hull[name]
        for x, z in places:
            y = b * math.sqrt(max(0.0, 1 - ((x - x0) / a) ** 2 - ((z - z0) / c) ** 2))
            out.setdefault(name, []).extend(ellipsoid("dark", (x, s * y, z), (0.021, 0.008, 0.017)) for s in (1, -1))
    return out


def cheetah_trunk():
    at, spots = CHEETAH, cheetah_spots()
    y_rod = lambda mass, length, radius: rod(mass, length, radius, 0)
    flank = [capsule("skin", (0.46, 0, 0.67), (0.70, 0, 0.65), 0.1), capsule("skin", (0.48, 0, 0.60), (0.64, 0, 0.59), 0.085),
             ellipsoid("soft", (0.56, 0, 0.64), (0.245, 0.11, 0.15))]
    skull = [
        capsule("skin", (0.90, 0, 0.85), (0.955, 0, 0.845), 0.062),
        capsule("skin", (0.98, 0, 0.825), (1.02, 0, 0.815), 0.038),
        ellipsoid("soft", (0.925, 0, 0.855), (0.088, 0.068, 0.07)),
        ellipsoid("dark", (1.058, 0, 0.822), (0.01, 0.014, 0.01)),
    ]
    for s in (1, -1):
        skull += [ellipsoid("soft", (0.885, s * 0.052, 0.912), (0.012, 0.022, 0.024)),
                  sphere("eye", (0.987, s * 0.034, 0.862), 0.012),
                  capsule("dark", (0.998, s * 0.032, 0.853), (1.03, s * 0.028, 0.812), 0.006)]
    tail_end = (-0.78, 0, 0.44)
    middle = lambda a, b: tuple(0.5 * (u + v) for u, v in zip(a, b))
    ends = {"tail_base": at["tail_middle"], "tail_middle": at["tail_tip"], "tail_tip": tail_end}
    tails = []
    for name, parent, mass, radius, look in (("tail_base", "pelvis", 0.5, 0.024, "skin"),
                                             ("tail_middle", "tail_base", 0.3, 0.021, "skin"),
                                             ("tail_tip", "tail_middle", 0.15, 0.02, "dark_skin")):
        tails.append(Segment(name, parent, at[name], [joint_of(name)], mass, middle(at[name], ends[name]),
                             y_rod(mass, 0.25, radius), [capsule(look, at[name], ends[name], radius)]))
    return [
        Segment("pelvis", "", at["pelvis"], [("root", "free", {})], 5.65, (0.01, 0, 0.68), y_rod(5.65, 0.26, 0.09),
                [capsule("skin", (-0.06, 0, 0.685), (0.09, 0, 0.69), 0.082),
                 ellipsoid("soft", (0.01, 0, 0.68), (0.155, 0.095, 0.1))] + spots["pelvis"]),
        Segment("abdomen", "pelvis", at["abdomen"], [joint_of("lumbar")], 7.0, (0.25, 0, 0.69),
                y_rod(7.0, 0.26, 0.09), [capsule("skin", (0.17, 0, 0.71), (0.34, 0, 0.705), 0.05),
                                        ellipsoid("soft", (0.25, 0, 0.69), (0.20, 0.075, 0.092))] + spots["abdomen"]),
        Segment("thorax", "abdomen", at["thorax"], [joint_of("chest")], 12.0, (0.56, 0, 0.64),
                y_rod(12.0, 0.42, 0.115), flank + spots["thorax"]),
        Segment("neck", "thorax", at["neck"], [joint_of("neck")], 2.2, (0.81, 0, 0.765), (0.006, 0.009, 0.007),
                [capsule("skin", (0.74, 0, 0.70), (0.87, 0, 0.82), 0.06), slanted("soft", (0.68, 0, 0.66), (0.89, 0, 0.84), 0.082, 0.07)]),
        Segment("head", "neck", at["head"], [joint_of("skull")], 2.0, (0.94, 0, 0.845), (0.004, 0.007, 0.007), skull),
    ] + tails


def cheetah_legs():
    at = CHEETAH
    y = at["upper_arm"][1]
    between = lambda a, b, t: tuple(u * (1 - t) + v * t for u, v in zip(a, b))
    hand_tip, toe_x, hind_y = (0.64, y, 0.03), at["toes"][0] - 0.002, at["thigh"][1]
    return [
        Segment("clavicle", "thorax", at["clavicle"], [joint_of("scapula")], 1.2,
                between(at["clavicle"], at["upper_arm"], 0.5), rod(1.2, 0.22, 0.05, 2),
                [slanted("soft", (0.60, 0.068, 0.71), (0.685, 0.082, 0.55), 0.07, 0.045)], True),
        Segment("upper_arm", "clavicle", at["upper_arm"], [joint_of("shoulder")], 1.2,
                between(at["upper_arm"], at["lower_arm"], 0.42), rod(1.2, 0.23, 0.045, 2),
                [capsule("skin", at["upper_arm"], at["lower_arm"], 0.038),
                 slanted("soft", (0.69, y, 0.53), (0.58, y, 0.385), 0.06, 0.045)]),
        Segment("lower_arm", "upper_arm", at["lower_arm"], [joint_of("elbow")], 0.6,
                between(at["lower_arm"], at["hand"], 0.42), rod(0.6, 0.27, 0.027, 2),
                [capsule("skin", at["lower_arm"], at["hand"], 0.024),
                 slanted("soft", (0.56, y, 0.36), (0.583, y, 0.18), 0.037, 0.034)]),
        Segment("hand", "lower_arm", at["hand"], [joint_of("wrist")], 0.25, (0.62, y, 0.05), brick(0.25, 0.09, 0.06, 0.1),
                [capsule("soft", at["hand"], hand_tip, 0.025)] + paw(0.612, y)),
        Segment("thigh", "pelvis", at["thigh"], [joint_of("hip")], 2.8, between(at["thigh"], at["shin"], 0.42),
                rod(2.8, 0.26, 0.06, 2),
                [capsule("skin", (0.015, hind_y, 0.62), (0.09, hind_y, 0.45), 0.05),
                 slanted("soft", (-0.01, hind_y, 0.67), (0.085, hind_y, 0.455), 0.095, 0.055)], True),
        Segment("shin", "thigh", at["shin"], [joint_of("knee")], 1.1, between(at["shin"], at["foot"], 0.4),
                rod(1.1, 0.29, 0.033, 2),
                [capsule("skin", at["shin"], at["foot"], 0.024),
                 slanted("soft", (0.10, hind_y, 0.43), (-0.02, hind_y, 0.285), 0.046, 0.038)]),
        Segment("foot", "shin", at["foot"], [joint_of("ankle")], 0.3, between(at["foot"], at["toes"], 0.5),
                rod(0.3, 0.18, 0.022, 2), [capsule("soft", at["foot"], at["toes"], 0.022)]),
        Segment("toes", "foot", at["toes"], [joint_of("toes")], 0.15, (toe_x + 0.025, hind_y, 0.025),
                brick(0.15, 0.1, 0.06, 0.04), paw(toe_x, hind_y)),
    ]


# Limits in degrees from the standing animal, armature, then the servo: kp, kd, strength, window, torque, contact
# scale. One number is a hinge about y (flexion of spine, neck and knee +, of elbow and hock -), three a ball's x, y, z.
CHEETAH_JOINTS = {
    "lumbar": ((-20, -40, -25), (20, 50, 25), 0, 1000, 50, (1, 1, 1), (0.05, 0.2, 0.05), 400, 1),
    "chest": ((-20, -40, -25), (20, 50, 25), 0, 1000, 50, (1, 1, 1), (0.05, 0.2, 0.05), 400, 1),
    "neck": ((-35, -60, -50), (35, 60, 50), 0, 200, 12, (1, 1, 1), (0.1, 0.1, 0.1), 100, 1),
    "skull": ((-35, -60, -50), (35, 60, 50), 0, 60, 3, (1, 1, 1), (0, 0, 0), 40, 1),
    "tail_base": ((-40, -50, -60), (40, 80, 60), 0.004, 25, 1.2, (1, 1, 1), (0.1, 0.2, 0.2), 30, 1),
    "tail_middle": ((-40, -60, -60), (40, 60, 60), 0.004, 12, 0.6, (1, 1, 1), (0, 0, 0), 15, 1),
    "tail_tip": ((-40, -60, -60), (40, 60, 60), 0.004, 5, 0.25, (1, 1, 1), (0, 0, 0), 8, 1),
    "scapula": (-50, 50, 0, 800, 30, 1, 0.2, 300, 1),
    "shoulder": ((-45, -90, -30), (45, 90, 30), 0, 500, 20, (1, 1, 0.4), (0.1, 0.4, 0.1), 250, 1),
    "elbow": (-110, 44, 0.002, 400, 12, 1, 0.2, 200, 1),
    "wrist": ((-20, -75, -20), (20, 150, 20), 0.003, 100, 2, (0.5, 1, 0.5), (0, 0.2, 0), 100, 3),
    "hip": ((-35, -85, -35), (50, 85, 35), 0, 800, 30, (1, 1, 0.4), (0.1, 0.4, 0.1), 350, 1),
    "knee": (-61, 95, 0, 500, 15, 1, 0.2, 300, 1),
    "ankle": (-90, 60, 0.002, 300, 6, 1, 0.2, 200, 1),
    "toes": ((-20, -110, -20), (20, 80, 20), 0.003, 60, 1.2, (0.5, 1, 0.5), (0, 0.1, 0), 80, 3),
}


def joint_of(name):
    lower, upper, armature = CHEETAH_JOINTS[name][:3]
    more = {"armature": armature} if armature else {}
    if isinstance(lower, tuple):
        return ball(name, lower, upper, **more)[0]
    return hinge(name, (0, 1, 0), lower, upper, **more)


def cheetah_servos():
    out = []
    words = lambda values: ",".join(map(number, values)) if isinstance(values, tuple) else number(values)
    for name, (lower, upper, _, kp, kd, strength, window, limit, scale) in CHEETAH_JOINTS.items():
        text = f"kp={kp} kd={number(kd)} strength={words(strength)} window={words(window)} limit={limit}"
        text += f" contact_scale={scale}" if scale != 1 else ""
        text += f" lower={words(lower)} upper={words(upper)}" if isinstance(lower, tuple) else ""
        out.append((name, text))
    return out


def cheetah():
    """45 kg, 0.77 m at the withers: lengths and masses in round figures after Hudson et al. 2011 (docs/characters.md)."""
    excludes = [("left_thigh", "right_thigh"), ("pelvis", "thorax"), ("thorax", "head"), ("left_upper_arm", "right_upper_arm")]
    for side in ("left", "right"):
        for trunk in ("thorax", "neck", "abdomen"):
            excludes.append((trunk, f"{side}_upper_arm"))
        excludes += [("thorax", f"{side}_lower_arm"), ("abdomen", f"{side}_thigh"), (f"{side}_shin", f"{side}_toes"),
                     ("tail_base", f"{side}_thigh")]
    tawny = (0.86, 0.68, 0.4)
    styles = looks(tawny, tawny, (0.5, 0.38, 0.22), (0.9, 0.8, 0.62), BLUE, RED)
    styles = {k: v for k, v in styles.items() if not k.startswith("joint")}
    styles |= {"dark": ((0.16, 0.13, 0.1, 1.0), False), "dark_skin": ((0.16, 0.13, 0.1, 1.0), True)}
    return Model("cheetah", "A cheetah-like quadruped of 45 kg, 0.77 m at the withers. Forelegs are arms, hind legs legs, the paws "
                 "hands and toes.", cheetah_trunk() + cheetah_legs(), cheetah_servos(), styles, excludes)


# ---------------------------------------------------------------- the figures of 003, Figure 3


@dataclass
class Figure:
    """A row of Hodgins and Pollard 1997, Figure 3: kg, m, kg m^2 about the lateral axis, standing. The man's numbers
    are those of the others, divided by their factors. The slacks say how far the centre of the torso is moved from where the inertias
    would have it exactly, so that its own inertia is one that a torso can have; the figure's numbers hold within 3 %."""
    head: float
    torso: float
    pelvis: float
    leg: float
    arm: float
    height: float
    leg_length: float  # hip to ankle
    arm_length: float  # shoulder to wrist
    hip_spacing: float
    leg_hip: float  # inertia of a leg about the hip
    body_ankle: float  # of all but the feet about the ankles
    body_hip: float  # of all but the legs about the hips
    ankle_slack: float = 1.0
    hip_slack: float = 1.0


FIGURES = {
    "man": Figure(5.80, 26.85, 13.42, 10.76, 3.81, 1.79, 0.75, 0.495, 0.195, 2.04, 77.0, 10.97, 0.98),
    "woman": Figure(4.22, 17.62, 11.08, 8.32, 2.51, 1.63, 0.68, 0.50, 0.15, 1.17, 45.40, 6.50, 0.97),
    "child": Figure(5.63, 8.47, 3.71, 2.98, 1.20, 1.08, 0.39, 0.29, 0.13, 0.13, 10.10, 2.26, 0.98),
    "runner": Figure(5.98, 12.55, 9.51, 6.84, 2.38, 1.64, 0.72, 0.55, 0.17, 1.58, 36.55, 5.16, 1.03),
    "cyclist": Figure(7.19, 28.95, 7.89, 5.03, 2.70, 1.74, 0.70, 0.54, 0.22, 0.48, 74.80, 17.67, 1.03, 0.97),
}
FIGURE_LOOKS = {
    "man": ("A man", (0.72, 0.62, 0.53), (0.30, 0.33, 0.38)),
    "woman": ("A woman", (0.80, 0.66, 0.56), (0.42, 0.28, 0.36)),
    "child": ("A child", (0.84, 0.70, 0.58), (0.34, 0.42, 0.28)),
    "runner": ("An imaginary runner", (0.62, 0.74, 0.66), (0.22, 0.34, 0.32)),
    "cyclist": ("An imaginary cyclist", (0.70, 0.66, 0.80), (0.30, 0.26, 0.40)),
}
# Largest torques of a joint's flexion, tilt and twist for the man, N m; others have as much less as weight times leg length.
FIGURE_TORQUES = {"waist": (300, 300, 200), "neck": (60, 60, 40), "shoulder": (120, 120, 60), "elbow": (80,), "wrist": (20,),
                  "hip": (300, 300, 150), "knee": (300,), "ankle": (300, 100), "toes": (50,)}


def scaled(shapes, factor, about):
    """Shapes larger by a factor, about a point."""
    move = lambda p: tuple(c + factor * (x - c) for x, c in zip(p, about))
    return [Shape(s.kind, s.look, tuple(map(move, s.at)) if isinstance(s.at[0], tuple) else move(s.at),
                  tuple(factor * v for v in s.size), s.name, s.pitch) for s in shapes]


def hung(shapes, shoulder_y, shoulder):
    """Shapes of an arm in T-pose, hung down from the shoulder."""
    turn = lambda q: (q[0], shoulder_y + (q[2] - shoulder), shoulder - (q[1] - shoulder_y))
    out = []
    for s in shapes:
        at = tuple(map(turn, s.at)) if isinstance(s.at[0], tuple) else turn(s.at)
        size = (s.size[0], s.size[2], s.size[1]) if s.kind == "ellipsoid" else s.size
        out.append(Shape(s.kind, s.look, at, size, s.name))
    return out


def leg_split(f, thigh, shin, size):
    """Masses of thigh, shin, foot and toes that have the figure's inertia about the hip: the lower leg weighs a common
    factor more or less than a quarter of the leg, the thigh has the rest."""
    def split(factor):
        low = [factor * part * f.leg for part in (0.255, 0.09, 0.025)]
        return [f.leg - sum(low)] + low

    def inertia(factor):
        m = split(factor)
        return (m[0] * ((0.433 * thigh) ** 2 + (0.29 * thigh) ** 2)
                + m[1] * ((thigh + 0.433 * shin) ** 2 + (0.29 * shin) ** 2)
                + m[2] * ((f.leg_length + 0.045 * size) ** 2 + (0.045 * size) ** 2 + (0.05 * size) ** 2)
                + m[3] * ((f.leg_length + 0.06 * size) ** 2 + (0.15 * size) ** 2))

    low, high = 0.1, 2.6
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if inertia(middle) < f.leg_hip else (low, middle)
    return split(low)


def torso_of(f, hip, legs, thigh, shin, others):
    """Height above the hips of the torso's centre and its inertia about the lateral axis, from those of the body. `others`
    are (mass, height above the hips, own inertia) of all else above the hips."""
    leg = f.leg_length
    upper = f.torso + sum(m for m, _, _ in others)
    below = 2 * (legs[0] * ((leg - 0.433 * thigh) ** 2 + (0.29 * thigh) ** 2)
                 + legs[1] * ((0.567 * shin) ** 2 + (0.29 * shin) ** 2))
    body_hip = f.hip_slack * f.body_hip
    moment = (f.ankle_slack * f.body_ankle - below - body_hip - upper * leg**2) / (2 * leg)
    centre = (moment - sum(m * z for m, z, _ in others)) / f.torso
    return centre, body_hip - sum(m * z * z + own for m, z, own in others) - f.torso * centre**2


def figure(name):
    f, man = FIGURES[name], FIGURES["man"]
    size, head_size = f.height / man.height, (f.head / man.head) ** (1 / 3)
    leg_size, arm_size = f.leg_length / man.leg_length, (f.arm / man.arm) ** (1 / 3)
    trunk_size = (f.torso / man.torso) ** 0.4
    ankle = 0.08 * size
    hip = ankle + f.leg_length
    neck = f.height - 0.25 * head_size
    shoulder, waist = neck - 0.07 * size, hip + 0.22 * (neck - hip)
    thigh = 0.507 * f.leg_length
    shin = f.leg_length - thigh
    upper_arm = 0.545 * f.arm_length
    lower_arm, hand = f.arm_length - upper_arm, 0.18 * arm_size
    y, arm_y = 0.5 * f.hip_spacing, 0.205 * trunk_size
    knee, elbow = hip - thigh, shoulder - upper_arm
    wrist = elbow - lower_arm

    # Who weighs what, and where; arms hang.
    legs = leg_split(f, thigh, shin, size)
    arms = [0.55 * f.arm, 0.33 * f.arm, 0.12 * f.arm]
    own_head = f.head * (0.09 * head_size) ** 2
    own_pelvis = f.pelvis * (0.09 * size) ** 2
    centres = [shoulder - 0.45 * upper_arm, elbow - 0.43 * lower_arm, wrist - 0.04 * size]
    pelvis_z, head_z = hip + 0.13 * (neck - hip), f.height - 0.125 * head_size
    own_arm = [arms[0] * (0.29 * upper_arm) ** 2, arms[1] * (0.28 * lower_arm) ** 2, arms[2] * (0.25 * hand) ** 2]
    others = [(f.head, head_z - hip, own_head), (f.pelvis, pelvis_z - hip, own_pelvis)]
    others += 2 * [(m, z - hip, own) for m, z, own in zip(arms, centres, own_arm)]
    torso_z, own_torso = torso_of(f, hip, legs, thigh, shin, others)
    width, depth = 0.32 * trunk_size, 0.2 * trunk_size
    torso_inertia = (own_torso + f.torso * (width**2 - depth**2) / 12, own_torso, f.torso * (width**2 + depth**2) / 12)

    # Looks: the shapes of a person of the man's size, limb by limb larger or smaller.
    def person(by):
        return Person(top=f.height / by, ankle=ankle / by, shin=shin / by, thigh=thigh / by, hip_half=y / by, waist=waist / by,
                      neck=neck / by, shoulder_y=arm_y / by, shoulder=shoulder / by, upper_arm=upper_arm / by,
                      lower_arm=lower_arm / by, hand=hand / by)

    def shapes(of, by):
        return scaled(of(person(by)), by, (0, 0, 0))

    arm = lambda of: hung(shapes(of, arm_size), arm_y, shoulder)
    yokes = [s for c in shapes(clavicle_shapes, trunk_size) for s in (c, c.mirrored())]
    trunk = shapes(lambda p: belly_shapes(p) + chest_shapes(p) + throat(p), trunk_size) + yokes
    head = scaled(head_shapes(Person(top=f.height, neck=f.height - 0.25)), head_size, (0, 0, f.height))
    toe = lambda p: toe_cap(p) + [sphere("sole", (0.184, p.hip_half - 0.022, TOE + TOE_SPRING), TOE, "toe_inner"),
                                  sphere("sole", (0.172, p.hip_half + 0.022, TOE + TOE_SPRING), TOE, "toe_outer")]
    flexion, tilt, twist = (0, 1, 0), (1, 0, 0), (0, 0, 1)
    three = lambda name, a, b, c: three_hinges(name, (flexion, *a), (twist, *c), (tilt, *b))
    slim = lambda m, z, own: (own, own, 0.12 * own)
    segments = [
        Segment("pelvis", "", (0, 0, hip), [("root", "free", {})], f.pelvis, (0, 0, pelvis_z),
                (1.3 * own_pelvis, own_pelvis, 1.3 * own_pelvis), shapes(pelvis_shapes, trunk_size)),
        Segment("thorax", "pelvis", (0, 0, waist), three("waist", (-40, 80), (-40, 40), (-45, 45)), f.torso,
                (0, 0, hip + torso_z), torso_inertia, trunk),
        Segment("head", "thorax", (0, 0, neck), three("neck", (-60, 60), (-45, 45), (-75, 75)), f.head,
                (0.01 * head_size, 0, head_z), (own_head, own_head, 0.7 * own_head), head),
        Segment("upper_arm", "thorax", (0, arm_y, shoulder), three("shoulder", (-170, 70), (-10, 100), (-80, 80)), arms[0],
                (0, arm_y, centres[0]), slim(arms[0], upper_arm, own_arm[0]), arm(upper_arm_shapes), True),
        Segment("lower_arm", "upper_arm", (0, arm_y, elbow), [hinge("elbow", flexion, -150, 0)], arms[1],
                (0, arm_y, centres[1]), slim(arms[1], lower_arm, own_arm[1]), arm(lower_arm_shapes)),
        Segment("hand", "lower_arm", (0, arm_y, wrist), [hinge("wrist", tilt, -70, 70)], arms[2], (0, arm_y, centres[2]),
                (own_arm[2], own_arm[2], 0.4 * own_arm[2]), arm(hand_shapes)),
        Segment("thigh", "pelvis", (0, y, hip), three("hip", (-130, 40), (-30, 50), (-45, 45)), legs[0],
                (0, y, hip - 0.433 * thigh), slim(legs[0], thigh, legs[0] * (0.29 * thigh) ** 2), shapes(thigh_shapes, leg_size), True),
        Segment("shin", "thigh", (0, y, knee), [hinge("knee", flexion, 0, 150)], legs[1], (0, y, knee - 0.433 * shin),
                slim(legs[1], shin, legs[1] * (0.29 * shin) ** 2), shapes(shin_shapes, leg_size)),
        Segment("foot", "shin", (0, y, ankle), [hinge("ankle", flexion, -40, 60), hinge("ankle_tilt", tilt, -30, 30)], legs[2],
                (0.045 * size, y, ankle - 0.045 * size),
                tuple(legs[2] * (k * size) ** 2 for k in (0.03, 0.05, 0.055)), shapes(lambda p: shoe(p) + sole(p, toes=False), size)),
        Segment("toes", "foot", (0.122 * size, y, BALL * size), [hinge("toes", flexion, -65, 35)], legs[3],
                (0.15 * size, y, ankle - 0.06 * size), tuple(legs[3] * (k * size) ** 2 for k in (0.025, 0.025, 0.03)),
                shapes(toe, size)),
    ]
    weight = lambda g: g.head + g.torso + g.pelvis + 2 * g.leg + 2 * g.arm
    weak = weight(f) * f.leg_length / (weight(man) * man.leg_length)
    servos = [(joint_name + suffix, f"limit={number(weak * limit)}") for joint_name, limits in FIGURE_TORQUES.items()
              for suffix, limit in zip(("", "_tilt", "_twist"), limits)]
    who, skin, dark = FIGURE_LOOKS[name]
    excludes = human_excludes(clavicle=False) + [(f"{s}_shin", f"{s}_toes") for s in ("left", "right")]
    excludes += [("pelvis", f"{s}_{part}") for s in ("left", "right") for part in ("lower_arm", "hand")]
    excludes += [(f"{s}_thigh", f"{s}_{part}") for s in ("left", "right") for part in ("lower_arm", "hand")]
    return Model(name, f"{who} of 17 segments and 30 controlled degrees of freedom, {weight(f):.1f} kg, {f.height:.2f} m: "
                 "Hodgins and Pollard 1997, Figure 3.", segments, servos, looks(skin, skin, dark, dark, BLUE, RED), excludes)


# ----------------------------------------------------------------


def main():
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else
                          pathlib.Path(__file__).resolve().parent.parent / "assets" / "characters")
    models = [make() for make in (human50, human57, human45, biped18, robot35, cheetah)]
    for model in models + [figure(name) for name in FIGURES]:
        (folder / f"{model.name}.xml").write_text(mjcf(model))


if __name__ == "__main__":
    main()
