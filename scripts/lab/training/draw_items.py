"""Draws watches, bags and other objects by rule, so that the network sees the kind of detail that it must tell apart.

An item is a function of (seed, index): four neighbours form a family that shares its shape and differs in colour or detail,
as a maker's references do. A view of an item changes what differs between two photos of one object: the time that a watch
shows, the fall of a strap, the place of a handle, the light, and the angle of the camera.
"""

from __future__ import annotations

import cv2
import numpy as np

from photos import LONGEST_SIDE, Source
from textures import colour, mix, texture

SIDE = 320
FAMILY = 4


def draw(seed: int, index: int, view: int) -> Source:
    """One view of a drawn item, as a cut-out; view 0 shows it as a catalogue would."""
    item = Traits(seed, index)
    pose = np.random.default_rng([seed, index, 7, view])
    canvas = np.zeros((SIDE, SIDE, 4), np.float32)
    painter = {"watch": draw_watch, "bag": draw_bag, "thing": draw_thing}[item.kind]
    painter(canvas, item, pose, view > 0)
    if view > 0:
        canvas = tilt(canvas, pose)
        shade(canvas, pose)
    rows, columns = np.where(canvas[:, :, 3].any(axis=1))[0], np.where(canvas[:, :, 3].any(axis=0))[0]
    cut = canvas[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
    ratio = LONGEST_SIDE / max(cut.shape[:2])
    small = cv2.resize(cut, None, fx=ratio, fy=ratio, interpolation=cv2.INTER_AREA)
    coverage = np.maximum(small[:, :, 3:] / 255, 1e-3)
    small[:, :, :3] /= coverage
    return Source(np.clip(small, 0, 255).astype(np.uint8), f"drawn/{item.kind}/{index}", True)


class Traits:
    """Named random traits of an item: `shared` ones come from its family, `own` ones from the item itself."""

    def __init__(self, seed: int, index: int):
        self.family = np.random.default_rng([seed, index // FAMILY, 1])
        self.item = np.random.default_rng([seed, index, 2])
        self.kind = ["watch", "watch", "bag", "bag", "thing"][int(self.family.integers(5))]
        self.variation = self.item.random()

    def shared(self) -> np.random.Generator:
        """A generator that gives the family's value, except now and then, when the item differs in this trait."""
        seed = int(self.family.integers(2**31))
        own = int(self.item.integers(2**31))
        return np.random.default_rng(own if self.item.random() < 0.12 else seed)

    def own(self) -> np.random.Generator:
        return np.random.default_rng(int(self.item.integers(2**31)))


def paint(canvas, mask, rgb):
    """Lays a colour or picture over the canvas (premultiplied RGBA) where the mask (0..255) says so."""
    left, top, width, height = cv2.boundingRect(np.ascontiguousarray(mask).astype(np.uint8))
    box = (slice(top, top + height), slice(left, left + width))
    cover = mask[box][:, :, None].astype(np.float32) / 255
    surface = np.asarray(rgb, np.float32)
    inked = surface[box] if surface.ndim == 3 else surface
    canvas[box][:, :, :3] += cover * (inked - canvas[box][:, :, :3])
    canvas[box][:, :, 3:] += cover * (255 - canvas[box][:, :, 3:])


def blank():
    return np.zeros((SIDE, SIDE), np.uint8)


def polygon(points):
    mask = blank()
    cv2.fillPoly(mask, [np.round(np.array(points) * 16).astype(np.int32)], 255, cv2.LINE_AA, 4)
    return mask


def disc(centre, radius):
    mask = blank()
    cv2.circle(mask, (int(centre[0] * 16), int(centre[1] * 16)), int(max(radius, 0.5) * 16), 255, -1, cv2.LINE_AA, 4)
    return mask


def rounded(centre, half, corner):
    """A rectangle with rounded corners."""
    angles = np.linspace(0, 2 * np.pi, 48, endpoint=False)
    arc = np.stack([np.cos(angles), np.sin(angles)], 1)
    return polygon(arc * corner + np.sign(np.round(arc, 6)) * np.maximum(np.array(half) - corner, 0) + centre)


def stroke(points, width):
    mask = blank()
    cv2.polylines(mask, [np.round(np.array(points) * 16).astype(np.int32)], False, 255, max(1, round(width)), cv2.LINE_AA, 4)
    return mask


def lettering(canvas, text, centre, height, ink):
    """A short text about a centre."""
    font = cv2.FONT_HERSHEY_DUPLEX
    scale = height / 21
    (width, tall), _ = cv2.getTextSize(text, font, scale, 1)
    mask = blank()
    cv2.putText(mask, text, (int(centre[0] - width / 2), int(centre[1] + tall / 2)), font, scale, 255, 1, cv2.LINE_AA)
    paint(canvas, mask, ink)


def word(rng):
    return "".join(rng.choice(list("AEIOULRSTNMCDPHVX"), int(rng.integers(4, 9))))


def draw_watch(canvas, item, pose, moved):
    middle = np.array([SIDE / 2, SIDE / 2])
    radius = 62 + 30 * item.shared().random()
    metal = colour(item.shared(), "metal")
    strap(canvas, item, pose, moved, middle, radius, metal)
    shape = item.shared().choice(["round", "round", "round", "square", "tonneau"])
    outline = lambda size: disc(middle, size) if shape == "round" else rounded(middle, (size * (0.9 if shape == "square" else 0.82), size), size * (0.25 if shape == "square" else 0.7))
    crown = item.shared()
    if crown.random() < 0.85:
        for offset in [0] if crown.random() < 0.6 else [-0.45, 0, 0.45]:
            at = middle + [radius * (1.03 - 0.12 * abs(offset)), radius * offset]
            paint(canvas, rounded(at, (radius * 0.1, radius * 0.09), 2), np.array(metal) * 0.85)
    paint(canvas, outline(radius), np.array(metal) * 0.8)
    paint(canvas, outline(radius * 0.96), metal)
    bezel = item.shared()
    inner = radius * (0.93 - 0.2 * bezel.random())
    if bezel.random() < 0.45:
        ring = colour(item.own(), "strong")
        paint(canvas, outline(radius * 0.94), ring)
        ticks(canvas, middle, radius * 0.92, inner * 1.03, int(bezel.choice([12, 24, 60])), 1.5, mix(ring, (255, 255, 255), 0.9))
    paint(canvas, outline(inner), np.array(metal) * 0.6)
    face(canvas, item, pose, moved, middle, inner * 0.97, outline, metal)


def strap(canvas, item, pose, moved, middle, radius, metal):
    """Bracelet or band above and below the case; how much of it shows, and how it tapers, belongs to the view."""
    kind = item.shared().choice(["links", "links", "leather", "fabric"])
    own = item.own()
    base = metal if kind == "links" and own.random() < 0.8 else colour(own, "any")
    surface = texture(own, SIDE, base) if kind == "fabric" else np.broadcast_to(np.array(base, np.float32), (SIDE, SIDE, 3)).copy()
    width = radius * (0.42 + 0.2 * item.shared().random())
    links = item.shared()
    pitch, columns = 6 + 8 * links.random(), int(links.integers(2, 6))
    second = mix(base, colour(links, "metal"), 0.6) if links.random() < 0.3 else np.array(base) * 0.9
    reach = pose.uniform(0.85, 1.0) if not moved else pose.uniform(0.55, 1.0)
    taper = 0.8 if not moved else pose.uniform(0.6, 0.95)
    for way in (-1, 1):
        end = middle[1] + way * reach * SIDE / 2
        start = middle[1] + way * radius * 0.5
        lean = 0 if not moved else pose.uniform(-12, 12)
        left, right = middle[0] - width, middle[0] + width
        band = polygon([(left, start), (right, start), (middle[0] + lean + width * taper, end), (middle[0] + lean - width * taper, end)])
        layer = surface.copy()
        if kind == "links":
            for column in range(1, columns + 1, 2):
                x0, x1 = left + (2 * width) * column / (columns + 1), left + (2 * width) * (column + 0.9) / (columns + 1)
                layer[:, int(x0) : int(x1)] = second
            for row in np.arange(0, SIDE, pitch):
                layer[int(row) : int(row) + 2] *= 0.55
        rim = np.abs((np.arange(SIDE) - middle[0]) / width)
        layer *= np.clip(1.1 - 0.35 * rim**3, 0.4, 1.1)[None, :, None]
        paint(canvas, band, layer)
        if kind == "leather" and links.random() < 0.6:
            for side in (-0.82, 0.82):
                for y in np.arange(min(start, end), max(start, end), 9):
                    paint(canvas, stroke([(middle[0] + side * width, y), (middle[0] + side * width, y + 4)], 1), mix(base, (255, 250, 230), 0.8))


def face(canvas, item, pose, moved, middle, size, outline, metal):
    own = item.own()
    ground = colour(own, "dial")
    y, x = np.mgrid[0:SIDE, 0:SIDE].astype(np.float32)
    away = np.hypot(x - middle[0], y - middle[1]) / size
    sheen = (1.08 - 0.3 * item.shared().random() * away)[:, :, None] * np.array(ground, np.float32)
    if item.shared().random() < 0.25:
        sheen = sheen * (texture(item.shared(), SIDE, (200, 200, 200)) / 200) ** 0.6
    paint(canvas, outline(size), sheen)
    dark = np.mean(ground) < 120
    ink = mix((240, 240, 235) if dark else (25, 25, 30), metal, 0.5 * own.random())
    style = item.shared()
    if style.random() < 0.7:
        ticks(canvas, middle, size * 0.98, size * 0.93, 60, 1, ink)
    hours(canvas, style, middle, size, ink)
    subdials(canvas, item.shared(), item.own(), pose, middle, size, ground, ink)
    date = item.shared()
    if date.random() < 0.45:
        at = middle + np.array([[0.62, 0], [0, 0.6], [0.45, 0.45]][int(date.integers(3))]) * size
        paint(canvas, rounded(at, (size * 0.12, size * 0.09), 2), (245, 245, 245))
        lettering(canvas, str(pose.integers(1, 32)), at, size * 0.13, (20, 20, 20))
    name = item.shared()
    lettering(canvas, word(name), middle - [0, size * (0.35 + 0.1 * name.random())], size * (0.12 + 0.06 * name.random()), ink)
    if name.random() < 0.6:
        lettering(canvas, word(name), middle + [0, size * (0.35 + 0.15 * name.random())], size * 0.09, ink)
    hands(canvas, item.shared(), item.own(), pose, moved, middle, size, ink, metal)


def ticks(canvas, middle, outer, inner, count, width, ink):
    mask = blank()
    for angle in np.arange(count) * 2 * np.pi / count:
        way = np.array([np.sin(angle), -np.cos(angle)])
        ends = np.round((middle + np.outer([inner, outer], way)) * 16).astype(np.int32)
        cv2.line(mask, ends[0].tolist(), ends[1].tolist(), 255, max(1, round(width)), cv2.LINE_AA, 4)
    paint(canvas, mask, ink)


def hours(canvas, style, middle, size, ink):
    kind = style.choice(["bars", "dots", "arabic", "roman", "mixed"])
    ring = size * style.uniform(0.76, 0.86)
    roman = ["XII", "I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI"]
    bar, wide = size * style.uniform(0.08, 0.2), style.uniform(1.5, 6)
    for hour in range(12):
        angle = hour * np.pi / 6
        way = np.array([np.sin(angle), -np.cos(angle)])
        if kind == "dots" or (kind == "mixed" and hour % 3):
            paint(canvas, disc(middle + way * ring, wide + 1), ink)
        elif kind == "bars":
            paint(canvas, stroke([middle + way * (ring - bar / 2), middle + way * (ring + bar / 2)], wide * (1.6 if hour % 3 == 0 else 1)), ink)
        else:
            label = roman[hour] if kind == "roman" else str(hour or 12)
            lettering(canvas, label, middle + way * ring, size * (0.15 if kind == "roman" else 0.2), ink)


def subdials(canvas, style, own, pose, middle, size, ground, ink):
    places = [[], [], [(0, 0.42)], [(-0.42, 0), (0.42, 0)], [(-0.42, 0), (0.42, 0), (0, 0.42)], [(0, -0.42), (0, 0.42)]]
    chosen = places[int(style.integers(len(places)))]
    radius = size * style.uniform(0.2, 0.28)
    fill = ground if style.random() < 0.4 else colour(own, "dial")
    for offset in chosen:
        at = middle + np.array(offset) * size
        paint(canvas, disc(at, radius), np.array(ink) * 0.8)
        paint(canvas, disc(at, radius - 1.5), fill)
        shade_ = (30, 30, 30) if np.mean(fill) > 120 else (235, 235, 235)
        ticks(canvas, at, radius * 0.95, radius * 0.75, 12, 1, shade_)
        angle = pose.uniform(0, 2 * np.pi)
        paint(canvas, stroke([at, at + radius * 0.8 * np.array([np.sin(angle), -np.cos(angle)])], 1.5), shade_)


def hands(canvas, style, own, pose, moved, middle, size, ink, metal):
    hour, minute = (10, 9) if not moved else (pose.uniform(0, 12), pose.uniform(0, 60))
    tint = metal if style.random() < 0.5 else ink
    wide = style.uniform(2, 7)
    shape = style.choice(["bar", "dauphine", "thin"])
    for angle, reach, width in (((hour + minute / 60) * np.pi / 6, 0.5, wide), (minute * np.pi / 30, 0.78, wide * 0.75)):
        way = np.array([np.sin(angle), -np.cos(angle)])
        side = np.array([-way[1], way[0]])
        tip, tail = middle + way * size * reach, middle - way * size * 0.1
        if shape == "dauphine":
            mid = middle + way * size * reach * 0.25
            paint(canvas, polygon([tip, mid + side * width, tail, mid - side * width]), tint)
        else:
            paint(canvas, stroke([tail, tip], width if shape == "bar" else width * 0.5), tint)
    second = pose.uniform(0, 2 * np.pi)
    way = np.array([np.sin(second), -np.cos(second)])
    paint(canvas, stroke([middle - way * size * 0.2, middle + way * size * 0.85], 1.2), colour(own, "strong"))
    paint(canvas, disc(middle, wide * 0.8 + 1), tint)


def draw_bag(canvas, item, pose, moved):
    form, skin = item.shared(), item.own()
    wide, tall = form.uniform(70, 135), form.uniform(55, 105)
    top = wide * form.uniform(0.6, 1.05)
    base_colour = colour(skin, "any")
    hide = texture(item.shared(), SIDE, base_colour) if form.random() < 0.75 else texture(item.own(), SIDE, base_colour)
    trim = mix(base_colour, colour(skin, "any"), 0.7) if form.random() < 0.5 else np.array(base_colour) * 0.7
    gold = colour(item.shared(), "metal")
    middle = np.array([SIDE / 2, SIDE - tall - 14])
    bag_handles(canvas, item.shared(), pose, moved, middle, top, tall, trim, gold)
    upper, lower = middle[1] - tall, middle[1] + tall
    body = polygon([(middle[0] - top, upper), (middle[0] + top, upper), (middle[0] + wide, lower), (middle[0] - wide, lower)])
    soft = form.uniform(0, 9)
    body = cv2.GaussianBlur(body, (0, 0), soft + 0.1)
    body = np.clip((body.astype(np.float32) - 110) * 6, 0, 255)
    paint(canvas, body, hide)
    details = item.shared()
    if details.random() < 0.55:
        flap(canvas, details, middle, top, tall, hide, base_colour, item.own())
    if details.random() < 0.5:
        for x in (-0.55, 0.55):
            paint(canvas, np.minimum(rounded(middle + [x * top, 0], (details.uniform(4, 10), tall), 1), body.astype(np.uint8)), trim)
    if details.random() < 0.4:
        paint(canvas, np.minimum(rounded([middle[0], lower - tall * 0.12], (wide * 1.1, tall * 0.15), 1), body.astype(np.uint8)), trim)
    clasp(canvas, item.shared(), middle, tall, gold)
    if details.random() < 0.6:
        lettering(canvas, word(details), middle + [0, tall * details.uniform(-0.3, 0.7)], details.uniform(8, 20), gold if details.random() < 0.5 else trim)


def bag_handles(canvas, style, pose, moved, middle, top, tall, trim, gold):
    count = int(style.choice([1, 1, 2]))
    chain = style.random() < 0.3
    width = style.uniform(4, 11)
    spread = top * style.uniform(0.4, 0.9)
    rise = style.uniform(30, min(150, max(40, 2 * (SIDE / 2 - tall) - 10)))
    if moved:
        rise *= pose.uniform(0.4, 1.1)
    for number in range(count):
        lean = (0 if not moved else pose.uniform(-14, 14)) + 6 * number
        t = np.linspace(0, np.pi, 30)
        points = np.stack([middle[0] + np.cos(t) * spread + lean * np.sin(t), middle[1] - tall + 6 - np.sin(t) ** 0.8 * rise + 5 * number], 1)
        if chain:
            for at in points[::1]:
                paint(canvas, disc(at, width * 0.6), gold)
                paint(canvas, disc(at, width * 0.25), np.array(gold) * 0.4)
        else:
            paint(canvas, stroke(points, width), np.array(trim) * (0.8 if number else 1))


def flap(canvas, style, middle, top, tall, hide, base, own):
    drop = tall * style.uniform(0.5, 1.3)
    upper = middle[1] - tall
    shape = style.choice(["square", "round", "point"])
    if shape == "square":
        mask = polygon([(middle[0] - top, upper), (middle[0] + top, upper), (middle[0] + top, upper + drop), (middle[0] - top, upper + drop)])
    elif shape == "point":
        mask = polygon([(middle[0] - top, upper), (middle[0] + top, upper), (middle[0] + top * 0.9, upper + drop * 0.5), (middle[0], upper + drop), (middle[0] - top * 0.9, upper + drop * 0.5)])
    else:
        t = np.linspace(0, np.pi, 30)
        mask = polygon(np.stack([middle[0] + np.cos(t) * top, upper + np.sin(t) * drop], 1))
    paint(canvas, cv2.dilate(mask, np.ones((5, 5), np.uint8)), np.array(base) * 0.45)
    paint(canvas, mask, hide * 1.05 if style.random() < 0.7 else texture(style, SIDE, colour(own, "any")))


def clasp(canvas, style, middle, tall, gold):
    kind = style.choice(["none", "disc", "bar", "ring", "lock"])
    at = middle + [0, tall * style.uniform(-0.5, 0.3)]
    size = style.uniform(7, 18)
    if kind == "disc":
        paint(canvas, disc(at, size), gold)
        paint(canvas, disc(at, size * 0.6), np.array(gold) * 0.75)
    elif kind == "bar":
        paint(canvas, rounded(at, (size * 1.8, size * 0.45), 3), gold)
    elif kind == "ring":
        paint(canvas, cv2.subtract(disc(at, size), disc(at, size * 0.65)), gold)
    elif kind == "lock":
        paint(canvas, rounded(at, (size * 0.8, size), 4), gold)
        paint(canvas, disc(at, size * 0.25), (40, 35, 30))


def draw_thing(canvas, item, pose, moved):
    """Overlapping textured shapes: no object in particular, but one that can be recognised again."""
    style, own = item.shared(), item.own()
    middle = np.array([SIDE / 2, SIDE / 2])
    for number in range(int(style.integers(2, 7))):
        size = 120 * 0.75**number * style.uniform(0.7, 1.1)
        corners = int(style.integers(3, 9))
        turn = style.uniform(0, 6.3)
        angles = turn + np.sort(style.uniform(0, 2 * np.pi, corners + 2))
        at = middle + style.uniform(-50, 50, 2) * (number > 0)
        spokes = size * style.uniform(0.6, 1.1, corners + 2)
        points = np.stack([np.cos(angles) * spokes, np.sin(angles) * spokes], 1) + at
        mask = disc(at, size) if style.random() < 0.35 else polygon(points)
        paint(canvas, mask, texture(style, SIDE, colour(own, "any")))
    if style.random() < 0.5:
        lettering(canvas, word(style), middle + style.uniform(-40, 40, 2), style.uniform(12, 34), colour(own, "strong"))


def tilt(canvas, pose):
    """Another angle of the camera: a perspective of up to about thirty degrees."""
    corners = np.array([[0, 0], [SIDE, 0], [SIDE, SIDE], [0, SIDE]], np.float32)
    middle = SIDE / 2
    across, up = pose.uniform(-0.5, 0.5, 2)
    flat = (corners - middle) / middle
    depth = 1 + 0.35 * (flat[:, 0] * across + flat[:, 1] * up)
    squeezed = flat * [1 - abs(across) * 0.35, 1 - abs(up) * 0.35] / depth[:, None]
    target = (squeezed * middle * 0.85 + middle).astype(np.float32)
    return cv2.warpPerspective(canvas, cv2.getPerspectiveTransform(corners, target), (SIDE, SIDE), flags=cv2.INTER_LINEAR)


def shade(canvas, pose):
    """Uneven light, and now and then a reflection across the object."""
    y, x = np.mgrid[0:SIDE, 0:SIDE].astype(np.float32) / SIDE
    angle, slope = pose.uniform(0, 6.3), pose.uniform(0, 0.5)
    canvas[:, :, :3] *= (1 + slope * ((x - 0.5) * np.cos(angle) + (y - 0.5) * np.sin(angle)))[:, :, None]
    if pose.random() < 0.35:
        along = (x - pose.random()) * np.cos(angle) + (y - pose.random()) * np.sin(angle)
        glare = np.exp(-((along / pose.uniform(0.03, 0.12)) ** 2)) * pose.uniform(0.2, 0.6)
        coverage = canvas[:, :, 3:] / 255
        canvas[:, :, :3] += (255 * coverage - canvas[:, :, :3]) * glare[:, :, None]
