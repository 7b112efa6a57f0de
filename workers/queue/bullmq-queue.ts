import { type JobsOptions, Queue } from 'bullmq';
import { noWorker } from '../../models/errors';
import type { NeighbourRequest, QueueLoad, VisionQueue } from '../../models/ports';
import type { Neighbourhood } from '../../models/vision/neighbours';
import { AdmittingQueue, type QueuedAnswer, type VisionQueueLimits } from './admission';
import { type BullMqOptions, BullMqProducer, queueUnavailable } from './bullmq-producer';
import * as jobs from './job';
import { race } from './race';
import { patientConnection } from './redis-connection';

/** Two attempts, for a transient fault or a worker that died. */
const JOB: JobsOptions = {
  attempts: 2,
  removeOnComplete: { age: 60, count: 1_000 },
  removeOnFail: { age: 3_600, count: 1_000 },
};

/** The deadline has passed: the last check must not take long. */
const STATE_TIMEOUT_MS = 1_000;

/** The producer of the vision queue on Redis, for any number of processes. */
export class BullMqVisionQueue extends AdmittingQueue implements VisionQueue {
  readonly #producer: BullMqProducer;
  #lastCheck: { readonly seen: Promise<void>; readonly at: number } | null = null;
  #seen: QueueLoad = { waiting: 0, active: 0 };
  /** Admitted, and not yet counted by Redis. */
  #adding = 0;

  constructor(options: BullMqOptions & VisionQueueLimits) {
    super(options);
    this.#producer = new BullMqProducer(jobs.VISION_QUEUE, options, () => this.rate.finish());
  }

  /** Resolves when photos can be asked for; before that `neighbours` fails with `unavailable`. */
  readonly ready = () => this.#producer.ready();
  readonly workers = () => this.#producer.workers();
  readonly ping = () => this.#producer.ping();
  readonly depth = () => this.#producer.load();
  readonly oldestWaitingMs = () => this.#producer.oldestWaitingMs(this.now());
  readonly close = () => this.#producer.close();

  protected get load(): QueueLoad {
    return { waiting: this.#seen.waiting + this.#adding, active: this.#seen.active };
  }

  /** Concurrent calls share a check, so that a flood is refused cheaply. */
  protected async refreshLoad(recentMs: number): Promise<void> {
    const last = this.#lastCheck;
    const { seen } = last && performance.now() - last.at < recentMs ? last : this.#readLoad();
    if ((await this.#producer.workers()) === 0) throw noWorker();
    await seen;
  }

  #readLoad() {
    const seen = this.#producer.load().then((load) => {
      this.#seen = load;
    });
    const check = { seen, at: performance.now() };
    this.#lastCheck = check;
    seen.catch(() => {
      if (this.#lastCheck === check) this.#lastCheck = null;
    });
    return check;
  }

  protected add(request: NeighbourRequest, askedAt: number): QueuedAnswer {
    const { jobId } = request;
    const answer = this.#answer(request, askedAt);
    return {
      answer,
      // The event of an answer can be lost with the connection; the job itself has it.
      findLateAnswer: async () => {
        const state = await race(this.#producer.stateOf(jobId), STATE_TIMEOUT_MS);
        if (state.kind !== 'answered') throw queueUnavailable();
        return state.value === 'finished' ? answer : null;
      },
      withdraw: () => this.#producer.withdraw(jobId),
      discard: () => this.#producer.forget(jobId),
    };
  }

  async #answer(request: NeighbourRequest, askedAt: number): Promise<Neighbourhood> {
    const { jobId, requestId, images, scope, liveStamp, deadlineAt, trace } = request;
    const keptMs = deadlineAt - askedAt + jobs.BYTES_SLACK_MS;
    let pending: { readonly answer: Promise<unknown> };
    this.#adding += 1;
    try {
      const parts = images.map((image) => ('pixels' in image ? image.pixels : image.jpeg));
      const sent = images.map(({ digest, ...image }, at) => ({
        ...{ bytes: parts[at]?.length ?? 0, digest },
        ...('pixels' in image && { size: { width: image.width, height: image.height } }),
      }));
      const photos = { requestId, images: sent, scope, liveStamp };
      const job: jobs.VisionJob = { v: jobs.PAYLOAD_VERSION, ...photos, askedAt, deadlineAt, trace };
      const [only, ...further] = parts;
      const bytes = only && further.length === 0 ? only : Buffer.concat(parts);
      pending = await this.#producer.ask(jobId, job, JOB, { bytes, keptMs });
    } finally {
      this.#adding -= 1;
    }
    return jobs.neighbourhoodOf(await pending.answer);
  }
}

/** The queues for the dashboard (contract 14.4), on their own connections, which wait for Redis. */
export function openDashboardQueues({ redisUrl, prefix, logger }: BullMqOptions) {
  const stop = new AbortController();
  const queues = [jobs.VISION_QUEUE, jobs.INDEX_QUEUE].map((name) => {
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
