import type { BagLook } from '../look/look';
import { arch, curve, curveOf } from '../paint/curves';
import { body, box, charm, clasp, edgeOf, fitting, handle, panel, where } from './cuts';
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
    ...mouth(width, head, height, mouthDepth),
    { part: 'solid', outline: front, depth, soft: false },
    panel(front, depth / 2),
    ...where(
      look.frontPocket,
      panel(box(-width * 0.28, height * 0.12, width * 0.56, height * 0.45, 18), depth / 2 + 2, {
        raised: true,
      }),
    ),
    ...where(
      look.beltStraps,
      panel(body(head - ((head - width) * 40) / height, head, 40, 3, 3, height - 40), depth / 2 + 1, {
        tone: 'trim',
        bulge: 0.6,
      }),
    ),
    ...[-half, half].flatMap((x) => [
      panel(
        box(x - look.handleWidth * 0.9, foot - 40, look.handleWidth * 1.8, height - foot + 34, 8),
        depth / 2 + 3,
        { tone: 'trim', raised: true },
      ),
      fitting('rivet', x, foot - 16, depth / 2 + 4, 9),
    ]),
    handle(look, { half, y: height - 14, z: depth / 2 + 4 }, look.handleDrop, pose),
    ...clasp(look, 0, height * 0.84, depth / 2 + 5, look.claspSize * 0.8),
    ...charm(look, half, height * 0.9, depth / 2 + 8, 110),
  ];
}

/** A crescent with one wide strap that grows out of its horns. */
export function hobo(look: BagLook, pose: BagPose): Part[] {
  const { width, height, depth } = look;
  const half = width / 2;
  const dip = height * 0.34;
  const sag = 0.08 + 0.5 * look.roundness;
  const front = [
    ...curveOf(
      20,
      [-half, height],
      [-half * 1.12, height * 0.2],
      [-half * (0.9 - sag * 0.2), 0],
      [0, 0],
      [half * (0.9 - sag * 0.2), 0],
      [half * 1.12, height * 0.2],
      [half, height],
    ),
    ...arch(-half, height, -half * 0.6, height - dip).slice(1, -1),
  ];
  const strapHalf = half * 0.97;
  return [
    { part: 'solid', outline: front, depth: depth * 0.8, soft: true },
    handle(
      look,
      { half: strapHalf, y: height - 4, z: 0 },
      look.handleDrop * 0.9 + 80,
      pose,
      look.handle === 'chain' ? 'chain' : 'leather',
    ),
    panel(front, depth * 0.4, { bulge: 1.5, edge: edgeOf(look) }),
    {
      part: 'fold',
      line: curve(
        [-half * 0.72, height * 0.7],
        [-half * 0.5, height * 0.5],
        [-half * 0.4, height * 0.3],
        [-half * 0.44, height * 0.16],
      ),
      z: depth * 0.4,
      width: 26,
    },
    {
      part: 'fold',
      line: curve(
        [half * 0.7, height * 0.72],
        [half * 0.55, height * 0.5],
        [half * 0.52, height * 0.36],
        [half * 0.34, height * 0.2],
      ),
      z: depth * 0.4,
      width: 22,
    },
    {
      part: 'zip',
      line: arch(half * 0.9, height * 0.9, half * 0.5, height - dip * 0.98),
      z: depth * 0.4 + 2,
    },
    ...(look.clasp === 'ring'
      ? [fitting('ring', -strapHalf, height, 8, 36), fitting('ring', strapHalf, height, 8, 36)]
      : clasp(look, 0, height * 0.44, depth * 0.4 + 3, look.claspSize * 0.8)),
    ...charm(look, half * 0.86, height * 0.9, depth * 0.4 + 6, 110),
  ];
}

/** The mouth of an open bag: its back edge standing behind a dark inside. */
function mouth(width: number, head: number, height: number, depth: number): Part[] {
  const half = head / 2;
  const waist = (width + head) / 4;
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
        { x: -waist, y: height * 0.5, z: -depth / 2 },
        { x: waist, y: height * 0.5, z: -depth / 2 },
        { x: half, y: height - 6, z: -depth / 2 },
        { x: -half, y: height - 6, z: -depth / 2 },
      ],
    },
  ];
}
