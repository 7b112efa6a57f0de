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

  /** Some job finished, whoever asked for it. */
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
