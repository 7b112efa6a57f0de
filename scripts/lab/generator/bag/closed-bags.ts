import type { BagLook } from '../look/look';
import type { Point } from '../paint/camera';
import { arch, curveOf, rounded } from '../paint/curves';
import {
  body,
  box,
  charm,
  clasp,
  edgeOf,
  fitting,
  handle,
  lifted,
  panel,
  shoulderStrap,
  where,
} from './cuts';
import type { BagPose, Part } from './parts';

/** A wide bag under a front flap, on a chain or strap. */
export function flap(look: BagLook, pose: BagPose): Part[] {
  const { width, height, depth } = look;
  const z = depth / 2;
  const edge = edgeOf(look);
  const front = body(
    width,
    width * look.flare,
    height,
    height * look.roundness,
    height * look.roundness * 0.7,
  );
  const drop = height * (1 - look.flapShare);
  const lid = flapOutline(width * 0.995 * (look.flare * 0.5 + 0.5), height, drop, look.roundness);
  return [
    ...where(look.strap, shoulderStrap(look, width * 0.46, height * 0.95, pose, strapMake(look))),
    { part: 'solid', outline: front, depth, soft: look.roundness > 0.2 },
    panel(front, z, { bulge: 0.9, edge }),
    panel(lid, z + 6, { raised: true, edge }),
    fitting('clasp', 0, drop + look.claspSize * 0.55, z + 10, look.claspSize),
    ...where(
      !look.strap,
      handle(look, { half: width * 0.2, y: height - 6, z: 0 }, look.handleDrop * 0.6, pose),
    ),
    ...charm(look, width * 0.4, height * 0.95, z + 12, 105),
  ];
}

/** A long low bag to hold in the hand: an envelope, or a frame with a kiss lock. */
export function clutch(look: BagLook, pose: BagPose): Part[] {
  const { width, depth } = look;
  const height = look.height * 0.8;
  const z = depth * 0.2;
  const framed = look.clasp === 'ring' || look.clasp === 'knot';
  const front = body(
    width,
    width * (framed ? 0.86 : 1),
    height,
    height * look.roundness,
    framed ? height * 0.3 : 10,
  );
  const tip = height * (0.78 - look.flapShare * 0.6);
  const fold = rounded([
    [-width / 2, height, 8],
    [-width / 2 + 4, height * 0.86, 4],
    [0, tip, 26],
    [width / 2 - 4, height * 0.86, 4],
    [width / 2, height, 8],
  ]);
  const closed: Part[] = framed
    ? [
        { part: 'plate', at: { x: 0, y: height * 0.985, z: z + 2 }, width: width * 0.8, height: 22 },
        fitting('rivet', -11, height + 18, z + 4, 15),
        fitting('rivet', 12, height + 18, z + 5, 15),
      ]
    : [
        panel(fold, z + 4, { raised: true }),
        fitting('clasp', 0, tip + look.claspSize * 0.5, z + 8, look.claspSize * 0.8),
      ];
  return [
    ...where(
      look.strap,
      shoulderStrap(look, width * 0.45, height * 0.93, { ...pose, lift: pose.lift * 0.6 }, 'chain'),
    ),
    { part: 'solid', outline: front, depth: depth * 0.4, soft: true },
    panel(front, z, { edge: edgeOf(look) }),
    ...closed,
    ...charm(look, width * 0.44, height * 0.9, z + 6, 100),
  ];
}

