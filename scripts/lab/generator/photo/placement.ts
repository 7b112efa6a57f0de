import type { Random } from '../../../../models/random';
import type { Limits } from '../brush/levels';
import { backToSquare, type Corner, type Corners, type Pixels, warped } from '../brush/pixels';
import { drawCutout, studioView, type View, WATCH_FILL } from '../cutout';
import type { Look } from '../look/look';

/** Where an item lies in a photo: its middle, half of the square it is drawn in, and its turn. */
export interface Placement {
  readonly x: number;
  readonly y: number;
  readonly half: number;
  readonly angle: number;
  /** Pixels for a thousandth of a watch's picture: how large its parts are in the photo. */
  readonly unit: number;
}

/** Share of its square that an item takes: a watch's whole strap has to be inside. */
const FILL = { bag: 0.84, watch: 0.46 } as const;
/** Against a bag, so much larger is a watch's square, most of which is strap. */
const WATCH_ENLARGED = 1.7;

/** A place in a picture of so many pixels a side. */
export function placeItem(look: Look, size: number, limits: Limits, random: Random): Placement {
  const enlarged = look.kind === 'watch' ? WATCH_ENLARGED : 1;
  const half = (size / 2) * enlarged * random.between(...limits.scale);
  return {
    half,
    angle: random.bell() * limits.turn,
    x: size / 2 + random.bell() * limits.shift * size,
    y: size / 2 + random.bell() * limits.shift * size,
    unit: ((half * 2) / 1000) * (FILL.watch / WATCH_FILL),
  };
}

/** The item as the camera finds it: from another side, at another time, its straps fallen otherwise. */
export function photoView(look: Look, limits: Pick<Limits, 'yaw'>, random: Random): View {
  const studio = studioView(look);
  const pose = { lift: random.chance(0.5) ? 1 : random.between(0.2, 1), lean: random.between(-1, 1) };
  const minutes = random.integer(0, 719);
  if (look.kind === 'watch') {
    const tilt = limits.yaw * 0.6;
    return { ...studio, yaw: random.bell() * tilt, pitch: random.bell() * tilt, pose, minutes };
  }
  const pitch = Math.max(0.02, studio.pitch + random.bell() * limits.yaw * 0.4);
  return { ...studio, yaw: studio.yaw + random.bell() * limits.yaw, pitch, pose, minutes };
}

/** The item drawn and laid into a picture: turned, moved, scaled, in perspective. */
export function placedItem(
  look: Look,
  view: View,
  placement: Placement,
  size: number,
  limits: Limits,
  random: Random,
): Pixels {
  // Drawn about as large as it is laid down, so that nothing is sampled too thinly.
  const side = Math.max(48, Math.round(placement.half * 2));
  const source = drawCutout(look, view, side, FILL[look.kind])
    .canvas.getContext('2d')
    .getImageData(0, 0, side, side);
  return warped(source, backToSquare(corners(placement, limits, random), side), size, size);
}

function corners({ x, y, half, angle }: Placement, limits: Limits, random: Random): Corners {
  const place = (right: number, down: number): Corner => {
    const jitter = () => random.bell() * limits.perspective * half * 0.6;
    const dx = right * half + jitter();
    const dy = down * half + jitter();
    return [x + dx * Math.cos(angle) - dy * Math.sin(angle), y + dx * Math.sin(angle) + dy * Math.cos(angle)];
  };
  return [place(-1, -1), place(1, -1), place(1, 1), place(-1, 1)];
}
