import type { BagLook } from '../look/look';
import { arc, arch, curve, rounded } from '../paint/curves';
import { flapOutline, frontBelt, loop } from './closed-bags';
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

/** A stiff trapezoid with one curved handle, a short flap and a belt that closes it. */
export function topHandle(look: BagLook, pose: BagPose): Part[] {
  const { width, height, depth } = look;
  const z = depth / 2;
  const head = width * Math.min(0.96, look.flare);
  const front = body(width, head, height, 16 + height * look.roundness * 0.4, 14);
  const drop = height * (0.92 - look.flapShare * 0.55);
  const lid = flapOutline(head * 1.01, height, drop, look.roundness * 0.4);
  const belt = box(-head * 0.49, height * 0.83, head * 0.98, 34, 6);
  const plate = (side: number): Part => ({
    part: 'plate',
    at: { x: side * head * 0.32, y: height * 0.83 + 17, z: z + 10 },
    width: 46,
    height: 30,
  });
  return [
    handle(
      look,
      { half: head * 0.2, y: height - 4, z: -depth * 0.1 },
      look.handleDrop * 0.62,
      pose,
      firm(look),
    ),
    { part: 'solid', outline: front, depth, soft: false },
    panel(front, z, { edge: edgeOf(look) }),
    panel(lid, z + 5, { raised: true }),
    ...where(
      look.beltStraps,
      panel(belt, z + 8, { tone: 'trim', raised: true, bulge: 0.6 }),
      plate(-1),
      plate(1),
    ),
    fitting(
      'clasp',
      0,
      look.beltStraps ? height * 0.83 + 14 : drop + look.claspSize * 0.5,
      z + 12,
      look.claspSize,
    ),
    ...[-1, 1].map((side) => fitting('ring', side * head * 0.2, height + 2, 6, 20)),
    ...feet(look),
    ...charm(look, head * 0.16, height + 8, z + 14, 140),
  ];
}

/** A school bag: a deep flap held by two buckled belts. */
export function satchel(look: BagLook, pose: BagPose): Part[] {
  const { width, height, depth } = look;
  const z = depth / 2;
  const front = body(width, width * look.flare, height, 14 + height * look.roundness * 0.5, 12);
  const drop = height * (0.9 - look.flapShare * 0.62);
  const lid = flapOutline(width * look.flare * 1.01, height, drop, look.roundness * 0.6);
  const beltFrom = Math.max(height * 0.14, drop - height * 0.14);
  return [
    ...where(
      look.strap,
      shoulderStrap(look, width * 0.47, height * 0.92, { ...pose, lift: pose.lift * 0.7 }, 'leather'),
    ),
    handle(look, { half: width * 0.17, y: height - 2, z: 0 }, look.handleDrop * 0.45, pose, firm(look)),
    { part: 'solid', outline: front, depth, soft: false },
    panel(front, z),
    ...where(
      look.frontPocket,
      panel(box(-width * 0.4, height * 0.06, width * 0.8, height * 0.42, 16), z + 3, { raised: true }),
    ),
    panel(lid, z + 6, { raised: true }),
    ...[-0.27, 0.27].flatMap((share) => frontBelt(share * width, beltFrom, height * 0.86, 40, z + 9)),
    ...where(
      look.clasp === 'emblem' || look.clasp === 'padlock',
      fitting('clasp', 0, drop + 30, z + 12, look.claspSize * 0.7),
    ),
    ...feet(look),
    ...charm(look, -width * 0.12, height, z + 12, 120),
  ];
}

