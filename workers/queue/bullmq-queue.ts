import type { JobsOptions } from 'bullmq';
import { timeout } from '../../models/errors';
import type { Clock, NeighbourRequest, VisionCaller, VisionPlace, VisionQueue } from '../../models/ports';
import type { Neighbourhood } from '../../models/vision/neighbours';
import { entranceRefusal, type QueueLoad, type QueueRoom, refusal, roomWithShare } from './admission';
import { type BullMqOptions, BullMqProducer, queueAway } from './bullmq-producer';
import { Entrance } from './entrance';
import { neighbourhoodOf, VISION_QUEUE, visionJobOf } from './job';
import { race } from './race';
import { RecentLoad } from './recent-load';
import { type RateTicket, ServiceRate } from './service-rate';

export interface VisionQueueLimits {
  readonly clock: Clock;
  /** Photos that may wait, of all callers together. */
  readonly waitingMax: number;
}

/** Twice: a fault that passes, or a worker that died, is mended by another try. */
const JOB: JobsOptions = {
  attempts: 2,
  removeOnComplete: { age: 60, count: 1_000 },
  removeOnFail: { age: 3_600, count: 1_000 },
};

/** The deadline has passed: the last look must not take long. */
const LOOK_TIMEOUT_MS = 1_000;

/** The asking side of the vision queue on Redis, for any number of processes on any number of hosts. */
export class BullMqVisionQueue implements VisionQueue {
  readonly #rate = new ServiceRate();
  readonly #caller: BullMqProducer;
  readonly #load: RecentLoad;
  readonly #entrance = new Entrance();
  /** Admitted, and not yet counted by Redis. */
  #adding = 0;

  constructor(private readonly options: BullMqOptions & VisionQueueLimits) {
    this.#caller = new BullMqProducer(VISION_QUEUE, options, () => this.#rate.finish());
    this.#load = new RecentLoad(() => this.#caller.load());
  }

  /** Resolves when photos can be asked for; before that `neighbours` fails with `unavailable`. */
  ready(): Promise<void> {
    return this.#caller.ready();
  }

  async admit(caller: VisionCaller): Promise<void> {
    const load = await this.#load.recent();
    const before = this.#entrance.before + this.#adding;
    const refused = entranceRefusal(load, before, this.#rate, this.#roomFor(caller));
    if (refused) throw refused;
  }

  async enter(caller: VisionCaller): Promise<VisionPlace> {
    await this.admit(caller);
    return this.#entrance.enter(caller.accountId);
  }

  /** @throws the reason of `request.signal` when it is aborted; else as the port says */
  neighbours(request: NeighbourRequest): Promise<Neighbourhood> {
    return this.#entrance.asking(async () => {
      request.signal?.throwIfAborted();
      const askedAt = this.options.clock.now().getTime();
      if (request.deadlineAt <= askedAt) throw timeout(0);
      this.#shedLoad(await this.#load.now(), request);
      return this.#ask(request, askedAt);
    });
  }

  ping(): Promise<void> {
    return this.#caller.ping();
  }

  depth(): Promise<QueueLoad> {
    return this.#caller.load();
  }

  oldestWaitingMs(): Promise<number> {
    return this.#caller.oldestWaitingMs(this.options.clock.now().getTime());
  }

  close(): Promise<void> {
    return this.#caller.close();
  }

  #shedLoad({ waiting, active }: QueueLoad, caller: VisionCaller): void {
    const load = { waiting: waiting + this.#adding, active };
    const refused = refusal(load, this.#rate, this.#roomFor(caller));
    if (refused) throw refused;
  }

  #roomFor({ accountId, deadlineAt }: VisionCaller): QueueRoom {
    const { waitingMax, clock } = this.options;
    const room = { waitingMax, leftMs: deadlineAt - clock.now().getTime() };
    return this.#entrance.hasItsShare(accountId) ? roomWithShare(room) : room;
  }

  async #ask(request: NeighbourRequest, askedAt: number): Promise<Neighbourhood> {
    const { jobId, deadlineAt, signal } = request;
    const ticket = this.#rate.ask(askedAt);
    this.#adding += 1;
    const { added, answer } = this.#caller.ask(jobId, visionJobOf(request, askedAt), JOB);
    const counted = added.finally(() => {
      this.#adding -= 1;
    });
    try {
      const waited = await race(
        counted.then(() => answer),
        deadlineAt - askedAt,
        signal,
      );
      if (waited.kind === 'answered') return this.#answered(waited.value, ticket);
      if (waited.kind === 'late') return await this.#lastLook(request, answer, ticket);
      await this.#caller.withdraw(jobId).catch(() => undefined);
      throw signal?.reason;
    } finally {
      this.#caller.forget(jobId);
    }
  }

  #answered(returned: unknown, ticket: RateTicket): Neighbourhood {
    const neighbourhood = neighbourhoodOf(returned);
    this.#rate.answered(ticket, this.options.clock.now().getTime());
    return neighbourhood;
  }

  /** Word of an answer can be lost while the connection breaks; the job itself knows. */
  async #lastLook(
    { jobId, deadlineAt }: NeighbourRequest,
    answer: Promise<unknown>,
    ticket: RateTicket,
  ): Promise<Neighbourhood> {
    const looked = await race(this.#caller.look(jobId), LOOK_TIMEOUT_MS);
    if (looked.kind !== 'answered') throw queueAway();
    if (looked.value === 'finished') return this.#answered(await answer, ticket);
    this.#rate.missed(ticket, this.options.clock.now().getTime());
    await this.#caller.withdraw(jobId).catch(() => undefined);
    throw timeout(deadlineAt - ticket.askedAt);
  }
}
