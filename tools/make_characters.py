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
    look = shape.look + (f"_{side}" if side and shape.look in ("joint", "shoe") else "")
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


def pelvis_shapes(p):
    z = p.hip
    return [
        capsule("skin", (-0.005, -0.062, z + 0.03), (-0.005, 0.062, z + 0.03), 0.096),
        sphere("skin", (-0.035, 0.06, z - 0.015), 0.082),
        sphere("skin", (-0.035, -0.06, z - 0.015), 0.082),
    ]


def belly_shapes(p, low, high):
    mid = 0.5 * (low + high)
    return [ellipsoid("skin", (0.002, 0, mid), (0.096, 0.132, 0.5 * (high - low) + 0.07))]


def chest_shapes(p, low):
    top = p.shoulder
    mid = 0.5 * (low + top) + 0.02
    return [
        ellipsoid("skin", (-0.002, 0, mid), (0.112, 0.158, 0.5 * (top - low) + 0.055)),
        capsule("skin", (-0.01, -0.105, top - 0.012), (-0.01, 0.105, top - 0.012), 0.06),
        capsule("skin", (-0.012, 0, top), (0.0, 0, p.neck + 0.015), 0.05),
    ]


def head_shapes(p):
    z = p.top - 0.122
    return [
        ellipsoid("skin", (0.012, 0, z), (0.096, 0.077, 0.122)),
        ellipsoid("skin", (0.028, 0, z - 0.055), (0.068, 0.056, 0.066)),
        ellipsoid("feature", (0.105, 0, z - 0.022), (0.016, 0.011, 0.02)),
        ellipsoid("joint", (0.075, 0, z + 0.014), (0.034, 0.058, 0.017)),
        capsule("joint", (0.0, 0, p.neck), (0.004, 0, p.neck + 0.05), 0.046),
    ]


def clavicle_shapes(p):
    a = (-0.008, p.clavicle_y + 0.05, p.shoulder + 0.012)
    return [capsule("skin", a, (-0.004, p.shoulder_y - 0.012, p.shoulder + 0.004), 0.05)]


def upper_arm_shapes(p):
    y0, y1, z = p.shoulder_y, p.elbow_y, p.shoulder
    return [
        sphere("joint", (0, y0, z), 0.056),
        capsule("skin", (0, y0 + 0.03, z), (0, y1 - 0.01, z), 0.043),
        ellipsoid("soft", (0.004, y0 + 0.13, z), (0.048, 0.105, 0.049)),
    ]


def lower_arm_shapes(p):
    y0, y1, z = p.elbow_y, p.wrist_y, p.shoulder
    return [
        sphere("joint", (0, y0, z), 0.043),
        capsule("skin", (0, y0 + 0.03, z), (0, y1 - 0.012, z), 0.031),
        ellipsoid("soft", (0.002, y0 + 0.09, z), (0.041, 0.088, 0.039)),
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
        sphere("joint", (0, y, z0), 0.078),
        capsule("skin", (0, y, z0 - 0.03), (0.002, y - 0.002, z1 + 0.02), 0.06),
        ellipsoid("soft", (0.003, y + 0.002, z0 - 0.14), (0.079, 0.076, 0.175)),
        ellipsoid("soft", (0.003, y, z0 - 0.25), (0.067, 0.063, 0.15)),
    ]


def shin_shapes(p):
    y, z0, z1 = p.hip_half, p.knee, p.ankle
    return [
        sphere("joint", (0.004, y, z0), 0.057),
        capsule("skin", (0.0, y, z0 - 0.03), (0, y, z1 + 0.02), 0.041),
        ellipsoid("soft", (-0.014, y, z0 - 0.12), (0.054, 0.053, 0.125)),
    ]


HEEL, BALL, TOE = 0.021, 0.019, 0.016  # radii of the spheres of the sole


def sole(p, toes=True):
    """Spheres that stand on the floor: heel and ball inside and outside, then the toe."""
    y = p.hip_half
    out = [
        sphere("sole", (-0.034, y - 0.02, HEEL), HEEL, "heel_inner"),
        sphere("sole", (-0.034, y + 0.02, HEEL), HEEL, "heel_outer"),
        sphere("sole", (0.132, y - 0.03, BALL), BALL, "ball_inner"),
        sphere("sole", (0.116, y + 0.038, BALL), BALL, "ball_outer"),
    ]
    return out + ([sphere("sole", (0.182, y - 0.006, TOE), TOE, "toe")] if toes else [])


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
        "feature": (a(mix(skin, (0.75, 0.45, 0.35), 0.35)), False),
        "joint": (a(joint), False),
        "joint_left": (a(mix(joint, left, 0.45)), False),
        "joint_right": (a(mix(joint, right, 0.45)), False),
        "shoe": (a(shoe), False),
        "shoe_left": (a(mix(shoe, left, 0.5)), False),
        "shoe_right": (a(mix(shoe, right, 0.5)), False),
        "sole": (a((0.16, 0.16, 0.18)), True),
    }


BLUE, RED = (0.16, 0.36, 0.62), (0.66, 0.27, 0.22)
SKIN = (0.87, 0.76, 0.65)


# ---------------------------------------------------------------- human50: 004, Tables 1 and 2


def human50():
    p = Person()
    z = p.shoulder
    y = p.hip_half
    foot_com = (0.045, y, 0.038)
    segments = [
        Segment("pelvis", "", (0, 0, p.hip), [("root", "free", {})], 4.836, (-0.005, 0, p.hip + 0.04),
                ours(1.620e-2, 4.732e-2, 4.022e-2), pelvis_shapes(p)),
        Segment("thorax", "pelvis", (0, 0, p.waist), [ball_joint("waist")], 14.31, (0, 0, p.waist + 0.235),
                ours(1.300e-1, 1.601e-1, 2.122e-1),
                belly_shapes(p, p.waist + 0.01, p.waist + 0.16) + chest_shapes(p, p.waist + 0.15)),
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
        Segment("foot", "shin", (0, y, p.ankle), [ball_joint("ankle")], 1.612, foot_com,
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


# ----------------------------------------------------------------


def main():
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else
                          pathlib.Path(__file__).resolve().parent.parent / "assets" / "characters")
    for make in (human50,):
        model = make()
        (folder / f"{model.name}.xml").write_text(mjcf(model))


if __name__ == "__main__":
    main()