/** A round-shouldered backpack with a front pocket and a loop to hang it by. */
export function backpack(look: BagLook, pose: BagPose): Part[] {
  const width = look.width * 0.78;
  const height = look.height * 1.25;
  const z = look.depth / 2;
  const front = body(width, width * 0.86, height, height * 0.1, height * 0.3);
  const pocket = box(-width * 0.37, height * 0.07, width * 0.74, height * 0.34, 34);
  const strap = (side: number): Part => ({
    part: 'strap',
    line: lifted(
      curve(
        [side * width * 0.26, height * 0.96],
        [side * width * 0.74, height * 0.86],
        [side * width * 0.72, height * 0.3],
        [side * width * 0.44, height * 0.06],
      ),
      -look.depth * 0.5,
    ),
    width: 38,
    make: 'leather',
  });
  const lidded = look.flapShare > 0.5;
  const lid = flapOutline(width * 0.84, height * 0.98, height * 0.52, 0.35);
  return [
    strap(-1),
    strap(1),
    loop(width * 0.12, height - 6, 52 + 20 * pose.lift, 20),
    { part: 'solid', outline: front, depth: look.depth, soft: true },
    panel(front, z, { bulge: 1.3, edge: edgeOf(look) }),
    ...where(!lidded, {
      part: 'zip',
      line: arc({ x: 0, y: height * 0.6 }, width * 0.4, height * 0.34, Math.PI * 0.95, Math.PI * 0.05, 30),
      z: z + 1,
    }),
    panel(pocket, z + 5, { raised: true }),
    {
      part: 'zip',
      line: [
        { x: -width * 0.33, y: height * 0.375 },
        { x: width * 0.33, y: height * 0.375 },
      ],
      z: z + 6,
    },
    ...where(
      lidded,
      panel(lid, z + 6, { raised: true }),
      ...frontBelt(0, height * 0.4, height * 0.78, 42, z + 9),
    ),
    ...clasp(look, 0, height * (lidded ? 0.22 : 0.24), z + 10, look.claspSize * 0.75),
    ...charm(look, width * 0.3, height * 0.4, z + 12, 95),
  ];
}

/** A barrel with a zip over its back and two handles. */
export function bowling(look: BagLook, pose: BagPose): Part[] {
  const { width, height, depth } = look;
  const z = depth / 2;
  const front = rounded(
    [
      [-width / 2, 0, height * 0.22],
      [width / 2, 0, height * 0.22],
      [(width / 2) * look.flare, height, height * (0.3 + look.roundness * 0.6)],
      [(-width / 2) * look.flare, height, height * (0.3 + look.roundness * 0.6)],
    ],
    12,
  );
  const half = width * 0.18;
  const band = (x: number) =>
    panel(box(x - 15, 8, 30, height * 0.9, 10), z + 3, { tone: 'trim', raised: true, bulge: 0.5 });
  return [
    handle(look, { half, y: height * 0.9, z: -depth * 0.22 }, look.handleDrop * 0.75, pose),
    { part: 'solid', outline: front, depth, soft: true },
    panel(front, z, { bulge: 1.2, edge: 'piped' }),
    panel(body(width, width * 0.998, height * 0.16, height * 0.12, 2), z + 1, { tone: 'trim' }),
    ...where(look.beltStraps, band(-half), band(half)),
    { part: 'zip', line: arch(width * 0.4, height * 0.9, width * 0.25, height * 0.975), z: z + 2 },
    fitting('rivet', -half, height * 0.72, z + 6, 12),
    fitting('rivet', half, height * 0.72, z + 6, 12),
    handle(look, { half, y: height * 0.74, z: z + 5 }, look.handleDrop * 0.75 + height * 0.16, pose),
    ...clasp(look, 0, height * 0.5, z + 6, look.claspSize * 0.8),
    ...charm(look, half, height * 0.8, z + 10, 120),
  ];
}

function feet(look: BagLook): readonly Part[] {
  return where(
    look.feet,
    ...[-0.4, 0.4].map((share) => fitting('rivet', share * look.width, -5, look.depth * 0.4, 13)),
  );
}

function firm(look: BagLook) {
  return look.handle === 'chain' || look.handle === 'woven-chain' ? 'rolled' : look.handle;
}
