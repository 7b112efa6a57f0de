import type { Clock } from '../../models/ports';

/** Stands still until it is put forward or set: however slow a test is, no second passes in it. */
export class HandClock implements Clock {
  /** @param at milliseconds since 1970 */
  constructor(public at = Date.now()) {}

  now = (): Date => this.in(0);
  in = (ms: number): Date => new Date(this.at + ms);

  advance(ms: number): void {
    this.at += ms;
  }
}
