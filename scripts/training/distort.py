"""Turns a source picture into a plausible photo of it: pose, crop, background, occlusion, light, blur, noise and JPEG."""

from __future__ import annotations

import cv2
import numpy as np

CANVAS = 224
WHITE = (255.0, 255.0, 255.0)


def catalogue_view(rng: np.random.Generator, rgba: np.ndarray) -> bytes:
    """A clean JPEG of the source on white, nearly as a catalogue would show it."""
    height, width = rgba.shape[:2]
    scale = CANVAS / max(height, width) * rng.uniform(0.8, 1.0)
    corners = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    target = (corners - [width / 2, height / 2]) * scale + CANVAS / 2
    picture, alpha = warp(rgba, corners, target.astype(np.float32))
    return encode(compose(picture, alpha, np.full((CANVAS, CANVAS, 3), 255, np.float32)), 92)


def distorted_view(rng: np.random.Generator, rgba: np.ndarray, severity: float, backdrops: list[np.ndarray]) -> bytes:
    """A JPEG of the source as someone might photograph it. Severity 0 is a careful photo, 1 a bad one."""
    height, width = rgba.shape[:2]
    corners = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    target, centre, half = place(rng, width, height, severity)
    picture, alpha = warp(rgba, corners, target)
    shot = compose(picture, alpha, backdrop(rng, severity, backdrops))
    if rng.random() < 0.7 * severity:
        occlude(rng, shot, centre, half, severity, backdrops)
    shot = light(rng, shot, severity)
    sigma = rng.uniform(0, 0.3 + 1.2 * severity)
    if sigma > 0.25:
        shot = cv2.GaussianBlur(shot, (0, 0), sigma)
    if rng.random() < 0.2 * severity:
        side = int(CANVAS * rng.uniform(0.3, 0.7))
        shot = cv2.resize(cv2.resize(shot, (side, side), interpolation=cv2.INTER_AREA), (CANVAS, CANVAS))
    shot += grain(rng) * rng.uniform(0, 2 + 9 * severity)
    return encode(shot, int(rng.uniform(75 - 45 * severity, 92 - 40 * severity)))


GRAIN = np.random.default_rng(0).standard_normal((4 * CANVAS, 4 * CANVAS, 3), np.float32)


def grain(rng):
    """Normal noise, cut from a fixed sheet: drawing it anew would cost more than the rest of a view."""
    top, left = rng.integers(3 * CANVAS, size=2)
    return GRAIN[top : top + CANVAS, left : left + CANVAS]


def place(rng, width, height, severity):
    """Corners of the source on the canvas, with the middle and half size of what is seen of it."""
    longest = max(width, height)
    jitter = lambda amount: rng.uniform(-amount, amount)
    middle = np.array([CANVAS / 2, CANVAS / 2])
    if rng.random() < 0.15 + 0.35 * severity:
        scale = CANVAS / longest / np.sqrt(rng.uniform(0.8 - 0.45 * severity, 0.97))
        slack = np.maximum(0, (np.array([width, height]) * scale - CANVAS) / 2)
        middle = middle + [jitter(slack[0] + 9), jitter(slack[1] + 9)]
    else:
        fraction = rng.uniform(0.75 - 0.42 * severity, 0.97 - 0.15 * severity)
        scale = CANVAS * fraction / longest
        room = CANVAS * (1 - fraction) * 0.4
        middle = middle + [jitter(room), jitter(room)]
    half = np.array([width, height]) * scale / 2
    angle = np.deg2rad(jitter(4 + 11 * severity))
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    stretch = np.array([[1 + jitter(0.02 + 0.12 * severity), jitter(0.02 + 0.11 * severity)], [0, 1 + jitter(0.02 + 0.12 * severity)]])
    if rng.random() < 0.3 * severity:
        stretch[0, 0] *= -1
    bend = 0.02 + 0.12 * severity
    signs = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])
    flat = (signs * half) @ stretch.T * (1 + rng.uniform(-bend, bend, (4, 2)))
    return (flat @ turn.T + middle).astype(np.float32), middle, half


def warp(rgba, corners, target):
    """Colour and coverage (0..1) of the source, laid on the canvas."""
    matrix = cv2.getPerspectiveTransform(corners, target)
    shrinking = np.linalg.norm(target[1] - target[0]) / max(1.0, corners[1][0])
    premultiplied = rgba.astype(np.float32)
    premultiplied[:, :, :3] *= premultiplied[:, :, 3:] / 255
    if shrinking < 0.6:
        premultiplied = cv2.GaussianBlur(premultiplied, (0, 0), 0.35 / shrinking)
    laid = cv2.warpPerspective(premultiplied, matrix, (CANVAS, CANVAS), flags=cv2.INTER_LINEAR)
    return laid[:, :, :3], laid[:, :, 3:] / 255


