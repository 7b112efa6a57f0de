import { type JobsOptions, Queue } from 'bullmq';
import { noWorker, timeout } from '../../models/errors';
import type { NeighbourRequest, VisionCaller, VisionPlace, VisionQueue } from '../../models/ports';
import type { Neighbourhood } from '../../models/vision/neighbours';
import { Admission, type QueueLoad, type RateTicket, type VisionQueueLimits } from './admission';
import { type BullMqOptions, BullMqProducer, queueAway, race } from './bullmq-producer';
import { INDEX_QUEUE, neighbourhoodOf, VISION_QUEUE, type VisionJob, visionJobOf } from './job';
import { patientConnection } from './redis-connection';

/** Twice: a fault that passes, or a worker that died, is mended by another try. */
const JOB: JobsOptions = {
  attempts: 2,
  removeOnComplete: { age: 60, count: 1_000 },
  removeOnFail: { age: 3_600, count: 1_000 },
};

/** The deadline has passed: the last look must not take long. */
const LOOK_TIMEOUT_MS = 1_000;

/** A worker that took a photo in time may read it a little later. */
const BYTES_SLACK_MS = 5_000;

/** A load that is older says too little: at the pace of any worker a few jobs have come or gone since. */
const RECENT_MS = 50;

/** The asking side of the vision queue on Redis, for any number of processes on any number of hosts. */
export class BullMqVisionQueue implements VisionQueue {
  readonly viewSize = null;
  readonly #admission: Admission;
  readonly #caller: BullMqProducer;
  /** The last look at the queue. */
  #look: { readonly load: Promise<QueueLoad>; readonly at: number } | null = null;
  /** Admitted, and not yet counted by Redis. */
  #adding = 0;

  constructor(options: BullMqOptions & VisionQueueLimits) {
    this.#admission = new Admission(options);
    this.#caller = new BullMqProducer(VISION_QUEUE, options, () => this.#admission.rate.finish());
  }

  /** Resolves when photos can be asked for; before that `neighbours` fails with `unavailable`. */
  ready(): Promise<void> {
    return this.#caller.ready();
  }

  /** One look serves all who come within a moment, so that a flood is refused without a flood of looks. */
  async admit(caller: VisionCaller): Promise<void> {
    const last = this.#look;
    const load = last && performance.now() - last.at < RECENT_MS ? last.load : this.#lookAgain();
    if ((await this.workers()) === 0) throw noWorker();
    this.#admission.checkEntrance(this.#withAdding(await load), caller);
  }

  async enter(caller: VisionCaller): Promise<VisionPlace> {
    await this.admit(caller);
    return this.#admission.enter(caller);
  }

  /** @throws the reason of `request.signal` when it is aborted; else as the port says */
  neighbours(request: NeighbourRequest): Promise<Neighbourhood> {
    return this.#admission.asking(request, async () => {
      request.signal?.throwIfAborted();
      const askedAt = this.#admission.now();
      if (request.deadlineAt <= askedAt) throw timeout(0);
      const load = this.#lookAgain();
      if ((await this.workers()) === 0) throw noWorker();
      const made = await visionJobOf(request, askedAt);
      this.#admission.check(this.#withAdding(await load), request);
      return this.#ask(request, made);
    });
  }

  workers(): Promise<number | null> {
    return this.#caller.workers();
  }

  ping(): Promise<void> {
    return this.#caller.ping();
  }

  depth(): Promise<QueueLoad> {
    return this.#caller.load();
  }

  oldestWaitingMs(): Promise<number> {
    return this.#caller.oldestWaitingMs(this.#admission.now());
  }

  close(): Promise<void> {
    return this.#caller.close();
  }

  #lookAgain(): Promise<QueueLoad> {
    const look = { load: this.#caller.load(), at: performance.now() };
    this.#look = look;
    look.load.catch(() => {
      if (this.#look === look) this.#look = null;
    });
    return look.load;
  }

  #withAdding({ waiting, active }: QueueLoad): QueueLoad {
    return { waiting: waiting + this.#adding, active };
  }

  async #ask(
    request: NeighbourRequest,
    { job, jpegs }: { job: VisionJob; jpegs: Buffer },
  ): Promise<Neighbourhood> {
    const { jobId, deadlineAt, signal } = request;
    const { askedAt } = job;
    const ticket = this.#admission.rate.ask(askedAt);
    this.#adding += 1;
    const { added, answer } = this.#caller.ask(jobId, job, JOB, {
      bytes: jpegs,
      keptMs: deadlineAt - askedAt + BYTES_SLACK_MS,
    });
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
    this.#admission.rate.answered(ticket, this.#admission.now());
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
    this.#admission.rate.missed(ticket, this.#admission.now());
    await this.#caller.withdraw(jobId).catch(() => undefined);
    throw timeout(deadlineAt - ticket.askedAt);
  }
}

/** The queues as an operator looks at them, on connections of their own (contract 14.4, `/queues`). */
export interface DashboardQueues {
  readonly queues: readonly Queue[];
  close(): Promise<void>;
}

/** Opens both queues for the dashboard; they connect when Redis is there. */
export function openDashboardQueues({ redisUrl, prefix, logger }: BullMqOptions): DashboardQueues {
  const stop = new AbortController();
  const queues = [VISION_QUEUE, INDEX_QUEUE].map((name) => {
    const queue = new Queue(name, { connection: patientConnection(redisUrl, stop.signal), prefix });
    queue.on('error', (failure) =>
      logger.debug({ queue: name, failure: failure.message }, 'queue dashboard'),
    );
    return queue;
  });
  return {
    queues,
    close: async () => {
      stop.abort();
      await Promise.allSettled(queues.map((queue) => queue.close()));
    },
  };
}
