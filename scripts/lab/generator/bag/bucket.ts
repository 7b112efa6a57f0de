import type { BagLook } from '../look/look';
import type { Point } from '../paint/camera';
import { arc, curve } from '../paint/curves';
import { charm, clasp, fitting, lifted, panel, shoulderStrap, where } from './cuts';
import type { BagPose, Part } from './parts';

/** How much of a circle seen from a little above is its height. */
const TILT = 0.17;

/** A drawstring bucket: a cylinder, so that its front is drawn with round edges instead of sides. */
export function bucket(look: BagLook, pose: BagPose): Part[] {
  const { width, height } = look;
  const head = width * (0.76 + 0.2 * look.flare);
  const rimDip = (head / 2) * TILT;
  const neck = height * 0.86;
  const band = width + (head - width) * 0.2;
  return [
    shoulderStrap(look, head * 0.47, height * 0.92, pose, look.handle === 'chain' ? 'chain' : 'leather'),
    {
      part: 'sheet',
      corners: lifted(arc({ x: 0, y: height }, head / 2, rimDip, 0, Math.PI * 2, 36), 0),
      tone: 'lining',
      shade: 0.45,
    },
    panel(tube(width, head, 0, height), 0, { bulge: 2, edge: 'plain' }),
    panel(tube(width, band, 0, height * 0.2), 1, { tone: 'trim', bulge: 2, edge: 'plain' }),
    { part: 'seam', line: hoop(band, height * 0.2 - 12), z: 2 },
    { part: 'seam', line: hoop(head, height - 14), z: 2 },
    cord(arc({ x: 0, y: height }, head / 2, rimDip, 0, Math.PI * 2, 48), 2, 8),
    ...creases(head, neck, height),
    ...where(look.frontPocket, { part: 'plate', at: { x: 0, y: height * 0.5, z: 3 }, width: 84, height: 24 }),
    ...clasp(look, 0, height * 0.34, 4, look.claspSize * 0.75),
    ...drawstring(head, neck, rimDip, height, pose),
    ...charm(look, head * 0.3, height * 0.8, 8, 110),
  ];
}

/** The front of a standing tube between two heights, its edges bent as circles seen from above. */
function tube(foot: number, head: number, from: number, to: number): Point[] {
  return [
    ...arc({ x: 0, y: from }, foot / 2, (foot / 2) * TILT, Math.PI, Math.PI * 2, 26),
    ...arc({ x: 0, y: to }, head / 2, (head / 2) * TILT, Math.PI * 2, Math.PI, 26),
  ];
}

/** How far below its ends the nearer half of a circle lies, at a share of its width from the middle. */
function dip(width: number, share: number): number {
  return -(width / 2) * TILT * Math.sqrt(Math.max(0, 1 - (2 * share) ** 2));
}

/** The nearer half of a circle round the tube. */
function hoop(width: number, y: number): Point[] {
  return arc({ x: 0, y }, (width / 2) * 0.99, (width / 2) * TILT, Math.PI, Math.PI * 2, 30);
}

const cord = (line: readonly Point[], z: number, width: number): Part => ({
  part: 'strap',
  line: lifted(line, z),
  width,
  make: 'cord',
});

/** Folds below the cord, where the leather is gathered. */
function creases(head: number, neck: number, height: number): Part[] {
  return [-0.36, -0.2, -0.05, 0.12, 0.27, 0.4].map((share, index) => ({
    part: 'fold',
    line: curve(
      [share * head, height + dip(head, share) - 14],
      [share * head, neck],
      [share * head * 1.04, neck - height * 0.1],
      [share * head * 1.1, neck - height * (0.2 + 0.05 * (index % 3))],
    ),
    z: 2,
    width: 20,
  }));
}

/** A cord through eyelets round the neck, tied in front, its ends hanging as they fall. */
function drawstring(head: number, neck: number, rimDip: number, height: number, pose: BagPose): Part[] {
  const eyelets = [-0.42, -0.3, -0.17, -0.06, 0.06, 0.17, 0.3, 0.42];
  const fall = pose.lean * 14;
  const end = (side: number) =>
    curve(
      [side * 6, neck - rimDip],
      [side * 44, neck - rimDip - height * 0.06],
      [side * 22 + fall, neck - height * 0.26],
      [side * 32 + fall, neck - height * (0.36 + side * 0.03)],
    );
  return [
    ...eyelets.map((share) => fitting('rivet', share * head, neck + dip(head, share), 3, 11)),
    cord(arc({ x: 0, y: neck }, head * 0.46, rimDip, Math.PI * 1.04, Math.PI * 1.96, 26), 5, 12),
    cord(end(-1), 7, 12),
    cord(end(1), 7, 12),
  ];
}
