import { HeldUnits } from '../../models/access/fair-budget';
import { timeout, unavailable } from '../../models/errors';
import type { Clock, NeighbourRequest, QueueLoad, QueueSlot, VisionCaller } from '../../models/ports';
import type { Neighbourhood } from '../../models/vision/neighbours';
import { race } from './race';

export interface VisionQueueLimits {
  readonly clock: Clock;
  /** Photos that may wait, of all callers together. */
  readonly waitingMax: number;
}

/** The photos of a call in the queue, and their answer. */
export interface QueuedAnswer {
  readonly answer: Promise<Neighbourhood>;
  /** When the deadline has passed: the answer if its event was lost, else null. */
  findLateAnswer?(): Promise<Neighbourhood | null>;
  /** Removes waiting photos from the queue; those being processed continue. */
  withdraw?(): Promise<void>;
  /** Nobody is waiting any more. */
  discard(): void;
}

/** The share of slots and of time that is reserved for accounts below their share. */
const KEPT_SHARE = 1 / 8;

/** A photo is admitted before decoding, which takes an unknown time, if its turn comes within this share of its deadline. */
const ENTRANCE_SHARE = 0.5;

/** Older figures are too inaccurate: a few jobs have come or gone since. For a queue that waits for photos, they are accurate enough. */
const RECENT_MS = 50;

/** As many as one key may have at a time are admitted unless the queue is stalled: for so few an estimate is too inaccurate. */
const ALWAYS_ADMITTED = 16;

/** Calls whose photos wait as pixels, of half a megabyte each. */
const DECODED_WAITING_MAX = 64;

/** A queue for photos: which it admits, how long they wait, and what happens to those whose caller has gone. */
export abstract class AdmittingQueue {
  protected readonly rate = new ThroughputEstimator();
  /** Photos of this process in the queue, being decoded, or waiting for that, by account. */
  readonly #inside = new HeldUnits();
  /** Those of them in the queue. */
  readonly #queued = new HeldUnits();

  constructor(private readonly limits: VisionQueueLimits) {}

  /** What was seen last, and what was added here since. */
  protected abstract get load(): QueueLoad;

  /** Reads the load, unless it is that recent. @throws unavailable when the queue is closed or unreachable, or has no workers */
  protected abstract refreshLoad(recentMs: number): Promise<void>;

  /** Adds the photos, which counts at once in `load`. */
  protected abstract add(request: NeighbourRequest, askedAt: number): QueuedAnswer;

  get takesPixels(): boolean {
    return this.load.waiting + this.decoding < DECODED_WAITING_MAX;
  }

