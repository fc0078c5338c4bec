#!/usr/bin/env python3
"""Writes assets/motions/crawl.json: on hands and knees forwards, a hand and the opposite knee at a time.

Where hands and knees are set down, and when, is written down here. The hips then ride on thighs of fixed length above
the knees, which gives height and twist of the pelvis; the angles of the legs follow. Usage: tools/make_crawl.py [FILE]
"""
import json
import math
import pathlib
import sys

# The keyframe human (src/motion/keyframe_human.cc).
THIGH, SHIN = 0.4165, 0.4182
HIP = (0.0, 0.085, -0.06)  # in the frame of the pelvis, left
KNEE_BALL = 0.045  # height of a knee that bears: half a centimetre less than its flesh
FOOT_BALLS = [((0.13, -0.05), 0.02), ((0.19, -0.055), 0.015)]  # (x, z) in the frame of the foot, radius

REST, STEP, SWING, END = 0.3, 0.65, 0.43, 0.3  # s: stands first, a step, of which this is in the air, stands at last
STRIDE = 0.24  # m that a hand or knee is set ahead; the first and the last step are half of it
KNEE_LIFT, HAND_LIFT = 0.028, 0.10
KNEE_Y, KNEE_OUT = 0.10, 0.07  # to the side, and further out in the swing
HAND_X, HAND_Y, HAND_Z = 0.56, 0.17, 0.036  # the wrist: ahead of the knee, to the side, above the floor
PITCH = 80.0  # of the pelvis
PELVIS_X = 0.055  # where the pelvis is ahead of the middle of the knees
SWAY = 0.012  # m to the side of the knee that bears
ANKLE = -37.0
KEY = 0.05  # s between two keys
STEPS = 5


def about(axis, angle, v):
    """The vector turned about x (0), y (1) or z (2)."""
    i, j = (axis + 1) % 3, (axis + 2) % 3
    out = list(v)
    out[i] = math.cos(angle) * v[i] - math.sin(angle) * v[j]
    out[j] = math.sin(angle) * v[i] + math.cos(angle) * v[j]
    return out


def out_of_pelvis(twist, v):
    return about(1, math.radians(PITCH), about(2, twist, v))


def into_pelvis(twist, v):
    return about(2, -twist, about(1, -math.radians(PITCH), v))


def smooth(u):
    u = min(max(u, 0.0), 1.0)
    return u * u * u * (10 - 15 * u + 6 * u * u)


def bump(u):
    return 16 * u * u * (1 - u) * (1 - u) if 0 < u < 1 else 0.0


LENGTH = REST + STEPS * STEP + END
START = [REST + k * STEP + 0.5 * (STEP - SWING) for k in range(STEPS)]
AHEAD = [STRIDE / 2 if k in (0, STEPS - 1) else STRIDE for k in range(STEPS)]


def swings(leg):
    """Steps of the left knee and right hand (0: even steps) or of the right knee and left hand (1: odd ones)."""
    return [k for k in range(STEPS) if k % 2 == leg]


def ahead(leg, t):
    """How far the limb is ahead of where it began, and how far through the air it is."""
    x = sum(AHEAD[k] * smooth((t - START[k]) / SWING) for k in swings(leg))
    return x, sum(bump((t - START[k]) / SWING) for k in swings(leg))


def ankle_height():
    """Of the foot that trails on its toes, the shin from a knee on the floor: found by bisection."""
    low, high = 0.0, 0.2
    for _ in range(60):
        z = 0.5 * (low + high)
        tilt = math.asin((z - KNEE_BALL) / SHIN)  # of the shin, ankle up
        down = math.pi / 2 + math.radians(ANKLE) - tilt  # of the foot below the horizon, backwards
        lowest = min(z - x * math.sin(down) - p * math.cos(down) - r for (x, p), r in FOOT_BALLS)
        low, high = (z, high) if lowest < 0 else (low, z)
    return z


def progress(t):
    """Of the trunk, at an even pace between a soft start and a soft end."""
    t0, t1, soft = REST, REST + STEPS * STEP, 0.9
    ramp = lambda s: 0 if s <= 0 else (s - soft / 2 if s >= soft else soft * ((s / soft) ** 3 - 0.5 * (s / soft) ** 4))
    whole = (t1 - t0) - soft
    return (ramp(t - t0) - ramp(t - t1 + soft)) / whole


TOTAL = sum(AHEAD[k] for k in swings(0))
ANKLE_Z = ankle_height()


def sway(t):
    """To the left while the right knee swings (odd steps)."""
    y = 0.0
    for k in range(STEPS):
        s = (t - (START[k] + SWING / 2)) / STEP
        if abs(s) < 1:
            y += (-1 if k % 2 == 0 else 1) * 0.5 * (1 + math.cos(math.pi * s))
    return y * SWAY


