import type { BagLook } from '../look/look';
import { arc, bezier } from '../paint/curves';
import { body, box, handle, lifted, panel, shoulderStrap, where } from './cuts';
import type { BagPose, Part } from './parts';

/** An open bag with two long handles. */
export function tote(look: BagLook, pose: BagPose): Part[] {
  const { width, height, depth } = look;
  const head = width * look.flare;
  const mouthDepth = depth * 0.45;
  const front = body(width, head, height, height * look.roundness * 0.6, 6);
  const half = head * 0.24;
  const foot = height * (look.piping ? 0.72 : 0.9);
  return [
    handle(look, { half, y: height - 10, z: -mouthDepth / 2 }, look.handleDrop, pose),
    ...mouth(head, height, mouthDepth),
    { part: 'solid', outline: front, depth, soft: false, tone: 'main' },
    panel(front, depth / 2),
    ...where(
      look.frontPocket,
      panel(box(-width * 0.28, height * 0.12, width * 0.56, height * 0.45, 18), depth / 2 + 2, {
        raised: true,
      }),
    ),
    ...where(
      look.beltStraps,
      panel(box(-head / 2, height - 46, head, 40, 4), depth / 2 + 1, {
        tone: 'trim',
        patterned: false,
        bulge: 0.6,
      }),
    ),
    ...[-half, half].flatMap((x): Part[] => [
      panel(
        box(x - look.handleWidth * 0.9, foot - 40, look.handleWidth * 1.8, height - foot + 34, 8),
        depth / 2 + 3,
        {
          tone: 'trim',
          patterned: false,
          raised: true,
        },
      ),
      { part: 'rivet', at: { x, y: foot - 16, z: depth / 2 + 4 }, size: 9 },
    ]),
    handle(look, { half, y: height - 14, z: depth / 2 + 4 }, look.handleDrop, pose),
    ...where(look.clasp !== 'none', {
      part: 'clasp',
      at: { x: 0, y: height * 0.84 },
      z: depth / 2 + 5,
      size: look.claspSize * 0.8,
    }),
    ...where(look.charm !== 'none', {
      part: 'charm',
      at: { x: half, y: height * 0.9, z: depth / 2 + 8 },
      size: 110,
    }),
  ];
}

/** A crescent with one wide strap that grows out of its horns. */
export function hobo(look: BagLook, pose: BagPose): Part[] {
  const { width, height, depth } = look;
  const half = width / 2;
  const dip = height * 0.34;
  const sag = 0.08 + 0.5 * look.roundness;
  const front = [
    ...bezier(
      { x: -half, y: height },
      { x: -half * 1.12, y: height * 0.2 },
      { x: -half * (0.9 - sag * 0.2), y: 0 },
      { x: 0, y: 0 },
      20,
    ),
    ...bezier(
      { x: 0, y: 0 },
      { x: half * (0.9 - sag * 0.2), y: 0 },
      { x: half * 1.12, y: height * 0.2 },
      { x: half, y: height },
      20,
    ).slice(1),
    ...bezier(
      { x: half, y: height },
      { x: half * 0.6, y: height - dip },
      { x: -half * 0.6, y: height - dip },
      { x: -half, y: height },
      24,
    ).slice(1, -1),
  ];
  const zip = bezier(
    { x: -half * 0.9, y: height * 0.9 },
    { x: -half * 0.5, y: height - dip * 0.98 },
    { x: half * 0.5, y: height - dip * 0.98 },
    { x: half * 0.9, y: height * 0.9 },
  );
  const strapHalf = half * 0.97;
  const ringed = look.clasp === 'ring';
  return [
    { part: 'solid', outline: front, depth: depth * 0.8, soft: true, tone: 'main' },
    handle(
      look,
      { half: strapHalf, y: height - 4, z: 0 },
      look.handleDrop * 0.9 + 80,
      pose,
      look.handle === 'chain' ? 'chain' : 'leather',
    ),
    panel(front, depth * 0.4, { bulge: 1.5, edge: look.piping ? 'piped' : 'stitched' }),
    {
      part: 'fold',
      line: bezier(
        { x: -half * 0.72, y: height * 0.7 },
        { x: -half * 0.5, y: height * 0.5 },
        { x: -half * 0.4, y: height * 0.3 },
        { x: -half * 0.44, y: height * 0.16 },
      ),
      z: depth * 0.4,
      width: 26,
    },
    {
      part: 'fold',
      line: bezier(
        { x: half * 0.7, y: height * 0.72 },
        { x: half * 0.55, y: height * 0.5 },
        { x: half * 0.52, y: height * 0.36 },
        { x: half * 0.34, y: height * 0.2 },
      ),
      z: depth * 0.4,
      width: 22,
    },
    { part: 'zip', line: zip, z: depth * 0.4 + 2 },
    ...where(
      ringed,
      { part: 'ring', at: { x: -strapHalf, y: height, z: 8 }, size: 36 },
      { part: 'ring', at: { x: strapHalf, y: height, z: 8 }, size: 36 },
    ),
    ...where(!ringed && look.clasp !== 'none', {
      part: 'clasp',
      at: { x: 0, y: height * 0.44 },
      z: depth * 0.4 + 3,
      size: look.claspSize * 0.8,
    }),
    ...where(look.charm !== 'none', {
      part: 'charm',
      at: { x: half * 0.86, y: height * 0.9, z: depth * 0.4 + 6 },
      size: 110,
    }),
  ];
}

