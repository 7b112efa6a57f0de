import type { WatchLook } from './looks';
import { n, times } from './svg';

/** The outline of a case. */
export class Shape {
  /** Half the width and half the height of a case of radius 1, and the power of its superellipse: 2 is round, 12 a rectangle. */
  readonly across: number;
  readonly down: number;
  private readonly power: number;

  constructor(private readonly name: WatchLook['shape']) {
    [this.across, this.down, this.power] = {
      round: [1, 1, 2] as const,
      cushion: [0.98, 0.98, 3.6] as const,
      octagon: [1, 1, 0] as const,
      tonneau: [0.84, 1.06, 2.9] as const,
      square: [0.88, 0.88, 9] as const,
      tank: [0.72, 1, 11] as const,
    }[name];
  }

  /** How far the outline of a case of radius 1 is from its middle; the angle is from three o'clock on, in radians. */
  reach(angle: number): number {
    if (this.name === 'octagon') {
      const part = (angle + 9 * Math.PI) % (Math.PI / 4);
      return Math.cos(Math.PI / 8) / Math.cos(part - Math.PI / 8) + 0.04;
    }
    const [x, y] = [Math.abs(Math.cos(angle)) / this.across, Math.abs(Math.sin(angle)) / this.down];
    return (x ** this.power + y ** this.power) ** (-1 / this.power);
  }

  /** The point of the outline in a direction. */
  point(angle: number, radius: number): string {
    const reach = radius * this.reach(angle);
    return `${n(Math.cos(angle) * reach)} ${n(Math.sin(angle) * reach)}`;
  }

  /** A closed path; `radius` is that of the whole case. */
  outline(radius: number): string {
    return `M${times(144, (at) => `${at === 0 ? '' : 'L'}${this.point((at * Math.PI) / 72, radius)}`)}Z`;
  }
}