/** A rounded flap like the side of a saddle, reaching nearly to the floor. */
export function saddle(look: BagLook, pose: BagPose): Part[] {
  const { width, height, depth } = look;
  const z = depth * 0.35;
  const half = width / 2;
  const back = curveOf(
    20,
    [-half * 0.94, height],
    [-half * 1.1, height * 0.1],
    [-half * 0.7, 0],
    [half * 0.08, 0],
    [half * 0.8, 0],
    [half * 1.12, height * 0.2],
    [half * 0.94, height],
  );
  const skew = look.flare > 1 ? 0.22 : 0;
  const over = curveOf(
    16,
    [-half * 0.96, height],
    [-half * 1.06, height * 0.5],
    [-half * 0.8, height * 0.42],
    [-half * 0.2, height * 0.3],
    [half * 0.1, height * 0.24],
    [half * skew, height * 0.1],
    [half * (0.36 + skew), height * 0.14],
    [half * 0.9, height * 0.2],
    [half * 1.06, height * 0.6],
    [half * 0.96, height],
  );
  return [
    ...where(
      look.strap,
      shoulderStrap(look, half * 0.86, height * 0.96, { ...pose, lift: pose.lift * 0.55 }, strapMake(look)),
    ),
    { part: 'solid', outline: back, depth: depth * 0.7, soft: true },
    panel(back, z, { bulge: 1.2 }),
    panel(over, z + 6, { raised: true, edge: edgeOf(look) }),
    fitting('clasp', half * (0.36 + skew) - 8, height * 0.2 + look.claspSize * 0.4, z + 10, look.claspSize),
    fitting('ring', -half * 0.9, height * 0.9, z + 8, 24),
    fitting('ring', half * 0.9, height * 0.9, z + 8, 24),
    ...charm(look, -half * 0.8, height * 0.88, z + 10, 100),
  ];
}

/** A small zipped box on a strap. */
export function camera(look: BagLook, pose: BagPose): Part[] {
  const { width, height, depth } = look;
  const z = depth / 2;
  const radius = height * (0.12 + look.roundness * 0.5);
  const front = body(width, width * look.flare, height, radius * 0.8, radius);
  const pocket = box(-width * 0.38, height * 0.1, width * 0.76, height * 0.5, radius * 0.5);
  return [
    ...where(look.strap, shoulderStrap(look, width * 0.47, height * 0.9, pose, strapMake(look))),
    { part: 'solid', outline: front, depth, soft: true },
    panel(front, z, { edge: edgeOf(look) }),
    { part: 'zip', line: arch(width * 0.42, height * 0.9, width * 0.2, height * 0.965), z: z + 1 },
    ...where(look.frontPocket, panel(pocket, z + 4, { raised: true })),
    ...clasp(look, 0, height * (look.frontPocket ? 0.46 : 0.5), z + 8, look.claspSize),
    fitting('charm', width * 0.4, height * 0.9, z + 6, look.charm === 'none' ? 60 : 95),
  ];
}

/** The outline of a flap that hangs from a bag's top edge down to `drop`. */
export function flapOutline(width: number, height: number, drop: number, roundness: number): Point[] {
  const radius = Math.min(width * 0.22, (height - drop) * (0.25 + roundness * 1.4));
  return rounded(
    [
      [-width / 2, drop, radius],
      [width / 2, drop, radius],
      [width / 2, height + 4, 12],
      [-width / 2, height + 4, 12],
    ],
    10,
  );
}

function strapMake(look: BagLook) {
  return look.handle === 'rolled' || look.handle === 'bamboo' ? 'leather' : look.handle;
}

/** A strap that hangs in front of a bag, held by its middle. */
export function frontBelt(x: number, from: number, to: number, width: number, z: number): Part[] {
  return [
    panel(box(x - width / 2, from, width, to - from, width * 0.4), z, {
      tone: 'trim',
      raised: true,
      bulge: 0.6,
    }),
    {
      part: 'seam',
      line: [
        { x, y: from + 8 },
        { x, y: to - 8 },
      ],
      z: z + 1,
    },
    fitting('buckle', x, from + (to - from) * 0.35, z + 2, width * 0.8),
  ];
}

/** A short loop of leather standing on a bag's top. */
export function loop(half: number, y: number, rise: number, width: number): Part {
  const line = arch(half, y, half, y + rise * 1.3);
  return { part: 'strap', line: lifted(line, 0), width, make: 'leather' };
}
