"""Colours and surfaces for drawn items."""

from __future__ import annotations

import cv2
import numpy as np

METALS = [(200, 203, 207), (190, 190, 195), (212, 175, 90), (205, 150, 115), (60, 60, 65), (225, 226, 228), (160, 130, 80)]
DIALS = [(245, 245, 242), (20, 20, 24), (25, 45, 95), (30, 70, 50), (205, 205, 205), (235, 220, 190), (95, 60, 40), (120, 25, 35), (110, 115, 120), (150, 190, 210)]
HIDES = [(25, 22, 22), (90, 55, 35), (170, 120, 75), (215, 190, 155), (235, 230, 220), (120, 25, 35), (30, 40, 80), (60, 80, 55), (190, 60, 70), (225, 170, 175), (130, 130, 135), (235, 195, 60)]


def colour(rng: np.random.Generator, kind: str) -> np.ndarray:
    """An RGB colour: of `metal`, of a `dial`, a `strong` one, or `any` that leather and cloth have."""
    if kind == "strong" or (kind != "metal" and rng.random() < 0.3):
        hue = np.uint8([[[rng.integers(180), rng.integers(60, 255), rng.integers(40, 255)]]])
        return cv2.cvtColor(hue, cv2.COLOR_HSV2RGB)[0, 0].astype(np.float32)
    choices = {"metal": METALS, "dial": DIALS, "any": HIDES}[kind]
    base = np.array(choices[int(rng.integers(len(choices)))], np.float32)
    return np.clip(base * rng.uniform(0.85, 1.12) + rng.uniform(-10, 10, 3), 0, 255).astype(np.float32)


def mix(first, second, share: float) -> np.ndarray:
    return np.array(first, np.float32) * (1 - share) + np.array(second, np.float32) * share


def texture(rng: np.random.Generator, side: int, base) -> np.ndarray:
    """A square surface, side x side x 3 floats, in or around a base colour."""
    base = np.array(base, np.float32)
    other = mix(base, colour(rng, "any"), rng.uniform(0.3, 1))
    kind = rng.choice(["plain", "grain", "quilt", "stripes", "checks", "monogram", "weave", "cells"])
    y, x = np.mgrid[0:side, 0:side].astype(np.float32)
    turn = rng.choice([0, np.pi / 4, np.pi / 2, rng.uniform(0, np.pi)])
    u, v = x * np.cos(turn) + y * np.sin(turn), -x * np.sin(turn) + y * np.cos(turn)
    pitch = rng.uniform(8, 44)
    if kind == "stripes":
        share = (np.sin(u * 2 * np.pi / pitch) > rng.uniform(-0.7, 0.7)).astype(np.float32)
    elif kind == "checks":
        share = ((np.sin(u * 2 * np.pi / pitch) > 0).astype(np.float32) + (np.sin(v * 2 * np.pi / pitch) > 0)) / 2
    elif kind == "quilt":
        seam = np.minimum(np.abs(np.sin((x + y) * np.pi / pitch)), np.abs(np.sin((x - y) * np.pi / pitch)))
        return base * (0.65 + 0.45 * np.clip(seam * 2, 0, 1))[:, :, None]
    elif kind == "monogram":
        share = monogram(rng, side, int(pitch) + 10)
    elif kind == "weave":
        share = 0.5 + 0.5 * np.sign(np.sin(x * 2 * np.pi / (pitch / 3 + 3)) * np.sin(y * 2 * np.pi / (pitch / 3 + 3)))
    elif kind == "cells":
        return base * cells(rng, side, pitch)[:, :, None]
    else:
        rough = cv2.GaussianBlur(rng.standard_normal((side, side)).astype(np.float32), (0, 0), rng.uniform(0.8, 4))
        depth = 0.25 if kind == "grain" else 0.05
        return np.clip(base * (1 + depth * rough / (np.abs(rough).max() + 1e-6))[:, :, None], 0, 255)
    share = cv2.GaussianBlur(share.astype(np.float32), (0, 0), 0.7)[:, :, None]
    return base * (1 - share) + other * share


def monogram(rng, side, pitch):
    """A glyph or two, repeated on a staggered grid."""
    tile = np.zeros((2 * pitch, 2 * pitch), np.uint8)
    for at in ((0, 0), (1, 1), (0, 1), (1, 0))[: int(rng.choice([2, 4]))]:
        centre = (int((at[0] + 0.5) * pitch), int((at[1] + 0.5) * pitch))
        size = pitch * 0.32
        kind = int(rng.integers(4))
        if kind == 0:
            letter = str(rng.choice(list("ABCDEFGHKLMNPRSTVXYZ")))
            cv2.putText(tile, letter, (int(centre[0] - size), int(centre[1] + size)), cv2.FONT_HERSHEY_DUPLEX, size / 11, 255, 1, cv2.LINE_AA)
        elif kind == 1:
            cv2.circle(tile, centre, int(size), 255, int(rng.choice([-1, 2])), cv2.LINE_AA)
        else:
            corners = int(rng.integers(3, 8))
            angles = np.arange(2 * corners) * np.pi / corners
            spokes = size * np.where(np.arange(2 * corners) % 2, rng.uniform(0.3, 0.9), 1.1)
            points = np.stack([np.cos(angles) * spokes, np.sin(angles) * spokes], 1) + centre
            cv2.fillPoly(tile, [points.astype(np.int32)], 255, cv2.LINE_AA)
    repeats = side // (2 * pitch) + 1
    return np.tile(tile, (repeats, repeats))[:side, :side].astype(np.float32) / 255


def cells(rng, side, pitch):
    """Irregular cells with dark seams, as on embossed leather."""
    coarse = max(3, int(side / pitch))
    steps = np.linspace(0, side, coarse)
    points = np.stack(np.meshgrid(steps, steps), -1).reshape(-1, 2) + rng.uniform(-pitch / 3, pitch / 3, (coarse * coarse, 2))
    seeds = np.full((side, side), 255, np.uint8)
    inside = np.clip(points, 0, side - 1).astype(int)
    seeds[inside[:, 1], inside[:, 0]] = 0
    far, labels = cv2.distanceTransformWithLabels(seeds, cv2.DIST_L2, 5)
    edges = cv2.morphologyEx(labels.astype(np.float32), cv2.MORPH_GRADIENT, np.ones((2, 2), np.uint8)) > 0
    smooth = cv2.GaussianBlur(edges.astype(np.float32), (0, 0), 1)
    return 1.05 - 0.5 * np.clip(smooth * 1.5, 0, 1) - 0.1 * far / (far.max() + 1e-6)
