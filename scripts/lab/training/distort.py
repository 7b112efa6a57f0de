"""Turns a source picture into a plausible photo of it: pose, crop, background, occlusion, light, blur, noise and JPEG.

Sources are premultiplied RGBA (height x width x 4, uint8): colours are multiplied by their coverage. Views are RGB squares
(side x side x 3, uint8). What depends on the size of a picture (blur, grain) is meant for 224 pixels and scales with the side.
"""

from collections.abc import Sequence

import cv2
import numpy as np

CANVAS = 224


def catalogue_view(rng: np.random.Generator, source: np.ndarray, side: int = CANVAS, closest: float = 0.85) -> np.ndarray:
    """The source on white, nearly as a catalogue would show it, or an inner crop of that. `closest` is the smallest share of the side that is seen."""
    height, width = source.shape[:2]
    scale = side / max(height, width) * rng.uniform(0.8, 1.0) / rng.uniform(closest, 1.0)
    target = (outline(height, width) - [width / 2, height / 2]) * scale + side / 2
    picture, alpha = warp(source, target.astype(np.float32), side)
    return finish(picture + 255 * (1 - alpha), 92)


def distorted_view(
    rng: np.random.Generator, source: np.ndarray, severity: float, backdrops: Sequence[np.ndarray], cutouts: Sequence[np.ndarray] = (), side: int = CANVAS
) -> np.ndarray:
    """The source as someone might photograph it, now and then among others of `cutouts`. Severity 0 is a careful photo, 1 a bad one."""
    height, width = source.shape[:2]
    target, centre, half = place(rng, width, height, severity, side)
    picture, alpha = warp(source, target, side)
    behind = backdrop(rng, severity, backdrops, side)
    if len(cutouts) > 0 and rng.random() < 0.35 * severity:
        for _ in range(rng.integers(1, 4)):
            behind = beside(rng, behind, cutouts, severity)
    shot = picture + behind * (1 - alpha)
    if len(cutouts) > 0 and rng.random() < 0.12 * severity:
        shot = beside(rng, shot, cutouts, severity)
    if rng.random() < 0.7 * severity:
        occlude(rng, shot, centre, half, severity, backdrops)
    return taken(rng, shot, severity, side)


def beside(rng, shot, cutouts, severity):
    side = len(shot)
    other = cutouts[rng.integers(len(cutouts))]
    target, _, _ = place(rng, other.shape[1], other.shape[0], severity, side)
    middle = target.mean(axis=0)
    angle, reach = rng.uniform(0, 2 * np.pi), rng.uniform(0.3, 0.55) * side
    target = (target - middle) * rng.uniform(0.4, 1) + side / 2 + [reach * np.cos(angle), reach * np.sin(angle)]
    picture, alpha = warp(other, target.astype(np.float32), side)
    return picture + shot * (1 - alpha)


def taken(rng, shot, severity, side):
    shot = blurred(rng, light(rng, shot, severity), severity)
    shot += grain(rng, side) * rng.uniform(0, 2 + 9 * severity)
    return finish(shot, int(rng.uniform(78 - 45 * severity, 94 - 40 * severity)))


GRAIN = np.random.default_rng(0).standard_normal((4 * CANVAS, 4 * CANVAS, 3), np.float32)


def grain(rng, side):
    """Normal noise from a precomputed sheet: drawing it anew would take longer than the rest of a view."""
    top, left = rng.integers(len(GRAIN) - side, size=2)
    return GRAIN[top : top + side, left : left + side]


def outline(height: int, width: int) -> np.ndarray:
    return np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)


