import type { Random } from '../../../models/random';

/*
 * What surrounds an item in a photo. Places are squares from 0 to 1, colours from 0 to 255. Nothing here is decoded from
 * SVG, which no process of the service may read.
 */

export type Colour = readonly [red: number, green: number, blue: number];
/** The colour at a place of the picture. */
export type Background = (x: number, y: number) => Colour;
/** The colour of what is in front of the item at a place of the picture; null where there is nothing. */
export type Occluder = (x: number, y: number) => Colour | null;

export const randomBackground = (random: Random): Background =>
  random.pick([shaded, boards, boards, cloth, cloth, room, room, tiles])(random);

export function plainBackground(lightest: number, darkest: number, random: Random): Background {
  const channel = () => random.between(darkest, lightest);
  const colour: Colour = [channel(), channel(), channel()];
  return () => colour;
}

/** Fingers, or a box's corner, that reach in from a random side by `amount` (0 to 1). */
export function occluder(amount: number, random: Random): Occluder {
  const turn = turned(random.between(0, 2 * Math.PI));
  const start = 0.5 - amount * 0.42;
  if (random.chance(0.3)) {
    const [colour, half] = [anyColour(random), random.between(0.1, 0.35)];
    return (x, y) => {
      const [out, across] = turn(x, y);
      return out > start && Math.abs(across) < half ? colour : null;
    };
  }
  const skin = random.pick(SKINS);
  const radius = random.between(0.035, 0.055);
  const fingers = Array.from({ length: random.integer(2, 4) }, (_, at) => ({
    tip: start + random.between(0, 0.08) + Math.abs(at - 1) * radius,
    middle: (at - 1.5) * radius * 2.1,
  }));
  return (x, y) => {
    const [out, across] = turn(x, y);
    for (const { tip, middle } of fingers) {
      const away = Math.hypot(Math.min(0, out - tip), across - middle) / radius;
      if (away < 1) return lit(skin, 1.1 - 0.45 * away * away);
    }
    return null;
  };
}

/** How bright the light is at a place: it comes from one side, is weaker in the corners, and may glare. */
export function unevenLight(strength: number, random: Random): (x: number, y: number) => number {
  const turn = turned(random.between(0, 2 * Math.PI));
  const [bright, dark] = [random.between(0, strength * 0.5), random.between(0, strength * 1.3)];
  const vignette = random.between(0, strength) * 2;
  const [glareX, glareY, radius] = [random.next(), random.next(), random.between(0.08, 0.3)];
  const glare = random.chance(strength) ? random.between(0.2, 0.7) : 0;
  return (x, y) => {
    const [along] = turn(x, y);
    const fromMiddle = (x - 0.5) ** 2 + (y - 0.5) ** 2;
    const shine = glare && Math.max(0, 1 - Math.hypot(x - glareX, y - glareY) / radius);
    return 1 + along * (along > 0 ? 2 * bright : 1.6 * dark) - vignette * fromMiddle + glare * shine;
  };
}

function shaded(random: Random): Background {
  const [turn, from, to] = [turned(random.between(0, 2 * Math.PI)), anyColour(random), anyColour(random)];
  return (x, y) => mixed(from, to, 0.5 + 0.35 * turn(x, y)[0]);
}

function boards(random: Random): Background {
  const turn = turned(random.between(-0.5, 0.5) + (random.chance(0.5) ? Math.PI / 2 : 0));
  const wood = mixed([86, 52, 28], [206, 164, 112], random.next());
  const width = random.between(0.12, 0.34);
  const tones = Array.from({ length: 16 }, () => random.between(0.8, 1.15));
  return (x, y) => {
    const [along, across] = turn(x, y);
    const board = Math.floor(across / width + 8);
    const isGap = across / width + 8 - board < 0.02;
    const grain = Math.sin(across * 130 + 4 * Math.sin(along * 3 + board) + 2 * Math.sin(along * 11));
    return lit(wood, isGap ? 0.3 : (tones[board % 16] ?? 1) + 0.09 * grain);
  };
}

function tiles(random: Random): Background {
  const turn = turned(random.between(-0.4, 0.4));
  const [colour, size] = [anyColour(random), random.between(0.1, 0.28)];
  const tones = Array.from({ length: 61 }, () => random.between(0.88, 1.1));
  return (x, y) => {
    const [u, v] = turn(x, y).map((each) => each / size + 20) as [number, number];
    const isJoint = u % 1 < 0.04 || v % 1 < 0.04;
    return lit(colour, isJoint ? 0.6 : (tones[(Math.floor(u) * 7 + Math.floor(v) * 13) % 61] ?? 1));
  };
}

function cloth(random: Random): Background {
  const turn = turned(random.between(0, Math.PI));
  const [colour, threads] = [anyColour(random), random.between(180, 420)];
  const folds = Array.from({ length: 4 }, () => [random.between(2, 12), random.between(0, 6)] as const);
  return (x, y) => {
    const [u, v] = turn(x, y);
    const fold = folds.reduce((sum, [often, shift]) => sum + Math.sin(u * often + v * 2 + shift), 0);
    return lit(colour, 1 + 0.16 * Math.sin(u * threads) * Math.sin(v * threads) + 0.05 * fold);
  };
}

function room(random: Random): Background {
  const wall = shaded(random);
  const things = Array.from({ length: 8 }, () => {
    const [x, y, size] = [random.next(), random.next(), random.between(0.1, 0.35)];
    return { x, y, size, colour: random.chance(0.2) ? ([255, 235, 190] as const) : anyColour(random) };
  });
  return (x, y) =>
    things.reduce(
      (seen: Colour, thing) => {
        const away = ((x - thing.x) ** 2 + (y - thing.y) ** 2) / thing.size ** 2;
        return away > 1 ? seen : mixed(seen, thing.colour, 0.85 * (1 - away));
      },
      wall(x, y),
    );
}

const SKINS: readonly Colour[] = [
  [241, 205, 180],
  [222, 176, 142],
  [190, 138, 100],
  [140, 94, 64],
  [92, 60, 44],
];

function anyColour(random: Random): Colour {
  const [grey, tint] = [random.between(20, 230), random.between(0, 50)];
  const channel = () => Math.max(0, Math.min(255, grey + random.bell() * tint));
  return [channel(), channel(), channel()];
}

/** Coordinates from the middle of the picture, turned by an angle in radians. */
function turned(angle: number): (x: number, y: number) => [number, number] {
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  return (x, y) => [(x - 0.5) * cos + (y - 0.5) * sin, (y - 0.5) * cos - (x - 0.5) * sin];
}

const lit = ([red, green, blue]: Colour, light: number): Colour => [red * light, green * light, blue * light];

export const mixed = (from: Colour, to: Colour, share: number): Colour => [
  from[0] + (to[0] - from[0]) * share,
  from[1] + (to[1] - from[1]) * share,
  from[2] + (to[2] - from[2]) * share,
];
