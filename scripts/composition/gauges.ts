import { setTimeout as delay } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { MetricSource } from '../../api/api-services';
import { DriftWatch, RELIABILITY_DAYS } from '../../models/feedback/drift-watch';
import type { GroupCoverage } from '../../models/indexing/embedding-version';
import { StatusService } from '../../models/indexing/status-service';
import { PORTS } from '../../models/ports';
import { BACKENDS } from '../../workers/embedder/backends';
import { PooledEmbedderRegistry } from '../../workers/embedder/embedder-registry';
import { RecallSampler } from '../../workers/recall-sampler';
import type { Loupe } from './container';
import { Housekeeping } from './housekeeping';
import { adapterOf, type Container } from './startup';

type Figure = number | null | undefined;
type Figures = Figure | Readonly<Record<string, Figure>>;

/** Gauges by name, with the label in braces: the help text, and one figure or one per label. An unknown figure is NaN. */
type Gauges = Readonly<Record<string, readonly [help: string, read: () => Figures | Promise<Figures>]>>;

/** Figures of this process for `/metrics`, in addition to those that `api` measures. */
export const gaugesOf = ({ container, database, parts }: Loupe): MetricSource[] => [
  ...Object.entries<Gauges[string]>({
    'loupe_database_connections{state}': [
      'Connections of the pool by state; pending are queries that wait for one.',
      () => ({ ...database.connections() }),
    ],
    ...inferenceGauges(container),
    ...(parts.servesHttp ? callGauges(container) : {}),
    ...(parts.answersQueues ? recallGauges(container) : {}),
  }).map(([nameAndLabel, [help, read]]): MetricSource => {
    const [, name = nameAndLabel, label] = /^(\w+)\{(\w+)\}$/.exec(nameAndLabel) ?? [];
    const readAll = async () => {
      const figures = await read();
      const all = typeof figures === 'object' && figures !== null ? figures : { figure: figures };
      return Object.entries(all).map(
        ([key, value]) => [label === undefined ? {} : { [label]: key }, value ?? Number.NaN] as const,
      );
    };
    return { name, help, labels: label === undefined ? [] : [label], read: readAll };
  }),
  ...(parts.servesHttp ? catalogSources(container.resolve(StatusService)) : []),
];

const GROUPS_SHOWN = 50;
const RARELY_MS = 60_000;
const SHARE_OF_TIME = 100;
/** Less than Prometheus's limit of ten seconds: a million rows may take longer to count. */
const FIRST_WAIT_MS = 5_000;

/** Counts at most once a minute and in a hundredth of the time; in between the previous figures are used (contract 14.21). */
function catalogSources(status: StatusService): MetricSource[] {
  const counts = new LRUCache<'catalog', Awaited<ReturnType<typeof countsOf>>>({
    ...{ max: 1, ttl: RARELY_MS, allowStale: true },
    fetchMethod: async (_key, before = [], { options }) => {
      const startedAt = performance.now();
      // A count that fails, perhaps for taking too long, is not repeated by each scrape either.
      const counted = await countsOf(status).catch(() => before);
      options.ttl = Math.max(RARELY_MS, SHARE_OF_TIME * (performance.now() - startedAt));
      return counted;
    },
  });
  const counted = async () => {
    const known = await Promise.race([counts.fetch('catalog'), delay(FIRST_WAIT_MS, [], { ref: false })]);
    return known ?? [];
  };
  const ofWhat = `of the whole catalog (group "all"), and of the ${GROUPS_SHOWN} categories and feeds with the most products`;
  return [
    {
      name: 'loupe_catalog_products',
      help: `Live products ${ofWhat}.`,
      labels: ['group', 'name'],
      read: async () => (await counted()).map(({ group, name, products }) => [{ group, name }, products]),
    },
    {
      name: 'loupe_catalog_pictures',
      help: `Pictures of live products by their state under the live model, ${ofWhat}.`,
      labels: ['group', 'name', 'state'],
      read: async () =>
        (await counted()).flatMap(({ group, name, done, pending, failed }) => [
          [{ group, name, state: 'embedded' }, done],
          [{ group, name, state: 'pending' }, pending],
          [{ group, name, state: 'failed' }, failed],
        ]),
    },
  ];
}