def place(rng, width, height, severity, side):
    """Corners of the source on the canvas, with the middle and half size of what is seen of it."""
    longest = max(width, height)
    jitter = lambda amount: rng.uniform(-amount, amount)
    middle = np.array([side / 2, side / 2])
    if rng.random() < 0.15 + 0.35 * severity:
        scale = side / longest / np.sqrt(rng.uniform(0.8 - 0.5 * severity, 0.97))
        slack = np.maximum(0, (np.array([width, height]) * scale - side) / 2)
        middle = middle + [jitter(slack[0] + 0.04 * side), jitter(slack[1] + 0.04 * side)]
    else:
        fraction = rng.uniform(0.75 - 0.42 * severity, 0.97 - 0.15 * severity)
        scale = side * fraction / longest
        room = side * (1 - fraction) * 0.4
        middle = middle + [jitter(room), jitter(room)]
    half = np.array([width, height]) * scale / 2
    stretch = np.array([[1 + jitter(0.02 + 0.12 * severity), jitter(0.02 + 0.11 * severity)], [0, 1 + jitter(0.02 + 0.12 * severity)]])
    if rng.random() < 0.3 * severity:
        stretch[0, 0] *= -1
    bend = 0.02 + 0.12 * severity
    signs = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])
    flat = (signs * half) @ stretch.T * (1 + rng.uniform(-bend, bend, (4, 2)))
    if rng.random() < 0.4 * severity:
        flat = aslant(rng, flat)
    steep = 45 if rng.random() < 0.15 * severity else 4 + 11 * severity
    angle = np.deg2rad(jitter(steep))
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    return (flat @ turn.T + middle).astype(np.float32), middle, half


def aslant(rng, flat):
    """A flat shape seen from the side, from above or below: up to 50 degrees, from a few times its size away."""
    yaw, pitch = np.deg2rad(rng.uniform(-50, 50)), np.deg2rad(rng.uniform(-40, 40))
    distance = rng.uniform(2.5, 6) * np.abs(flat).max()
    depth = flat[:, 0] * np.sin(yaw) + flat[:, 1] * np.sin(pitch)
    return flat * [np.cos(yaw), np.cos(pitch)] / (1 + depth / distance)[:, None]


def warp(source, target, side):
    """Colour and coverage (0..1) of the source with its corners at `target`."""
    height, width = source.shape[:2]
    longest = max(np.linalg.norm(target[1] - target[0]) / width, np.linalg.norm(target[3] - target[0]) / height, 0.05)
    if longest < 0.7:
        source = cv2.resize(source, (max(1, round(width * longest)), max(1, round(height * longest))), interpolation=cv2.INTER_AREA)
    matrix = cv2.getPerspectiveTransform(outline(*source.shape[:2]), target)
    laid = cv2.warpPerspective(source, matrix, (side, side), flags=cv2.INTER_LINEAR).astype(np.float32)
    return laid[:, :, :3], laid[:, :, 3:] / 255


def backdrop(rng, severity, backdrops, side):
    kind = rng.random()
    if kind < 0.1 + 0.75 * severity:
        return patch(rng, backdrops, side)
    if kind < 0.75:
        return np.full((side, side, 3), rng.uniform(244, 255), np.float32)
    return np.broadcast_to(rng.uniform(60, 255, 3).astype(np.float32), (side, side, 3)).copy()


def patch(rng, backdrops, size):
    photo = backdrops[rng.integers(len(backdrops))]
    height, width = photo.shape[:2]
    side = int(min(height, width) * rng.uniform(0.5, 1))
    top, left = rng.integers(height - side + 1), rng.integers(width - side + 1)
    piece = cv2.resize(photo[top : top + side, left : left + side, :3], (size, size), interpolation=cv2.INTER_AREA).astype(np.float32)
    if rng.random() < 0.5:
        piece = piece[:, ::-1]
    blur = rng.uniform(0, 2) * size / CANVAS
    return cv2.GaussianBlur(piece, (0, 0), blur) if blur > 0.3 else np.ascontiguousarray(piece)


