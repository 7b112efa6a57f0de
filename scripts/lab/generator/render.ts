import { Random } from '../../../models/random';
import { renderPhoto } from '../../../workers/image/distortion/distort-photo';
import type { BagLook } from './bags';
import { lookOf } from './catalog';
import { type BagPose, type Drawn, drawBag } from './draw-bag';
import { drawWatch, type WatchPose } from './draw-watch';
import { Defs, decodeSvg, svg } from './svg';
import { texture } from './textures';
import { STRAP_SURFACES, type WatchLook } from './watches';

/** From where an item is seen, whichever it is; `turn` in degrees in the plane of the picture. */
interface Pose extends BagPose, WatchPose {
  readonly turn: number;
  readonly fill: number;
}

/** The views of a catalog: the front, from the left and from the right. */
const VIEWS: readonly [Pose, ...Pose[]] = [
  { yaw: 0.32, tilt: 0, lift: 1, minutes: 608, turn: 0, fill: 0.84 },
  { yaw: -0.45, tilt: -0.5, lift: 0.6, minutes: 608, turn: -9, fill: 0.76 },
  { yaw: 0, tilt: 0, lift: 0.8, minutes: 608, turn: 8, fill: 1.1 },
];

/** A catalog picture of a product on a light ground: a square JPEG, the same bytes for the same look and view. */
export async function renderProduct(
  look: BagLook | WatchLook,
  { view = 0, side = 640 } = {},
): Promise<Buffer> {
  const defs = new Defs();
  const pose = VIEWS[view % VIEWS.length] ?? VIEWS[0];
  // A bag stands on its ground.
  const item = placed(await drawn(look, pose, defs), look.kind === 'bag' ? { ...pose, turn: 0 } : pose);
  const { hue, saturation } = look.studio;
  const ground = (lightness: number) =>
    svg`hsl(${hue},${saturation}%,${saturation === 0 ? 100 : lightness}%)`;
  const wall = defs.linear(90, `0 ${ground(96)}, .76 ${ground(91)}, 1 ${ground(95)}`);
  const content = `<rect width="1000" height="1000" fill="${wall}"/>${item}`;
  return decodeSvg(svgOf(defs, content, side))
    .flatten()
    .jpeg({ quality: 88 })
    .toBuffer();
}

/** Photos are distorted as those of a careful caller are. */
const LEVEL = 1;

/** Not one of its catalog pictures: from another side, in another place and light. `photoSeed` chooses among such photos. */
export async function photoOfProduct(photo: {
  readonly seed: number;
  readonly index: number;
  readonly photoSeed: number;
  readonly size?: number;
}): Promise<Buffer> {
  const { seed, index, photoSeed, size = 640 } = photo;
  const look = lookOf(seed, index);
  const random = new Random(seed, 'photo', index, photoSeed, LEVEL);
  const defs = new Defs();
  const pose: Pose = {
    yaw: 0.2 + random.bell() * 0.16,
    tilt: random.bell() * 0.16,
    lift: random.between(0.4, 1),
    minutes: random.integer(0, 719),
    turn: 0,
    fill: 0.86,
  };
  const item = svgOf(defs, placed(await drawn(look, pose, defs), pose), size);
  const data = await decodeSvg(item).ensureAlpha().raw().toBuffer();
  return renderPhoto({ data, width: size, height: size, isAlone: true }, LEVEL, random, size, 1);
}

async function drawn(look: BagLook | WatchLook, pose: Pose, defs: Defs): Promise<Drawn> {
  if (look.kind === 'bag') return drawBag(look, pose, defs, await texture(look.surface));
  const surface = STRAP_SURFACES[look.strap] ?? 'smooth';
  return drawWatch(look, pose, defs, { strap: await texture(surface), dial: await texture('suede') });
}

/** A drawing in the middle of a picture of 1000 units. */
function placed({ drawing, left, top, right, bottom }: Drawn, { fill, turn }: Pose): string {
  const scale = (1000 * fill) / Math.max(right - left, bottom - top);
  const middle = svg`translate(${-(left + right) / 2} ${-(top + bottom) / 2})`;
  return `<g transform="translate(500 500) rotate(${turn}) scale(${scale.toFixed(4)}) ${middle}">${drawing}</g>`;
}

const svgOf = (defs: Defs, content: string, side: number): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="${side}" height="${side}" viewBox="0 0 1000 1000">${defs}${content}</svg>`;
