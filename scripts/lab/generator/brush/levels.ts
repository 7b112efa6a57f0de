import type { PhotoLevel } from '../../../../models/ports';

/** How far a level goes from the catalog picture. */
export interface Limits {
  /** Deviation of the angle of view, in radians. */
  readonly yaw: number;
  /** Deviation of the turn in the picture's plane, in radians. */
  readonly turn: number;
  /** How far the corners of the picture may be pulled, against its half. */
  readonly perspective: number;
  /** Size of the item against the picture. */
  readonly scale: readonly [number, number];
  /** Deviation of its place from the middle, against the picture's side. */
  readonly shift: number;
  /** Probability that something is in front of it, and how much it may hide. */
  readonly occlusion: number;
  /** How uneven, tinted and wrongly exposed the light is. */
  readonly light: number;
  /** Probability of blur, and how strong it may be. */
  readonly blur: number;
  /** Deviation of the sensor's noise, in steps of 255. */
  readonly noise: number;
  /** JPEG quality. */
  readonly quality: readonly [number, number];
}

/** The limits of each level. */
export const LIMITS: Readonly<Record<PhotoLevel, Limits>> = {
  1: {
    yaw: 0.22,
    turn: 0.09,
    perspective: 0.05,
    scale: [0.85, 1.15],
    shift: 0.03,
    occlusion: 0,
    light: 0.12,
    blur: 0.15,
    noise: 3,
    quality: [80, 92],
  },
  2: {
    yaw: 0.42,
    turn: 0.25,
    perspective: 0.12,
    scale: [0.7, 1.3],
    shift: 0.06,
    occlusion: 0.3,
    light: 0.26,
    blur: 0.45,
    noise: 8,
    quality: [58, 88],
  },
  3: {
    yaw: 0.62,
    turn: 0.6,
    perspective: 0.2,
    scale: [0.5, 1.5],
    shift: 0.09,
    occlusion: 0.65,
    light: 0.42,
    blur: 0.9,
    noise: 15,
    quality: [32, 78],
  },
};
