import { type Job, type Processor, Worker, type WorkerOptions } from 'bullmq';
import type { BullMqOptions } from './bullmq-producer';
import { race } from './race';
import { disconnected, patientConnection } from './redis-connection';

/** How one queue is served; the rest of BullMQ's settings are the same for all. */
export type ConsumerSettings = Pick<
  WorkerOptions,
  'concurrency' | 'lockDuration' | 'stalledInterval' | 'maxStalledCount'
>;

/** After jobs were told to stop, they must. */
const STOP_TIMEOUT_MS = 2_000;

/** The answering side of one BullMQ queue; reconnects for ever, and closes also while Redis is away. */
export class BullMqConsumer<Data, Answer> {
  readonly #stop = new AbortController();
  readonly #worker: Worker<Data, Answer>;

  /** @param whenDone called for each job that is answered, once the answer is stored */
  constructor(
    name: string,
    processor: Processor<Data, Answer>,
    settings: ConsumerSettings,
    options: BullMqOptions,
    whenDone: (job: Job<Data, Answer>) => void = () => undefined,
  ) {
    const connection = patientConnection(options.redisUrl, this.#stop.signal);
    this.#worker = new Worker(name, processor, { ...settings, connection, prefix: options.prefix });
    this.#worker.on('completed', whenDone);
    // An outage says the same again with every attempt to reconnect.
    let told = '';
    this.#worker.on('error', ({ message }) => {
      if (message !== told) options.logger.warn({ queue: name, failure: message }, 'queue worker');
      told = message;
    });
    this.#worker.on('active', () => {
      told = '';
    });
  }

  /** Resolves when jobs are taken. */
  async ready(): Promise<void> {
    await this.#worker.waitUntilReady();
  }

  /** Takes no more jobs; those in work have `graceMs` to finish before their signal is aborted. */
  async close(graceMs: number): Promise<void> {
    this.#stop.abort();
    await this.#leaveBrokenConnections();
    const closing = this.#worker.close();
    if ((await race(closing, graceMs)).kind !== 'late') return;
    this.#worker.cancelAllJobs('the worker is stopping');
    await race(closing, STOP_TIMEOUT_MS);
  }

  /** BullMQ would wait for the end of a connection that is broken already. */
  async #leaveBrokenConnections(): Promise<void> {
    const { connection, blockingConnection } = this.#worker.getBackend();
    const clients = await Promise.allSettled([connection.client, blockingConnection?.client]);
    for (const client of clients) {
      if (client.status === 'fulfilled' && client.value && client.value.status !== 'ready') {
        await disconnected(client.value);
      }
    }
  }
}