/** A drawstring bucket. */
export function bucket(look: BagLook, pose: BagPose): Part[] {
  const { width, height, depth } = look;
  const head = width * (0.86 + 0.2 * look.flare - 0.1);
  const front = body(width, head, height, height * 0.1, 14);
  const z = depth / 2;
  const cordAt = height * 0.84;
  const eyelets = [-0.36, -0.22, -0.08, 0.08, 0.22, 0.36].map((share) => share * head);
  const cord = arc({ x: 0, y: cordAt }, head * 0.44, height * 0.03, Math.PI, Math.PI * 2, 20);
  const end = pose.lean * 12;
  return [
    shoulderStrap(look, head * 0.47, height * 0.9, pose, look.handle === 'chain' ? 'chain' : 'leather'),
    ...mouth(head * 0.98, height, depth * 0.8),
    { part: 'solid', outline: front, depth, soft: true, tone: 'main' },
    panel(front, z, { bulge: 1.9 }),
    panel(body(width * 1.002, width * 0.99, height * 0.2, height * 0.1, 3), z + 1, {
      tone: 'trim',
      patterned: false,
      bulge: 1.9,
    }),
    ...eyelets.map(
      (x): Part => ({ part: 'rivet', at: { x, y: cordAt - height * 0.02, z: z + 2 }, size: 11 }),
    ),
    { part: 'strap', line: lifted(cord, z + 4), width: 13, make: 'cord', tone: 'trim' },
    {
      part: 'strap',
      line: lifted(
        bezier(
          { x: -8, y: cordAt - height * 0.03 },
          { x: -30, y: cordAt - height * 0.15 },
          { x: -26 + end, y: cordAt - height * 0.2 },
          { x: -34 + end, y: cordAt - height * 0.34 },
        ),
        z + 6,
      ),
      width: 12,
      make: 'cord',
      tone: 'trim',
    },
    {
      part: 'strap',
      line: lifted(
        bezier(
          { x: 8, y: cordAt - height * 0.03 },
          { x: 26, y: cordAt - height * 0.12 },
          { x: 20 + end, y: cordAt - height * 0.22 },
          { x: 30 + end, y: cordAt - height * 0.38 },
        ),
        z + 6,
      ),
      width: 12,
      make: 'cord',
      tone: 'trim',
    },
    ...where(look.clasp !== 'none', {
      part: 'clasp',
      at: { x: 0, y: height * 0.36 },
      z: z + 4,
      size: look.claspSize * 0.75,
    }),
    ...where(look.frontPocket, {
      part: 'plate',
      at: { x: 0, y: height * 0.5 },
      z: z + 3,
      width: 84,
      height: 24,
    }),
    ...where(look.charm !== 'none', {
      part: 'charm',
      at: { x: head * 0.3, y: height * 0.8, z: z + 8 },
      size: 110,
    }),
  ];
}

/** The mouth of an open bag: its back edge standing behind a dark inside. */
function mouth(head: number, height: number, depth: number): Part[] {
  const half = head / 2;
  return [
    {
      part: 'sheet',
      tone: 'lining',
      shade: 0.45,
      corners: [
        { x: -half, y: height, z: -depth / 2 },
        { x: half, y: height, z: -depth / 2 },
        { x: half, y: height, z: depth / 2 },
        { x: -half, y: height, z: depth / 2 },
      ],
    },
    {
      part: 'sheet',
      tone: 'main',
      shade: 0.35,
      corners: [
        { x: -half, y: height * 0.5, z: -depth / 2 },
        { x: half, y: height * 0.5, z: -depth / 2 },
        { x: half, y: height - 6, z: -depth / 2 },
        { x: -half, y: height - 6, z: -depth / 2 },
      ],
    },
  ];
}