def hips_of(p, twist):
    hips = []
    for side in (1, -1):
        offset = out_of_pelvis(twist, [HIP[0], side * HIP[1], HIP[2]])
        hips.append([p[i] + offset[i] for i in range(3)])
    return hips


def pelvis_at(t):
    """Place and twist of the pelvis, and the knees: both hips are at the length of a thigh from their knees."""
    knees = []
    for leg, side in ((0, 1), (1, -1)):
        x, air = ahead(leg, t)
        knees.append([x, side * (KNEE_Y + KNEE_OUT * air), KNEE_BALL + KNEE_LIFT * air])
    p, twist = [PELVIS_X + TOTAL * progress(t), sway(t), 0.5], 0.0
    for _ in range(100):
        hips = hips_of(p, twist)
        miss = []
        for knee, hip in zip(knees, hips):
            flat = math.hypot(knee[0] - hip[0], knee[1] - hip[1])
            miss.append(knee[2] + math.sqrt(THIGH**2 - flat**2) - hip[2])
        p[2] += 0.5 * (miss[0] + miss[1])
        twist += 0.5 * (miss[0] - miss[1]) / HIP[1]
    assert max(map(abs, miss)) < 1e-6
    return p, twist, knees, hips


def leg_angles(side, twist, hip, knee):
    """Flexion, abduction and outward rotation of the hip, flexion of the knee: the shin points straight back."""
    d = into_pelvis(twist, [(knee[i] - hip[i]) / THIGH for i in range(3)])
    b = math.asin(d[1])
    a = math.atan2(d[0], -d[2])
    rise = (ANKLE_Z - KNEE_BALL) / SHIN
    v = about(0, -b, about(1, a, into_pelvis(twist, [-math.sqrt(1 - rise * rise), 0, rise])))
    return [math.degrees(x) for x in (a, side * b, side * math.atan2(-v[1], -v[0]), math.acos(-v[2]))]


def main():
    r = lambda x: round(float(x), 4)
    g = lambda x: round(float(x), 2)
    times = {round(i * KEY, 4) for i in range(round(LENGTH / KEY) + 1)}
    keys = []
    hands = {}
    for leg, name in ((0, "right_hand"), (1, "left_hand")):
        side = 1 if name == "left_hand" else -1
        place = lambda t, lift, pitch: {"at": [r(HAND_X + ahead(leg, t)[0]), side * HAND_Y, r(HAND_Z + lift)],
                                        "yaw": 0, "pitch": pitch}
        hands[name] = {0.0: place(0, 0, 0), r(LENGTH): place(LENGTH, 0, 0)}
        for k in swings(leg):
            t = START[k]
            hands[name][r(t)] = place(t, 0, 0)
            hands[name][r(t + 0.45 * SWING)] = place(t + 0.45 * SWING, HAND_LIFT, 0)
            hands[name][r(t + SWING)] = place(t + SWING, 0, 0)
            times |= {r(t), r(t + 0.45 * SWING), r(t + SWING)}
    for t in sorted(times):
        p, twist, knees, hips = pelvis_at(t)
        key = {"t": t}
        for k in range(STEPS):
            if abs(t - START[k]) < 1e-3:
                key["about"] = ("right hand and left knee", "left hand and right knee")[k % 2] + " go ahead"
        key["pelvis"] = [r(x) for x in p]
        key["turn"] = [0, PITCH, 0, g(math.degrees(twist))]
        joints = {}
        if t == 0:
            joints = {"neck": [-22, 0, 0], "head": [-18, 0, 0],
                      "left_ankle": [ANKLE, 0, 0], "right_ankle": [ANKLE, 0, 0], "left_toes": 0, "right_toes": 0}
        # The back bends against the twist of the hips, so that the shoulders stay level.
        joints["abdomen"] = [1, 0, g(-0.5 * math.degrees(twist))]
        joints["thorax"] = [1, 0, g(-0.5 * math.degrees(twist))]
        for i, name in ((0, "left"), (1, "right")):
            side = 1 - 2 * i
            a, b, c, k = leg_angles(side, twist, hips[i], knees[i])
            joints[name + "_hip"] = [g(a), g(b), g(c)]
            joints[name + "_knee"] = g(k)
        key["joints"] = joints
        for name in hands:
            if t in hands[name]:
                key[name] = dict(hands[name][t], **({"elbow": [-0.4, 0.8, 0.2]} if t == 0 else {}))
        keys.append(key)
    ours = pathlib.Path(__file__).parent.parent / "assets" / "motions" / "crawl.json"
    file = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else ours
    head = {"sinew_keyframes": 1, "name": "crawl",
            "about": "On hands and knees forwards, a hand and the opposite knee at a time.", "fps": 60}
    text = "{\n" + "".join(f"  {json.dumps(k)}: {json.dumps(v)},\n" for k, v in head.items())
    text += '  "keys": [\n' + ",\n".join("    " + json.dumps(k) for k in keys) + "\n  ]\n}\n"
    file.write_text(text)


main()
