import { unavailable } from '../../models/errors';
import type { Clock, NeighbourRequest, VisionCaller, VisionPlace } from '../../models/ports';

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

/** Counts photos by account. */
class PhotosByAccount {
  readonly #photos = new Map<string, number>();
  total = 0;

  add(accountId: string, photos: number): void {
    this.total += photos;
    const own = this.of(accountId) + photos;
    if (own > 0) this.#photos.set(accountId, own);
    else this.#photos.delete(accountId);
  }

  of(accountId: string): number {
    return this.#photos.get(accountId) ?? 0;
  }

  get accounts(): ReadonlyMap<string, number> {
    return this.#photos;
  }
}

/** Who finds room in a queue for photos, wherever it lives. */
export class Admission {
  readonly rate = new ServiceRate();
  /** Photos of this process that are in the queue, or on their way to it: being decoded, or waiting for that. */
  readonly #inside = new PhotosByAccount();
  /** Of them those in the queue. */
  readonly #asking = new PhotosByAccount();

  constructor(private readonly limits: VisionQueueLimits) {}

  now(): number {
    return this.limits.clock.now().getTime();
  }

  /** Places for the photos of a call of this process, which come before anyone who comes later. */
  enter({ accountId, photos = 1 }: VisionCaller): VisionPlace {
    this.#inside.add(accountId, photos);
    let left = false;
    return {
      leave: () => {
        if (!left) this.#inside.add(accountId, -photos);
        left = true;
      },
    };
  }

  /** Meanwhile the photos of a call are in the queue. */
  async asking<Answer>(
    { accountId, images: { length: photos } }: Pick<NeighbourRequest, 'accountId' | 'images'>,
    answer: () => Promise<Answer>,
  ): Promise<Answer> {
    this.#asking.add(accountId, photos);
    try {
      return await answer();
    } finally {
      this.#asking.add(accountId, -photos);
    }
  }

  /** @throws the refusal of a photo that is not worth taking in, before it is decoded: others are on their way as well */
  checkEntrance({ waiting, active }: QueueLoad, caller: VisionCaller): void {
    const { waitingMax, leftMs } = this.#roomFor(caller);
    const decoding = Math.max(0, this.#inside.total - this.#asking.total);
    checkPlaces(waiting + decoding, this.rate, waitingMax);
    const ahead = { waiting: waiting + Math.min(decoding, this.#decodedBefore(caller)), active };
    const few = ahead.waiting + active < ALWAYS_LET_IN && !this.rate.standsStill;
    if (!few) checkTime(ahead, this.rate, leftMs * ENTRANCE_SHARE);
  }

  /** @throws the refusal of a photo that is not worth queueing */
  check(load: QueueLoad, caller: VisionCaller): void {
    const { waitingMax, leftMs } = this.#roomFor(caller);
    checkPlaces(load.waiting, this.rate, waitingMax);
    checkTime(load, this.rate, leftMs);
  }

  /** Photos that are decoded before one of this account: accounts take turns, so one more of each other than it has itself. */
  #decodedBefore({ accountId }: VisionCaller): number {
    const decoding = (each: string, inside: number) => Math.max(0, inside - this.#asking.of(each));
    const own = decoding(accountId, this.#inside.of(accountId));
    let before = 0;
    for (const [each, inside] of this.#inside.accounts) before += Math.min(decoding(each, inside), own + 1);
    return before;
  }

  /**
   * For an account that has its share of the queue a part is kept for others, so that they find a place at once while a
   * flood from one account takes each that becomes free. It has its share with as many photos of this process as fall to
   * each account that has any.
   */
  #roomFor({ accountId, deadlineAt }: VisionCaller): QueueRoom {
    const own = this.#inside.of(accountId);
    const share = own > 0 && own * this.#inside.accounts.size >= this.#inside.total ? 1 - KEPT_SHARE : 1;
    const leftMs = deadlineAt - this.now();
    return { waitingMax: Math.ceil(this.limits.waitingMax * share), leftMs: leftMs * share };
  }
}

/** @throws unavailable when there is no place; its `Retry-After` is the time after which, at the measured pace, there is */
function checkPlaces(waiting: number, rate: ServiceRate, waitingMax: number): void {
  if (waiting < waitingMax) return;
  throw unavailable('Too many photos are waiting.', rate.waitMs(waiting - waitingMax + 1) / 1000);
}

/** @throws unavailable when a photo's turn would not come within the time that is left */
function checkTime(load: QueueLoad, rate: ServiceRate, leftMs: number): void {
  // Where nobody waits a worker is free, or it is time to find out.
  const waitMs = load.waiting === 0 ? 0 : rate.waitMs(load.waiting + load.active);
  if (waitMs <= leftMs) return;
  throw unavailable('More photos are waiting than can be answered in time.', (waitMs - leftMs) / 1000);
}

/** When a job was asked for, and how many had finished by then. */
export interface RateTicket {
  readonly askedAt: number;
  readonly finishedBefore: number;
}

/** Weight of the newest measurement: the last ten or so decide. */
const NEWEST = 0.15;

/** Fewer measurements than this say nothing: the first job of a process may be slow. */
const MEASUREMENTS_MIN = 5;

/**
 * How fast a queue answers, measured from outside: milliseconds per job while at least one is there. A job behind n
 * others is expected to wait n times as long, which is what decides whether it is worth adding. An idle queue is
 * measured as slower than it is, since nothing runs at the same time; the estimate sharpens as the queue fills.
 */
export class ServiceRate {
  #finished = 0;
  #measured = 0;
  #msPerJob = 0;
  #stalled = false;

  /** Whether somebody waited in vain for a whole deadline, and nobody else was answered meanwhile. */
  get standsStill(): boolean {
    return this.#stalled;
  }

  /** A job is added. */
  ask(now: number): RateTicket {
    return { askedAt: now, finishedBefore: this.#finished };
  }

  /** Some job finished, no matter who asked for it. */
  finish(): void {
    this.#finished += 1;
  }

  /** The job of this ticket was answered, and is among the finished. */
  answered(ticket: RateTicket, now: number): void {
    const jobs = Math.max(1, this.#finished - ticket.finishedBefore);
    const measured = (now - ticket.askedAt) / jobs;
    const restart = this.#stalled || this.#measured === 0;
    this.#measured = this.#stalled ? 1 : this.#measured + 1;
    this.#stalled = false;
    this.#msPerJob = restart ? measured : this.#msPerJob + NEWEST * (measured - this.#msPerJob);
  }

  /** Nobody answered the job in time: unless others were answered meanwhile, the queue stands still. */
  missed(ticket: RateTicket, now: number): void {
    if (this.#finished > ticket.finishedBefore) {
      this.answered(ticket, now);
    } else {
      this.#stalled = true;
      this.#msPerJob = Math.max(this.#msPerJob, now - ticket.askedAt);
    }
  }

  /** Milliseconds until a job behind `ahead` others is expected to be served; 0 while too little was measured. */
  waitMs(ahead: number): number {
    return this.#stalled || this.#measured >= MEASUREMENTS_MIN ? ahead * this.#msPerJob : 0;
  }
}
