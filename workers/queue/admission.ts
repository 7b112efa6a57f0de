import { type AppError, unavailable } from '../../models/errors';
import type { ServiceRate } from './service-rate';

/** The queue as a caller finds it. */
export interface QueueLoad {
  readonly waiting: number;
  readonly active: number;
}

/** What a caller may use of the queue. */
export interface QueueRoom {
  /** Photos that may wait. */
  readonly waitingMax: number;
  /** Milliseconds until the caller's deadline. */
  readonly leftMs: number;
}

/** What is kept of the places, and of the time, for accounts that have less than their share of them. */
const KEPT_SHARE = 1 / 8;

/**
 * The room for an account that has its share of the queue. The rest is for others, so that they find a place at once
 * while a flood from one account takes each that becomes free.
 */
export const roomWithShare = ({ waitingMax, leftMs }: QueueRoom): QueueRoom => ({
  waitingMax: Math.ceil(waitingMax * (1 - KEPT_SHARE)),
  leftMs: leftMs * (1 - KEPT_SHARE),
});

/**
 * Whether a photo is worth queueing: the place it would take is there, and its turn comes before its deadline. The
 * `Retry-After` of a refusal is the time after which, at the measured pace, it would be taken.
 *
 * @returns the refusal, or null when the photo may be queued
 */
export function refusal(
  load: QueueLoad,
  rate: ServiceRate,
  { waitingMax, leftMs }: QueueRoom,
): AppError | null {
  if (load.waiting >= waitingMax) {
    const surplusMs = rate.waitMs(load.waiting - waitingMax + 1);
    return unavailable('Too many photos are waiting.', surplusMs / 1000);
  }
  // Where nobody waits a worker is free, or it is time to find out.
  const waitMs = load.waiting === 0 ? 0 : rate.waitMs(load.waiting + load.active);
  if (waitMs <= leftMs) return null;
  return unavailable('More photos are waiting than can be answered in time.', (waitMs - leftMs) / 1000);
}

/**
 * A photo that is still to be decoded is let in when its turn comes in this share of the time that it has: what it takes
 * until then is not known, and a longer queue would serve no more.
 */
const ENTRANCE_SHARE = 0.5;

/** As many as one key may have at a time are let in while anything moves: of so few the pace says too little. */
const ALWAYS_LET_IN = 16;

/**
 * Whether a photo is worth taking in, before it is decoded.
 *
 * @param before photos of this process that are on their way to the queue
 * @returns the refusal, or null when the photo may come in
 */
export function entranceRefusal(
  { waiting, active }: QueueLoad,
  before: number,
  rate: ServiceRate,
  { waitingMax, leftMs }: QueueRoom,
): AppError | null {
  const load = { waiting: waiting + before, active };
  const few = load.waiting + active < ALWAYS_LET_IN && !rate.standsStill;
  return refusal(load, rate, {
    waitingMax,
    leftMs: few ? Number.POSITIVE_INFINITY : leftMs * ENTRANCE_SHARE,
  });
}
