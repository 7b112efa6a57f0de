/** A point of the picture or of a plane. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

/** A point in space: x to the right, y up, z towards the viewer. The unit is a thousandth of a picture's side. */
export interface Point3 extends Point {
  readonly z: number;
}

/** A flat surface in space: where its origin lies and where its two axes point. */
export interface Plane {
  readonly origin: Point3;
  readonly u: Point3;
  readonly v: Point3;
}

/** The six numbers of a canvas transform. */
export type Affine = readonly [number, number, number, number, number, number];

const DISTANCE = 2800;

/**
 * Projects space onto a picture whose y runs down. `yaw` turns the object about its upright axis and `pitch` looks at it
 * from above, both in radians; points are seen in mild perspective from a fixed distance.
 */
export class Camera {
  private readonly cosYaw: number;
  private readonly sinYaw: number;
  private readonly cosPitch: number;
  private readonly sinPitch: number;

  constructor(
    readonly yaw: number,
    readonly pitch: number,
    private readonly centre: Point3 = { x: 0, y: 250, z: 0 },
  ) {
    this.cosYaw = Math.cos(yaw);
    this.sinYaw = Math.sin(yaw);
    this.cosPitch = Math.cos(pitch);
    this.sinPitch = Math.sin(pitch);
  }

  /** Where a point of space is seen. */
  project(point: Point3): Point {
    const x = point.x - this.centre.x;
    const y = point.y - this.centre.y;
    const z = point.z - this.centre.z;
    const across = x * this.cosYaw + z * this.sinYaw;
    const towards = z * this.cosYaw - x * this.sinYaw;
    const up = y * this.cosPitch - towards * this.sinPitch;
    const nearness = DISTANCE / (DISTANCE - (y * this.sinPitch + towards * this.cosPitch));
    return { x: across * nearness, y: -up * nearness };
  }

  /** The canvas transform that lays a drawing (its x along `u`, its y along `v`) onto a plane about a point of it. */
  onto(plane: Plane): Affine {
    const origin = this.project(plane.origin);
    const alongU = this.project(moved(plane.origin, plane.u, 40));
    const alongV = this.project(moved(plane.origin, plane.v, 40));
    return [
      (alongU.x - origin.x) / 40,
      (alongU.y - origin.y) / 40,
      (alongV.x - origin.x) / 40,
      (alongV.y - origin.y) / 40,
      origin.x,
      origin.y,
    ];
  }
}

/** The plane that faces the viewer at a depth: a drawing's y runs down on it. */
export function facing(origin: Point3): Plane {
  return { origin, u: { x: 1, y: 0, z: 0 }, v: { x: 0, y: -1, z: 0 } };
}

function moved(from: Point3, along: Point3, by: number): Point3 {
  return { x: from.x + along.x * by, y: from.y + along.y * by, z: from.z + along.z * by };
}
