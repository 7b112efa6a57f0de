import type { Point, Point3 } from '../paint/camera';

/** Which of a bag's leathers a part is cut from. */
export type Tone = 'main' | 'second' | 'trim' | 'lining';

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
      readonly tone: Tone;
    }
  /** A flat or slightly bulging piece that faces the viewer. */
  | {
      readonly part: 'panel';
      readonly outline: readonly Point[];
      readonly z: number;
      readonly tone: Tone;
      readonly patterned: boolean;
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
      readonly tone: Tone;
      /** Laid over the front: painted after everything else. */
      readonly over?: boolean;
    }
  | { readonly part: 'seam'; readonly line: readonly Point[]; readonly z: number }
  | { readonly part: 'fold'; readonly line: readonly Point[]; readonly z: number; readonly width: number }
  | { readonly part: 'zip'; readonly line: readonly Point[]; readonly z: number }
  | { readonly part: 'clasp'; readonly at: Point; readonly z: number; readonly size: number }
  | { readonly part: 'buckle'; readonly at: Point; readonly z: number; readonly size: number }
  | { readonly part: 'ring'; readonly at: Point3; readonly size: number }
  | { readonly part: 'rivet'; readonly at: Point3; readonly size: number }
  | {
      readonly part: 'plate';
      readonly at: Point;
      readonly z: number;
      readonly width: number;
      readonly height: number;
    }
  /** The maison's name on the front. */
  | { readonly part: 'stamp'; readonly at: Point; readonly z: number; readonly size: number }
  | { readonly part: 'charm'; readonly at: Point3; readonly size: number };

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
    case 'zip':
    case 'seam':
    case 'fold':
      return ('outline' in part ? part.outline : part.line).map((point) => ({ ...point, z: part.z }));
    case 'sheet':
      return part.corners;
    case 'strap':
      return part.line;
    case 'clasp':
    case 'buckle':
    case 'plate':
    case 'stamp':
      return [{ ...part.at, z: part.z }];
    case 'ring':
    case 'rivet':
      return [part.at];
    case 'charm':
      return [part.at, { ...part.at, y: part.at.y - part.size * 1.6 }];
  }
}