  /** On their way into the queue. */
  private get decoding(): number {
    return Math.max(0, this.#inside.total - this.#queued.total);
  }

  protected now(): number {
    return this.limits.clock.now().getTime();
  }

  /** Refuses photos that are not worth taking in, before they are decoded: others are on their way as well. */
  async admit(caller: VisionCaller, photos: number): Promise<QueueSlot> {
    await this.refreshLoad(RECENT_MS);
    const { waiting, active } = this.load;
    const { waitingMax, leftMs } = this.#limitsFor(caller);
    const { decoding } = this;
    this.#assertCapacity(waiting + decoding, waitingMax);
    const ahead = { waiting: waiting + Math.min(decoding, this.#decodedBefore(caller)), active };
    const few = ahead.waiting + active < ALWAYS_ADMITTED && !this.rate.isStalled;
    if (!few) this.#assertTime(ahead, leftMs * ENTRANCE_SHARE);
    this.#inside.add(caller.accountId, photos);
    let held = photos;
    return {
      release: () => {
        this.#inside.add(caller.accountId, -held);
        held = 0;
      },
    };
  }

  /** @throws the reason of `request.signal` when it is aborted; else as the port says */
  async neighbours(request: NeighbourRequest): Promise<Neighbourhood> {
    const { accountId, images, signal, deadlineAt } = request;
    this.#queued.add(accountId, images.length);
    let pending: QueuedAnswer | undefined;
    try {
      signal?.throwIfAborted();
      const askedAt = this.now();
      if (deadlineAt <= askedAt) throw timeout(0);
      const wasIdle = this.load.waiting === 0 && this.#queued.total === images.length;
      await this.refreshLoad(wasIdle ? RECENT_MS : 0);
      signal?.throwIfAborted();
      const { waitingMax, leftMs } = this.#limitsFor(request);
      this.#assertCapacity(this.load.waiting, waitingMax);
      this.#assertTime(this.load, leftMs);
      pending = this.add(request, askedAt);
      const ticket = this.rate.ask(askedAt);
      const waited = await race(pending.answer, deadlineAt - askedAt, signal);
      const isLate = waited.kind === 'late';
      const answer =
        waited.kind === 'answered' ? waited.value : isLate ? await pending.findLateAnswer?.() : null;
      if (answer) {
        this.rate.answered(ticket, this.now());
        return answer;
      }
      if (isLate) this.rate.missed(ticket, this.now());
      await pending.withdraw?.().catch(() => undefined);
      throw isLate ? timeout(deadlineAt - askedAt) : signal?.reason;
    } finally {
      this.#queued.add(accountId, -images.length);
      pending?.discard();
    }
  }

  /** @throws unavailable when there is no free slot; its `Retry-After` is the time after which, at the measured pace, there is */
  #assertCapacity(waiting: number, waitingMax: number): void {
    if (waiting < waitingMax) return;
    throw unavailable('Too many photos are waiting.', this.rate.waitMs(waiting - waitingMax + 1) / 1000);
  }

  /** @throws unavailable when a photo's turn would not come within the time that is left */
  #assertTime({ waiting, active }: QueueLoad, leftMs: number): void {
    // If nobody waits, a worker is free, or it is time to find out.
    const waitMs = waiting === 0 ? 0 : this.rate.waitMs(waiting + active);
    if (waitMs <= leftMs) return;
    throw unavailable('More photos are waiting than can be answered in time.', (waitMs - leftMs) / 1000);
  }

  /** Photos decoded before the next one of this account: accounts take turns, so at most one more of each other account than its own. */
  #decodedBefore({ accountId }: VisionCaller): number {
    const decoding = (each: string, inside: number) => Math.max(0, inside - this.#queued.of(each));
    const own = decoding(accountId, this.#inside.of(accountId));
    let before = 0;
    for (const [each, inside] of this.#inside.byParty) before += Math.min(decoding(each, inside), own + 1);
    return before;
  }

  /**
   * The slots and the time that a caller may use. Of an account that has as many photos in this process as fall to each
   * account that has any, a part is reserved for others, so that they get a slot at once while it floods the queue.
   */
  #limitsFor({ accountId, deadlineAt }: VisionCaller) {
    const own = this.#inside.of(accountId);
    const hasShare = own > 0 && own * this.#inside.byParty.size >= this.#inside.total;
    const share = hasShare ? 1 - KEPT_SHARE : 1;
    return {
      waitingMax: Math.ceil(this.limits.waitingMax * share),
      leftMs: (deadlineAt - this.now()) * share,
    };
  }
}

type RateTicket = ReturnType<ThroughputEstimator['ask']>;

/** Weight of the newest measurement: the last ten or so decide. */
const NEWEST = 0.15;

/** Fewer measurements are not used: the first job of a process may be slow. */
const MEASUREMENTS_MIN = 5;

/**
 * How fast a queue answers, measured from outside: milliseconds per job while at least one is there. A job behind n others
 * is expected to wait n times as long. An idle queue is measured as slower than it is, since nothing runs at the same
 * time; the estimate sharpens as the queue fills.
 */
class ThroughputEstimator {
  #finished = 0;
  #measured = 0;
  #msPerJob = 0;
  #stalled = false;

  /** Whether a caller waited a whole deadline without an answer, and nobody else was answered meanwhile. */
  get isStalled(): boolean {
    return this.#stalled;
  }

  /** A job is added. */
  ask(askedAt: number) {
    return { askedAt, finishedBefore: this.#finished };
  }

  /** Some job finished, of any caller. */
  finish(): void {
    this.#finished += 1;
  }

  /** The job of this ticket was answered; it was counted by `finish`. */
  answered(ticket: RateTicket, now: number): void {
    const jobs = Math.max(1, this.#finished - ticket.finishedBefore);
    const measured = (now - ticket.askedAt) / jobs;
    const restart = this.#stalled || this.#measured === 0;
    this.#measured = this.#stalled ? 1 : this.#measured + 1;
    this.#stalled = false;
    this.#msPerJob = restart ? measured : this.#msPerJob + NEWEST * (measured - this.#msPerJob);
  }

  /** Nobody answered the job in time: unless others were answered meanwhile, the queue is stalled. */
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