async function countsOf(status: StatusService) {
  const { pictures, groups } = await status.catalog(0);
  const of = (group: GroupCoverage['group']) =>
    groups.filter((each) => each.group === group).sort((one, other) => other.products - one.products);
  const categories = of('category');
  const products = categories.reduce((sum, each) => sum + each.products, 0);
  const all = { group: 'all', name: '', products, ...pictures };
  return [all, ...categories.slice(0, GROUPS_SHOWN), ...of('feed').slice(0, GROUPS_SHOWN)];
}

function callGauges(container: Container): Gauges {
  const drift = container.resolve(DriftWatch);
  const queue = adapterOf(container, PORTS.VisionQueue);
  const housekeeping = container.resolve(Housekeeping);
  return {
    'loupe_prediction_reliability{figure}': [
      `Of the answers of the last ${RELIABILITY_DAYS} days under the live calibration that callers gave feedback on: mean confidence claimed, share right.`,
      async () => {
        const { claimed, right } = await drift.reliability();
        return { claimed, right };
      },
    ],
    loupe_prediction_feedback_answers: [
      `Answers with rows of the last ${RELIABILITY_DAYS} days under the live calibration that callers gave feedback on.`,
      async () => (await drift.reliability()).answers,
    ],
    loupe_vision_workers: [
      'Workers that take photos from the queue. With none, photos are refused.',
      () => queue.workers(),
    ],
    'loupe_vision_queue_jobs{state}': ['Photos in the queue, by state.', () => queue.depth()],
    loupe_vision_queue_oldest_seconds: [
      'How long the photo at the head of the queue has waited; 0 when none waits.',
      async () => (await queue.oldestWaitingMs()) / 1000,
    ],
    'loupe_vision_job_entries{state}': [
      'Entries of jobs that have no answer yet, by state.',
      () => adapterOf(container, PORTS.VisionJobStore).depth(),
    ],
    'loupe_webhooks{state}': [
      'Messages that are still to be delivered (waiting), and addresses whose last try failed (failing).',
      () => adapterOf(container, PORTS.WebhookStore).depth(),
    ],
    'loupe_housekeeping_removed_total{kind}': [
      'What housekeeping has removed since the start of the process, by kind.',
      () => housekeeping.removed,
    ],
  };
}

function recallGauges(container: Container): Gauges {
  const sampler = container.resolve(RecallSampler);
  return {
    'loupe_ann_recall{statistic}': [
      'Share of the ten nearest images, by exact search, that the last sampled searches of the index found.',
      () => ({ mean: sampler.figures()?.mean, lowest: sampler.figures()?.lowest }),
    ],
    loupe_ann_recall_samples: [
      'How many of the last searches were measured for loupe_ann_recall.',
      () => sampler.figures()?.samples ?? 0,
    ],
  };
}

type Stats = NonNullable<ReturnType<PooledEmbedderRegistry['stats']>>;

/** Inference figures of this process, once it has embedded something. */
function inferenceGauges(container: Container): Gauges {
  const embedders = adapterOf(container, PORTS.EmbedderRegistry);
  if (!(embedders instanceof PooledEmbedderRegistry)) return {};
  const once = (read: (stats: Stats) => Record<string, number>) => () => {
    const stats = embedders.stats();
    return stats ? read(stats) : {};
  };
  const modelsOn = (backend: string, models: Stats['models']) =>
    Object.values(models).filter((name) => name === backend).length;
  return {
    'loupe_inference_engines{state}': [
      'Engines that compute embeddings, by state.',
      once(({ free, threads }) => ({ free, busy: threads - free })),
    ],
    'loupe_inference_models{backend}': [
      'Models in memory, by the backend that computes them.',
      once(({ models }) => Object.fromEntries(BACKENDS.map((each) => [each, modelsOn(each, models)]))),
    ],
    'loupe_inference_pictures{lane}': [
      'Pictures that wait for an engine or are in work, by lane: of callers, of the catalog.',
      once(({ pictures }) => ({ ...pictures })),
    ],
    loupe_inference_engines_replaced_total: [
      'Engines that ended and were replaced since the start.',
      once(({ replaced }) => ({ replaced })),
    ],
  };
}