def compose(picture, alpha, behind):
    return picture + behind * (1 - alpha)


def backdrop(rng, severity, backdrops):
    """White, one colour, or a piece of another photo: the likelier the more severe."""
    kind = rng.random()
    if kind < 0.1 + 0.75 * severity:
        return patch(rng, backdrops)
    if kind < 0.75:
        return np.full((CANVAS, CANVAS, 3), rng.uniform(244, 255), np.float32)
    return np.broadcast_to(rng.uniform(60, 255, 3).astype(np.float32), (CANVAS, CANVAS, 3)).copy()


def patch(rng, backdrops):
    """A random square piece of a random photo, sometimes out of focus."""
    photo = backdrops[rng.integers(len(backdrops))]
    height, width = photo.shape[:2]
    side = int(min(height, width) * rng.uniform(0.5, 1))
    top, left = rng.integers(height - side + 1), rng.integers(width - side + 1)
    piece = cv2.resize(photo[top : top + side, left : left + side, :3], (CANVAS, CANVAS)).astype(np.float32)
    if rng.random() < 0.5:
        piece = piece[:, ::-1]
    blur = rng.uniform(0, 2)
    return cv2.GaussianBlur(piece, (0, 0), blur) if blur > 0.4 else np.ascontiguousarray(piece)


def occlude(rng, shot, centre, half, severity, backdrops):
    """A tilted bar or ellipse of skin colour or of another photo, over a part of the object. Changes `shot`."""
    area = rng.uniform(0.04, 0.08 + 0.13 * severity) * min(CANVAS * CANVAS, 4 * half[0] * half[1])
    ratio = rng.uniform(0.4, 2.5)
    size = (max(2, int(np.sqrt(area * ratio) / 2)), max(2, int(np.sqrt(area / ratio) / 2)))
    at = [int(c + rng.uniform(-0.8, 0.8) * h) for c, h in zip(centre, half)]
    mask = np.zeros((CANVAS, CANVAS), np.uint8)
    tilt = rng.uniform(-90, 90)
    if rng.random() < 0.5:
        cv2.ellipse(mask, at, size, tilt, 0, 360, 255, -1, cv2.LINE_AA)
    else:
        box = cv2.boxPoints(((float(at[0]), float(at[1])), (2.0 * size[0], 2.0 * size[1]), tilt))
        cv2.fillConvexPoly(mask, box.astype(np.int32), 255, cv2.LINE_AA)
    cover = mask[:, :, None].astype(np.float32) / 255
    skin = np.array([rng.uniform(150, 235), rng.uniform(110, 190), rng.uniform(80, 160)], np.float32)
    over = skin if rng.random() < 0.5 else patch(rng, backdrops)
    shot *= 1 - cover
    shot += cover * over


def light(rng, shot, severity):
    """Brightness, contrast, white balance and a gradient across the picture; sometimes a tone curve."""
    jitter = lambda amount: rng.uniform(-amount, amount)
    gain = (1 + jitter(0.08 + 0.27 * severity)) * (1 + rng.uniform(-1, 1, 3) * [0.04 + 0.14 * severity, 0.02 + 0.05 * severity, 0.04 + 0.14 * severity])
    angle, slope = rng.uniform(0, 2 * np.pi), rng.uniform(0, 0.05 + 0.25 * severity)
    axis = np.linspace(-1, 1, CANVAS, dtype=np.float32)
    ramp = 1 + slope * (axis[None, :] * np.cos(angle) + axis[:, None] * np.sin(angle))
    contrast = 1 + jitter(0.08 + 0.22 * severity)
    lit = shot * gain.astype(np.float32) * ramp[:, :, None].astype(np.float32)
    lit = np.clip((lit - 118) * contrast + 118, 0, 255)
    if rng.random() < 0.3 * severity:
        lit = 255 * (lit / 255) ** rng.uniform(0.7, 1.4)
    return lit.astype(np.float32)


def encode(picture: np.ndarray, quality: int) -> bytes:
    """JPEG bytes of an RGB picture of floats."""
    bytes_ = np.clip(picture + 0.5, 0, 255).astype(np.uint8)[:, :, ::-1]
    return cv2.imencode(".jpg", bytes_, [cv2.IMWRITE_JPEG_QUALITY, quality])[1].tobytes()
