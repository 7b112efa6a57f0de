import type { Point, Point3 } from '../paint/camera';

/** Which of a bag's leathers a part is cut from. */
export type Tone = 'main' | 'trim' | 'lining';

/**
 * A bag is a list of parts, painted in order (furthest first). Outlines are in the bag's own space: x from the middle
 * to the right, y from the floor up, z from the middle to the front.
 */
export type Part =
  /** The body between its back and its front: what is seen of the sides. */
  | {
      readonly part: 'solid';
      readonly outline: readonly Point[];
      readonly depth: number;
      readonly soft: boolean;
    }
  /** A flat or slightly bulging piece that faces the viewer; of the main leather it has the pattern. */
  | {
      readonly part: 'panel';
      readonly outline: readonly Point[];
      readonly z: number;
      readonly tone: Tone;
      readonly bulge: number;
      readonly edge: 'stitched' | 'piped' | 'plain';
      readonly raised: boolean;
    }
  /** A piece at any angle: the mouth of an open bag, its inside, its base. */
  | {
      readonly part: 'sheet';
      readonly corners: readonly Point3[];
      readonly tone: Tone;
      readonly shade: number;
    }
  /** A handle or strap along a line. */
  | {
      readonly part: 'strap';
      readonly line: readonly Point3[];
      readonly width: number;
      readonly make: StrapMake;
      /** Laid over the front: painted after everything else. */
      readonly over?: boolean;
    }
  | { readonly part: 'seam'; readonly line: readonly Point[]; readonly z: number }
  | { readonly part: 'zip'; readonly line: readonly Point[]; readonly z: number }
  | { readonly part: 'fold'; readonly line: readonly Point[]; readonly z: number; readonly width: number }
  | { readonly part: Fitting; readonly at: Point3; readonly size: number }
  | { readonly part: 'plate'; readonly at: Point3; readonly width: number; readonly height: number };

/** What is drawn flat to the viewer about a point of its own; `stamp` is the maison's name on the front. */
export type Fitting = 'clasp' | 'buckle' | 'ring' | 'rivet' | 'stamp' | 'charm';

/** How a strap is made. */
export type StrapMake = 'leather' | 'rolled' | 'chain' | 'woven-chain' | 'bamboo' | 'cord';

/** How a bag happens to lie or stand when it is photographed. */
export interface BagPose {
  /** 1 = straps and handles stand up as in the catalog picture, less = they have fallen to a side. */
  readonly lift: number;
  /** Which side they lean to, -1 to 1. */
  readonly lean: number;
}

/** The points by which a part takes room in the picture. */
export function extent(part: Part): readonly Point3[] {
  switch (part.part) {
    case 'solid':
      return part.outline.flatMap((point) => [
        { ...point, z: part.depth / 2 },
        { ...point, z: -part.depth / 2 },
      ]);
    case 'panel':
      return part.outline.map((point) => ({ ...point, z: part.z }));
    case 'zip':
    case 'seam':
    case 'fold':
      return part.line.map((point) => ({ ...point, z: part.z }));
    case 'sheet':
      return part.corners;
    case 'strap':
      return part.line;
    case 'charm':
      return [part.at, { ...part.at, y: part.at.y - part.size * 1.6 }];
    default:
      return [part.at];
  }
}
