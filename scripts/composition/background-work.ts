import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { bodyMemory } from '../../api/middleware/endpoints';
import { MemoryBudget } from '../../api/middleware/memory-budget';
import { entryPresenter } from '../../api/v3/job-presenter';
import { makeSearchSnapshot } from '../../db/catalog/search/snapshot/make-snapshot';
import { HmacDataFileSigner } from '../../db/files/hmac-data-file-signer';
import { migrations } from '../../db/migrations';
import { SearchMisses } from '../../models/catalog/search-misses';
import { noWorker } from '../../models/errors';
import { DriftWatch } from '../../models/feedback/drift-watch';
import { ProcessWatch } from '../../models/installation/process-watch';
import {
  type Clock,
  type CreditLedger,
  type DataFileSigner,
  type EmbedderRegistry,
  type EmbeddingRepository,
  type HousekeepingStore,
  type ImageStore,
  type IndexQueue,
  PORTS,
  type ProcessRegistry,
  type ReadinessRepository,
  type VisionQueue,
} from '../../models/ports';
import { RecordsService } from '../../models/records/records-service';
import { ENTRY_PRESENTER } from '../../models/vision/jobs/entry-presenter';
import {
  OPEN_ENTRY_ROOM,
  type OpenEntryRoom,
  VisionJobRunner,
} from '../../models/vision/jobs/vision-job-runner';
import { MessageDispatcher } from '../../models/webhooks/message-dispatcher';
import { version } from '../../package.json';
import { AbandonedImages } from '../../workers/abandoned-images';
import { ModelWarmer } from '../../workers/model-warmer';
import { HttpWebhookSender } from '../../workers/webhooks/http-webhook-sender';
import type { Opening } from './adapters';
import { dutiesOf } from './housekeeping/duties';
import { Housekeeping } from './housekeeping/housekeeping';
import { RecurringTask } from './recurring-task';
import { type Limits, type NextPiece, SideBySide } from './side-by-side';

const LAPSE_RESERVATIONS_MS = 30_000;

const FOLLOW_CHANGES_MS = 2_000;
/** What a process that is killed loses of them. */
const WRITE_MISSES_MS = 60_000;

/** How often a process asks whether it is its turn. */
const LOOK_AT_HOUSE_MS = 300_000;

/** A third of the time after which a silent process counts as gone. */
const LOOK_AT_PROCESSES_MS = 10_000;

const LOOK_FOR_WORKERS_MS = 5_000;

/** How soon many changes of a large catalog are taken into its search snapshot. */
const LOOK_AT_SEARCH_MS = 10_000;

/** How long an image waits at most for somebody to see to it. */
const LOOK_FOR_IMAGES_MS = 20_000;

/** Entries of jobs; those that wait for hosts hold no place (contract 16.5). */
const ENTRIES = { atOnce: 2, asideMax: 32, everyMs: 1_000 };

/** Messages to callers' addresses: so many may hang, each for so long, before others wait for them. */
const MESSAGES = { atOnce: 8, everyMs: 2_000 };
const MESSAGE_MS = 10_000;

const LOOK_FOR_DRIFT_MS = 3_600_000;

/** How soon a worker loads the model of a new version, says so again, tries again, and lets go of one. */
const WARMER = { everyMs: 2_000, tellEveryMs: 8_000, retryAfterMs: 15_000, unloadAfterMs: 120_000 };

/** The models that photos may be answered under next are loaded before they are needed. */
export async function keepModelsWarm(
  { container, logger, closing }: Opening,
  embeddings: EmbeddingRepository,
): Promise<void> {
  const warmer = new ModelWarmer(
    embeddings,
    container.resolve<EmbedderRegistry>(PORTS.EmbedderRegistry),
    container.resolve<ReadinessRepository>(PORTS.ReadinessRepository),
    logger,
    { worker: processName(), ...WARMER },
  );
  const task = new RecurringTask('models kept warm', WARMER.everyMs, () => warmer.look(), logger);
  closing(async () => {
    await task.stop();
    await warmer.stop();
  });
  await warmer.look();
  task.start();
}

/** This process and the others know of each other, and whether they fit together. */
export async function watchProcesses({ config, container, logger, closing }: Opening): Promise<void> {
  const images = container.resolve<ImageStore>(PORTS.ImageStore);
  const signer = container.resolve(HmacDataFileSigner);
  let imageStore: string | null = null;
  const watch = new ProcessWatch(
    container.resolve<ProcessRegistry>(PORTS.ProcessRegistry),
    logger,
    { id: randomUUID(), name: processName(), role: config.ROLE },
    async () => {
      // A store that is away is told by its own check.
      imageStore ??= await images.identity().catch(() => null);
      const signingKeys = config.ROLE === 'worker' ? [] : signer.fingerprints;
      return { release: RELEASE, signingKeys, imageStore };
    },
  );
  container.register(ProcessWatch, { useValue: watch });
  const task = new RecurringTask('processes', LOOK_AT_PROCESSES_MS, () => watch.look(), logger);
  closing(async () => {
    await task.stop();
    await watch.leave();
  });
  await watch.look();
  task.start();
}

