import { unavailable } from '../../models/errors';
import type { Clock, VisionCaller, VisionPlace } from '../../models/ports';
import { ServiceRate } from './service-rate';

/** The queue as a caller finds it. */
export interface QueueLoad {
  readonly waiting: number;
  readonly active: number;
}

/** What a caller may use of the queue. */
interface QueueRoom {
  /** Photos that may wait. */
  readonly waitingMax: number;
  /** Milliseconds until the caller's deadline. */
  readonly leftMs: number;
}

export interface VisionQueueLimits {
  readonly clock: Clock;
  /** Photos that may wait, of all callers together. */
  readonly waitingMax: number;
}

/** What is kept of the places, and of the time, for accounts that have less than their share of them. */
const KEPT_SHARE = 1 / 8;

/**
 * A photo that is still to be decoded is let in when its turn comes in this share of the time that it has: what it takes
 * until then is not known, and a longer queue would serve no more.
 */
const ENTRANCE_SHARE = 0.5;

/** As many as one key may have at a time are let in while anything moves: of so few the pace says too little. */
const ALWAYS_LET_IN = 16;

/** Who finds room in a queue for photos, wherever it lives. */
export class Admission {
  readonly rate = new ServiceRate();
  /** Calls of this process whose photos are in the queue, or on their way to it: being decoded, or waiting for that. */
  #inside = 0;
  /** Of them those in the queue. */
  #asking = 0;
  readonly #byAccount = new Map<string, number>();

  constructor(private readonly limits: VisionQueueLimits) {}

  now(): number {
    return this.limits.clock.now().getTime();
  }

  /** A place among the calls of this process, which come before whoever comes later. */
  enter({ accountId }: VisionCaller): VisionPlace {
    this.#count(accountId, 1);
    let left = false;
    return {
      leave: () => {
        if (!left) this.#count(accountId, -1);
        left = true;
      },
    };
  }

  /** Meanwhile the photo of a call is in the queue. */
  async asking<Answer>(answer: () => Promise<Answer>): Promise<Answer> {
    this.#asking += 1;
    try {
      return await answer();
    } finally {
      this.#asking -= 1;
    }
  }

  /** @throws the refusal of a photo that is not worth taking in, before it is decoded: others are on their way as well */
  checkEntrance({ waiting, active }: QueueLoad, caller: VisionCaller): void {
    const load = { waiting: waiting + Math.max(0, this.#inside - this.#asking), active };
    const { waitingMax, leftMs } = this.#roomFor(caller);
    const few = load.waiting + active < ALWAYS_LET_IN && !this.rate.standsStill;
    const untilTurnMs = few ? Number.POSITIVE_INFINITY : leftMs * ENTRANCE_SHARE;
    checkRoom(load, this.rate, { waitingMax, leftMs: untilTurnMs });
  }

  /** @throws the refusal of a photo that is not worth queueing */
  check(load: QueueLoad, caller: VisionCaller): void {
    checkRoom(load, this.rate, this.#roomFor(caller));
  }

  /**
   * For an account that has its share of the queue a part is kept for others, so that they find a place at once while a
   * flood from one account takes each that becomes free. It has its share with as many calls of this process as fall to each
   * account that has any.
   */
  #roomFor({ accountId, deadlineAt }: VisionCaller): QueueRoom {
    const own = this.#byAccount.get(accountId) ?? 0;
    const share = own > 0 && own * this.#byAccount.size >= this.#inside ? 1 - KEPT_SHARE : 1;
    const leftMs = deadlineAt - this.now();
    return { waitingMax: Math.ceil(this.limits.waitingMax * share), leftMs: leftMs * share };
  }

  #count(accountId: string, calls: 1 | -1): void {
    this.#inside += calls;
    const own = (this.#byAccount.get(accountId) ?? 0) + calls;
    if (own > 0) this.#byAccount.set(accountId, own);
    else this.#byAccount.delete(accountId);
  }
}

/**
 * The place that a photo would take must be there, and its turn come before its deadline.
 *
 * @throws unavailable whose `Retry-After` is the time after which, at the measured pace, it would be taken
 */
function checkRoom(load: QueueLoad, rate: ServiceRate, { waitingMax, leftMs }: QueueRoom): void {
  if (load.waiting >= waitingMax) {
    const surplusMs = rate.waitMs(load.waiting - waitingMax + 1);
    throw unavailable('Too many photos are waiting.', surplusMs / 1000);
  }
  // Where nobody waits a worker is free, or it is time to find out.
  const waitMs = load.waiting === 0 ? 0 : rate.waitMs(load.waiting + load.active);
  if (waitMs <= leftMs) return;
  throw unavailable('More photos are waiting than can be answered in time.', (waitMs - leftMs) / 1000);
}
