import type { Random } from '../../../models/random';

/*
 * What surrounds an item in a photo, as fragments of SVG. Coordinates are hundredths of the picture's side; what is drawn
 * may reach beyond the picture.
 */

/** A random place where an item may be photographed. */
export const anyPlace = (random: Random): string =>
  random.pick([plain, wood, wood, cloth, cloth, room, room, tiles])(random);

/** A ground of one colour, as light as given (0 to 100). */
export const plainGround = (lightness: number): string => box(`hsl(30 4% ${n(lightness)}%)`);

/**
 * Something in front of the item, coming from a random side: fingers or a box.
 *
 * @param amount how far it reaches in, 0 to 1
 */
export function obstacle(amount: number, random: Random): string {
  const angle = random.between(0, 360);
  const shape = random.pick([fingers, corner])(random);
  return `<g transform="translate(50 50) rotate(${n(angle)}) translate(${n(50 - amount * 42)} 0)">${shape}</g>`;
}

/** Uneven light over the whole picture, darker corners and sometimes glare. */
export function unevenLight(strength: number, random: Random): string {
  const angle = random.between(0, 360);
  const side = linear('light', angle, [
    [0, `rgba(255,248,232,${n(random.between(0, strength))})`],
    [0.5, 'rgba(128,124,116,0)'],
    [1, `rgba(0,0,10,${n(random.between(0, strength * 1.3))})`],
  ]);
  const vignette = radial('vignette', [50, 50, 75], 'black', [0, n(random.between(0, strength))]);
  const at = [random.between(20, 80), random.between(20, 80), random.between(8, 30)] as const;
  const glare = random.chance(strength) ? radial('glare', at, 'white', [n(random.between(0.2, 0.7)), 0]) : '';
  return side + vignette + glare;
}

function plain(random: Random): string {
  const hue = random.between(0, 360);
  const [light, dark] = [random.between(45, 95), random.between(25, 80)];
  const colour = (lightness: number) => `hsl(${n(hue)} ${n(random.between(0, 30))}% ${n(lightness)}%)`;
  return linear('plain', random.between(0, 360), [
    [0, colour(light)],
    [1, colour(dark)],
  ]);
}

function wood(random: Random): string {
  const [hue, light, plank] = [random.between(18, 36), random.between(20, 62), random.between(12, 34)];
  const tone = (change: number, opacity = 1) =>
    `hsla(${n(hue)} 42% ${n(light * (1 + change))}% / ${n(opacity)})`;
  const planks = rows(-25, 125, plank, (y) => {
    const grain = times(14, () => {
      const at = y + random.next() * plank;
      const bend = random.bell() * plank * 0.2;
      const stroke = tone(random.between(-0.5, -0.1), random.between(0.15, 0.55));
      return `<path d="M-25 ${n(at)}C10 ${n(at + bend)} 90 ${n(at - bend)} 125 ${n(at)}" stroke="${stroke}" stroke-width="${n(random.between(0.1, 0.5))}" fill="none"/>`;
    });
    const board = `<rect x="-25" y="${n(y)}" width="150" height="${n(plank - 0.5)}" fill="${tone(random.between(-0.22, 0.16))}"/>`;
    return board + grain;
  });
  const turn = random.between(-28, 28) + (random.chance(0.5) ? 90 : 0);
  return box(tone(-0.7)) + turned(turn, planks);
}

function cloth(random: Random): string {
  const [base, thread] = [anyColour(random), random.between(0.8, 2.4)];
  const weave = `<pattern id="weave" width="${n(thread)}" height="${n(thread)}" patternUnits="userSpaceOnUse" patternTransform="rotate(${n(random.between(-25, 65))})"><path d="M0 0H${n(thread)}M0 0V${n(thread)}" stroke="black" stroke-opacity="0.4" stroke-width="${n(thread * 0.6)}"/></pattern>`;
  const folds = times(5, (at) =>
    linear(`fold${at}`, random.between(-40, 40), [
      [0, 'rgba(0,0,0,0)'],
      [random.between(0.1, 0.45), `rgba(0,0,0,${n(random.between(0.05, 0.25))})`],
      [random.between(0.5, 0.6), `rgba(255,255,255,${n(random.between(0.03, 0.15))})`],
      [1, 'rgba(255,255,255,0)'],
    ]),
  );
  return box(base) + weave + box('url(#weave)') + folds;
}