/** The log says when nobody takes photos any more. */
export function watchWorkers({ container, logger, closing }: Opening): void {
  const queue = container.resolve<VisionQueue>(PORTS.VisionQueue);
  const look = async () => {
    if ((await queue.workers()) === 0) throw noWorker();
  };
  const task = new RecurringTask('workers', LOOK_FOR_WORKERS_MS, look, logger);
  closing(() => task.stop());
  task.start();
}

/** Version of Loupe and the newest step of the schema that it knows. */
const RELEASE = `${version} ${Object.keys(migrations).sort().at(-1)}`;

const processName = (): string => `${hostname()}:${process.pid}`;

/** Reservations of calls that died with their process are not left standing after their time. */
export function lapseReservations({ container, logger, closing }: Opening): void {
  const ledger = container.resolve<CreditLedger>(PORTS.CreditLedger);
  const task = new RecurringTask('lapsed reservations', LAPSE_RESERVATIONS_MS, () => ledger.lapse(), logger);
  closing(() => task.stop());
  task.start();
}

/** Rows that name what a call changed follow it, where they are too many for the call. */
export function followChanges({ container, logger, closing }: Opening): void {
  const records = container.resolve(RecordsService);
  const task = new RecurringTask(
    'rows that follow',
    FOLLOW_CHANGES_MS,
    (signal) => records.followUp(signal),
    logger,
  );
  closing(() => task.stop());
  task.start();
}

/** Queries that found nothing are written from time to time, and at the end. */
export function writeSearchMisses({ container, logger, closing }: Opening): void {
  const misses = container.resolve(SearchMisses);
  const task = new RecurringTask('search misses', WRITE_MISSES_MS, () => misses.write(), logger);
  closing(async () => {
    await task.stop();
    await misses.write();
  });
  task.start();
}

/** What grows without end is removed in its time. */
export function keepHouse({ config, container, logger, closing }: Opening): void {
  const store = container.resolve<HousekeepingStore>(PORTS.HousekeepingStore);
  const housekeeping = new Housekeeping(store, dutiesOf(config, container), logger);
  container.register(Housekeeping, { useValue: housekeeping });
  const task = new RecurringTask('housekeeping', LOOK_AT_HOUSE_MS, () => housekeeping.look(), logger);
  closing(() => task.stop());
  task.start();
}

/** Queries of a large catalog stay fast when much of it has changed. */
export function keepSearchFast({ container, logger, closing }: Opening): void {
  const look = () => makeSearchSnapshot(container.resolve(PORTS.Knex));
  const task = new RecurringTask('search snapshot', LOOK_AT_SEARCH_MS, look, logger);
  closing(() => task.stop());
  task.start();
}

/** The entries of jobs are looked at beside the calls of this process (contract 16.5). */
export function workOffJobs({ config, container, logger, closing }: Opening): void {
  const bodies = bodyMemory(config.BODY_MEMORY_MIB * 2 ** 20);
  container.register(MemoryBudget, { useValue: bodies });
  container.register<OpenEntryRoom>(OPEN_ENTRY_ROOM, { useValue: (keyId) => bodies.open(keyId) });
  const signer = container.resolve<DataFileSigner>(PORTS.DataFileSigner);
  const clock = container.resolve<Clock>(PORTS.Clock);
  const presenter = entryPresenter({ signer, clock }, config.IMAGE_BASE_URL);
  container.register(ENTRY_PRESENTER, { useValue: presenter });
  const runner = container.resolve(VisionJobRunner);
  workSideBySide({ logger, closing }, 'job entries', ENTRIES, (stop, place) => runner.next(stop, place));
}

/** Callers' addresses are told what happens (contract 16.13), that confidence drifts too. */
export function sendMessages({ config, container, logger, closing }: Opening): void {
  const sender = new HttpWebhookSender({ timeoutMs: MESSAGE_MS, allow: config.WEBHOOK_ALLOW });
  closing(() => sender.close());
  container.register(PORTS.WebhookSender, { useValue: sender });
  const dispatcher = container.resolve(MessageDispatcher);
  workSideBySide({ logger, closing }, 'webhook messages', MESSAGES, (stop, place) =>
    dispatcher.next(stop, place),
  );
  const watch = container.resolve(DriftWatch);
  const task = new RecurringTask('drift of confidence', LOOK_FOR_DRIFT_MS, () => watch.look(), logger);
  closing(() => task.stop());
  task.start();
}

/** Looked for from time to time, and done several at the same time. */
function workSideBySide(
  { logger, closing }: Pick<Opening, 'logger' | 'closing'>,
  name: string,
  limits: Limits,
  next: NextPiece,
): void {
  const work = new SideBySide(name, limits, next, logger);
  closing(() => work.stop());
  work.start();
}

/** Images that an import left behind are embedded. */
export function seeToAbandonedImages(
  { container, logger, closing }: Opening,
  embeddings: EmbeddingRepository,
): void {
  const queue = container.resolve<IndexQueue>(PORTS.IndexQueue);
  const abandoned = new AbandonedImages(embeddings, queue, logger);
  const task = new RecurringTask(
    'abandoned images',
    LOOK_FOR_IMAGES_MS,
    (signal) => abandoned.look(signal),
    logger,
  );
  closing(() => task.stop());
  task.start(0);
}