def occlude(rng, shot, centre, half, severity, backdrops):
    """A tilted bar or ellipse of skin colour or of another photo, over a part of the object. Changes `shot`."""
    side = len(shot)
    area = rng.uniform(0.04, 0.08 + 0.13 * severity) * min(side * side, 4 * half[0] * half[1])
    ratio = rng.uniform(0.4, 2.5)
    size = (max(2, int(np.sqrt(area * ratio) / 2)), max(2, int(np.sqrt(area / ratio) / 2)))
    at = [int(c + rng.uniform(-0.8, 0.8) * h) for c, h in zip(centre, half)]
    mask = np.zeros((side, side), np.uint8)
    tilt = rng.uniform(-90, 90)
    if rng.random() < 0.5:
        cv2.ellipse(mask, at, size, tilt, 0, 360, 255, -1, cv2.LINE_AA)
    else:
        box = cv2.boxPoints(((float(at[0]), float(at[1])), (2.0 * size[0], 2.0 * size[1]), tilt))
        cv2.fillConvexPoly(mask, box.astype(np.int32), 255, cv2.LINE_AA)
    cover = mask[:, :, None].astype(np.float32) / 255
    skin = np.array([rng.uniform(150, 235), rng.uniform(110, 190), rng.uniform(80, 160)], np.float32)
    over = skin if rng.random() < 0.5 else patch(rng, backdrops, side)
    shot *= 1 - cover
    shot += cover * over


def light(rng, shot, severity):
    jitter = lambda amount: rng.uniform(-amount, amount)
    gain = (1 + jitter(0.08 + 0.27 * severity)) * (1 + rng.uniform(-1, 1, 3) * [0.04 + 0.14 * severity, 0.02 + 0.05 * severity, 0.04 + 0.14 * severity])
    angle, slope = rng.uniform(0, 2 * np.pi), rng.uniform(0, 0.05 + 0.25 * severity)
    axis = np.linspace(-1, 1, len(shot), dtype=np.float32)
    ramp = 1 + slope * (axis[None, :] * np.cos(angle) + axis[:, None] * np.sin(angle))
    contrast = 1 + jitter(0.08 + 0.22 * severity)
    lit = shot * gain.astype(np.float32) * ramp[:, :, None].astype(np.float32)
    lit = np.clip((lit - 118) * np.float32(contrast) + 118, 0, 255)
    if rng.random() < 0.3:
        grey = lit.mean(axis=2, keepdims=True)
        lit = np.clip(grey + (lit - grey) * np.float32(1 + jitter(0.1 + 0.3 * severity)), 0, 255)
    if rng.random() < 0.3 * severity:
        lit = 255 * (lit / 255) ** np.float32(rng.uniform(0.7, 1.4))
    return lit


def blurred(rng, shot, severity):
    side = len(shot)
    sigma = rng.uniform(0, 0.3 + 1.2 * severity) * side / CANVAS
    if sigma > 0.25:
        shot = cv2.GaussianBlur(shot, (0, 0), sigma)
    if rng.random() < 0.15 * severity:
        length = int(rng.integers(2, 5))
        kernel = np.zeros((2 * length + 1, 2 * length + 1), np.float32)
        angle = rng.uniform(0, np.pi)
        reach = (int(round(length * np.cos(angle))), int(round(length * np.sin(angle))))
        cv2.line(kernel, (length - reach[0], length - reach[1]), (length + reach[0], length + reach[1]), 1)
        shot = cv2.filter2D(shot, -1, kernel / kernel.sum())
    if rng.random() < 0.2 * severity:
        small = int(side * rng.uniform(0.4, 0.75))
        shot = cv2.resize(cv2.resize(shot, (small, small), interpolation=cv2.INTER_AREA), (side, side))
    return shot


def finish(picture: np.ndarray, quality: int) -> np.ndarray:
    bytes_ = np.clip(picture + 0.5, 0, 255).astype(np.uint8)
    return cv2.imdecode(cv2.imencode(".jpg", bytes_, [cv2.IMWRITE_JPEG_QUALITY, quality])[1], cv2.IMREAD_COLOR)