/** A room out of focus: furniture and points of light. */
function room(random: Random): string {
  const things = times(9, (at) => {
    const circle = [random.between(0, 100), random.between(0, 100), random.between(12, 45)] as const;
    return radial(`thing${at}`, circle, anyColour(random), [0.85, 0], random.between(0.3, 0.8));
  });
  const lamps = times(random.chance(0.5) ? 14 : 0, () => {
    const [x, y, radius] = [random.between(0, 100), random.between(0, 60), random.between(1, 5)];
    return `<circle cx="${n(x)}" cy="${n(y)}" r="${n(radius)}" fill="hsl(${n(random.between(25, 50))} 100% 82%)" opacity="${n(random.between(0.12, 0.5))}"/>`;
  });
  return plain(random) + things + lamps;
}

function tiles(random: Random): string {
  const [hue, light, size] = [random.between(0, 360), random.between(30, 85), random.between(10, 28)];
  const laid = rows(-25, 125, size, (y) =>
    rows(-25, 125, size, (x) => {
      const fill = `hsl(${n(hue)} 14% ${n(light * random.between(0.9, 1.08))}%)`;
      return `<rect x="${n(x)}" y="${n(y)}" width="${n(size * 0.96)}" height="${n(size * 0.96)}" fill="${fill}"/>`;
    }),
  );
  return box(`hsl(${n(hue)} 8% ${n(light * 0.6)}%)`) + turned(random.between(-25, 25), laid);
}

/** Fingers that reach in; x points out of the picture. */
function fingers(random: Random): string {
  const [skin, width] = [
    random.pick(['#f1cdb4', '#deb08e', '#be8a64', '#8c5e40', '#5c3c2c']),
    random.between(7, 11),
  ];
  return times(random.integer(2, 4), (finger) => {
    const [tip, y] = [
      random.between(-2, 8) + Math.abs(finger - 1) * width * 0.4,
      (finger - 1.5) * width * 1.05,
    ];
    const line = (stroke: string, share: number) =>
      `<path d="M${n(tip)} ${n(y)}H120" stroke="${stroke}" stroke-width="${n(width * share)}" stroke-linecap="round"/>`;
    return line('rgba(0,0,0,0.35)', 1.12) + line(skin, 1) + line('rgba(255,255,255,0.14)', 0.4);
  });
}

function corner(random: Random): string {
  const height = random.between(20, 70);
  return `<rect y="${n(-height / 2)}" width="120" height="${n(height)}" fill="${anyColour(random)}" transform="rotate(${n(random.between(-28, 28))})"/>`;
}

const anyColour = (random: Random): string =>
  `hsl(${n(random.between(0, 360))} ${n(random.between(0, 45))}% ${n(random.between(10, 90))}%)`;

const box = (fill: string): string => `<rect x="-25" y="-25" width="150" height="150" fill="${fill}"/>`;

const turned = (degrees: number, drawn: string): string =>
  `<g transform="rotate(${n(degrees)} 50 50)">${drawn}</g>`;

/** The picture filled with a gradient along a direction. */
function linear(id: string, degrees: number, stops: readonly (readonly [number, string])[]): string {
  const colours = stops.map(([at, colour]) => `<stop offset="${n(at)}" stop-color="${colour}"/>`).join('');
  return `<linearGradient id="${id}" gradientUnits="userSpaceOnUse" x1="-10" y1="50" x2="110" y2="50" gradientTransform="rotate(${n(degrees)} 50 50)">${colours}</linearGradient>${box(`url(#${id})`)}`;
}

/** A soft circle: the opacity in its middle and at its edge, and where the middle's ends. */
function radial(
  id: string,
  [x, y, radius]: readonly [number, number, number],
  colour: string,
  [inner, outer]: readonly [number | string, number | string],
  from = 0,
): string {
  const stop = (at: number, opacity: number | string) =>
    `<stop offset="${n(at)}" stop-color="${colour}" stop-opacity="${opacity}"/>`;
  return `<radialGradient id="${id}" gradientUnits="userSpaceOnUse" cx="${n(x)}" cy="${n(y)}" r="${n(radius)}">${stop(from, inner)}${stop(1, outer)}</radialGradient>${box(`url(#${id})`)}`;
}

const times = (count: number, draw: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => draw(at)).join('');

function rows(from: number, to: number, step: number, draw: (at: number) => string): string {
  return times(Math.ceil((to - from) / step), (at) => draw(from + at * step));
}

/** A number as SVG, as short as it may be. */
const n = (value: number): string => String(Math.round(value * 1000) / 1000);
