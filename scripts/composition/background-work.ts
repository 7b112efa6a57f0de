import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { bodyMemory } from '../../api/middleware/answer-memory';
import { entryPresenter } from '../../api/v3/jobs';
import { makeSearchSnapshot } from '../../db/catalog/search/make-snapshot';
import { PostgresHousekeepingStore } from '../../db/core/housekeeping-store';
import { HmacDataFileSigner } from '../../db/files/hmac-data-file-signer';
import { migrations } from '../../db/migrations';
import { FairBudget } from '../../models/access/fair-budget';
import { SearchMisses } from '../../models/catalog/search-misses';
import { noWorker } from '../../models/errors';
import { DriftWatch } from '../../models/feedback/drift-watch';
import { ProcessWatch } from '../../models/installation/process-watch';
import { PORTS } from '../../models/ports';
import { RecordsService } from '../../models/records/records-service';
import { OPEN_ENTRY_MEMORY, VisionJobRunner } from '../../models/vision/jobs/vision-job-runner';
import { ENTRY_PRESENTER } from '../../models/vision/jobs/vision-job-service';
import { MessageDispatcher } from '../../models/webhooks/message-dispatcher';
import { version } from '../../package.json';
import { ModelPreloader } from '../../workers/model-preloader';
import { PendingEmbeddingSweeper } from '../../workers/pending-embedding-sweeper';
import { HttpWebhookSender } from '../../workers/webhooks/http-webhook-sender';
import type { Queues } from './adapters';
import { ConcurrentPoller, type Limits, type NextTask } from './concurrent-poller';
import { Housekeeping, retentionRules } from './housekeeping';
import { RecurringTask } from './recurring-task';
import { adapterOf, type Startup } from './startup';

/** How soon a worker notices a new version, retries a load, and unloads an old model. */
const MODELS = { everyMs: 2_000, retryAfterMs: 15_000, unloadAfterMs: 120_000 };

/** A third of the time after which a silent process counts as gone. */
const PROCESSES_MS = 10_000;

/** Concurrent job entries; those that wait for hosts take no slot (contract 16.5). */
const ENTRIES = { atOnce: 2, pausedMax: 32, everyMs: 1_000 };

/** Concurrent webhook messages: this many may hang before others wait. */
const MESSAGES = { atOnce: 8, everyMs: 2_000 };
const MESSAGE_MS = 10_000;

/** Version of Loupe and the newest migration that it knows. */
const RELEASE = `${version} ${Object.keys(migrations).sort().at(-1)}`;

export async function startWorkerTasks(startup: Startup, queues: Queues): Promise<void> {
  const { container, logger } = startup;
  const embeddings = adapterOf(container, PORTS.EmbeddingRepository);
  const preloader = new ModelPreloader(
    embeddings,
    adapterOf(container, PORTS.EmbedderRegistry),
    adapterOf(container, PORTS.NeighbourIndex),
    container.resolve(ProcessWatch),
    logger,
    MODELS,
  );
  await preloader.run();
  every(startup, 'models preloaded', MODELS.everyMs, () => preloader.run());
  await queues.answer();
  const pending = new PendingEmbeddingSweeper(embeddings, adapterOf(container, PORTS.IndexQueue), logger);
  every(startup, 'pending embeddings', 20_000, (signal) => pending.run(signal), 0);
}

/** Registers this process, and reports differences from the others (contract 14.15). */
export async function watchProcesses(startup: Startup): Promise<void> {
  const { config, container, logger, onClose } = startup;
  const images = adapterOf(container, PORTS.ImageStore);
  const signer = container.resolve(HmacDataFileSigner);
  let imageStore: string | null = null;
  const watch = new ProcessWatch(
    adapterOf(container, PORTS.ProcessRegistry),
    logger,
    { id: randomUUID(), name: `${hostname()}:${process.pid}`, role: config.ROLE },
    async () => {
      // An unavailable store is reported by its own readiness check.
      imageStore ??= await images.identity().catch(() => null);
      const signingKeys = config.ROLE === 'worker' ? [] : signer.fingerprints;
      return { release: RELEASE, signingKeys, imageStore };
    },
  );
  container.registerInstance(ProcessWatch, watch);
  onClose(() => watch.leave());
  await watch.run();
  every(startup, 'processes', PROCESSES_MS, () => watch.run());
}

export function startApiTasks(startup: Startup): void {
  const { config, container, logger, onClose } = startup;
  const queue = adapterOf(container, PORTS.VisionQueue);
  every(startup, 'workers', 5_000, async () => {
    if ((await queue.workers()) === 0) throw noWorker();
  });

  const ledger = adapterOf(container, PORTS.CreditLedger);
  every(startup, 'expired reservations', 30_000, () => ledger.expireReservations());

  const store = container.resolve(PostgresHousekeepingStore);
  const housekeeping = new Housekeeping(store, retentionRules(config, container), logger);
  container.registerInstance(Housekeeping, housekeeping);
  every(startup, 'housekeeping', 300_000, (signal) => housekeeping.run(signal));

  const records = container.resolve(RecordsService);
  every(startup, 'rows that follow', 2_000, (signal) => records.followUp(signal));
  every(startup, 'search snapshot', 10_000, () => makeSearchSnapshot(container.resolve(PORTS.Knex)));

  const misses = container.resolve(SearchMisses);
  onClose(() => misses.write());
  every(startup, 'search misses', 60_000, () => misses.write());

  startJobs(startup);
  startMessages(startup);
}

/** Processes the entries of jobs beside the calls of this process (contract 16.5). */
function startJobs(startup: Startup): void {
  const { config, container } = startup;
  const bodies = bodyMemory(config.BODY_MEMORY_MIB * 2 ** 20);
  container.registerInstance(FairBudget, bodies);
  container.registerInstance(OPEN_ENTRY_MEMORY, (keyId: string) => bodies.open(keyId));
  const signer = adapterOf(container, PORTS.DataFileSigner);
  const clock = adapterOf(container, PORTS.Clock);
  container.registerInstance(ENTRY_PRESENTER, entryPresenter({ signer, clock }, config.IMAGE_BASE_URL));
  const runner = container.resolve(VisionJobRunner);
  poll(startup, 'job entries', ENTRIES, (signal, slot) => runner.next(signal, slot));
}

/** Sends messages to webhooks (contract 16.13), and looks for drift of confidence, which is one of them. */
function startMessages(startup: Startup): void {
  const { config, container, onClose } = startup;
  const sender = new HttpWebhookSender({ timeoutMs: MESSAGE_MS, allow: config.WEBHOOK_ALLOW });
  onClose(() => sender.close());
  container.registerInstance(PORTS.WebhookSender, sender);
  const dispatcher = container.resolve(MessageDispatcher);
  poll(startup, 'webhook messages', MESSAGES, (signal, slot) => dispatcher.next(signal, slot));
  const drift = container.resolve(DriftWatch);
  every(startup, 'drift of confidence', 3_600_000, () => drift.run());
}

function poll({ logger, onClose }: Startup, ...task: [name: string, limits: Limits, next: NextTask]): void {
  const poller = new ConcurrentPoller(...task, logger);
  onClose(() => poller.stop());
  poller.start();
}

function every(
  { logger, onClose }: Startup,
  name: string,
  everyMs: number,
  work: (signal: AbortSignal) => Promise<unknown>,
  firstAfterMs = everyMs,
): void {
  const task = new RecurringTask(name, everyMs, work, logger);
  onClose(() => task.stop());
  task.start(firstAfterMs);
}
