import type { BagLook } from '../look/look';
import type { Point, Point3 } from '../paint/camera';
import { curveOf, rounded } from '../paint/curves';
import type { BagPose, Fitting, Part, StrapMake } from './parts';

/** A body outline with its own corner radii: `foot` and `head` are its widths at the floor and at the top. */
export function body(
  foot: number,
  head: number,
  height: number,
  footRadius: number,
  headRadius: number,
  from = 0,
): Point[] {
  return rounded([
    [-foot / 2, from, footRadius],
    [foot / 2, from, footRadius],
    [head / 2, from + height, headRadius],
    [-head / 2, from + height, headRadius],
  ]);
}

/** A rectangle, its corners rounded. */
export function box(x: number, y: number, width: number, height: number, radius: number): Point[] {
  return rounded([
    [x, y, radius],
    [x + width, y, radius],
    [x + width, y + height, radius],
    [x, y + height, radius],
  ]);
}

/** A flat front piece; what is left out is as on an ordinary front. */
export function panel(
  outline: readonly Point[],
  z: number,
  given: Partial<Omit<Extract<Part, { part: 'panel' }>, 'part' | 'outline' | 'z'>> = {},
): Part {
  return { part: 'panel', outline, z, tone: 'main', bulge: 1, edge: 'stitched', raised: false, ...given };
}

/** How the front of a bag is finished. */
export const edgeOf = ({ piping }: BagLook) => (piping ? 'piped' : 'stitched');

/** A handle from one foot to the other, rising by `rise` between them. */
export function handle(
  look: BagLook,
  feet: { readonly half: number; readonly y: number; readonly z: number },
  rise: number,
  pose: BagPose,
  make: StrapMake = look.handle,
): Part {
  const up = rise * (0.25 + 0.75 * pose.lift);
  const lean = pose.lean * (1 - pose.lift) * feet.half * 1.4;
  const spread = feet.half * 0.12;
  const line = curveOf(
    32,
    [-feet.half, feet.y],
    [-feet.half - spread + lean * 0.4, feet.y + up * 1.3],
    [feet.half + spread + lean * 0.4, feet.y + up * 1.3],
    [feet.half, feet.y],
  );
  return { part: 'strap', line: lifted(line, feet.z), width: look.handleWidth, make };
}

/**
 * A long shoulder strap from side to side: standing in an arc, half fallen, or laid over the front, as the model is
 * usually shown; let fall, it lies over the front whatever the model.
 */
export function shoulderStrap(look: BagLook, half: number, y: number, pose: BagPose, make: StrapMake): Part {
  const width = make === 'leather' ? look.handleWidth * 0.8 : look.handleWidth;
  if (look.strapCarry === 'draped' || pose.lift < 0.45) {
    const low = y - look.height * (0.5 + 0.3 * pose.lift);
    const aside = pose.lean * half * 0.3;
    const line = curveOf(40, [-half, y], [-half * 0.9 + aside, low], [half * 0.6 + aside, low], [half, y]);
    return { part: 'strap', line: lifted(line, frontOf(look) + 18), width, make, over: true };
  }
  const rise = Math.min(620, look.height * 0.5 + 240) * pose.lift * (look.strapCarry === 'low' ? 0.5 : 1);
  const fallen = (1 - pose.lift) * (pose.lean >= 0 ? 1 : -1) * half * 0.9;
  const line = curveOf(
    40,
    [-half, y],
    [-half * 0.95 + fallen, y + rise * 1.3],
    [half * 0.95 + fallen, y + rise * 1.3],
    [half, y],
  );
  return { part: 'strap', line: lifted(line, 0), width, make };
}

/** A fitting at a place. */
export const fitting = (part: Fitting, x: number, y: number, z: number, size: number): Part => ({
  part,
  at: { x, y, z },
  size,
});

/** The fastener, where the look has one. */
export const clasp = (look: BagLook, x: number, y: number, z: number, size: number): readonly Part[] =>
  where(look.clasp !== 'none', fitting('clasp', x, y, z, size));

/** What hangs from the bag, if anything does. */
export const charm = (look: BagLook, x: number, y: number, z: number, size: number): readonly Part[] =>
  where(look.charm !== 'none', fitting('charm', x, y, z, size));

/** How far in front of its middle a bag's front lies. */
export function frontOf({ shape, depth }: Pick<BagLook, 'shape' | 'depth'>): number {
  switch (shape) {
    case 'bucket':
      return 0;
    case 'clutch':
      return depth * 0.2;
    case 'saddle':
      return depth * 0.35;
    case 'hobo':
      return depth * 0.4;
    default:
      return depth / 2;
  }
}

/** A drawing's line at a depth. */
export function lifted(line: readonly Point[], z: number): Point3[] {
  return line.map(({ x, y }) => ({ x, y, z }));
}

/** Parts only where the look has them. */
export function where(present: boolean, ...parts: readonly Part[]): readonly Part[] {
  return present ? parts : [];
}
