import type { MetricSource } from '../../api/api-services';
import { DriftWatch, RELIABILITY_DAYS } from '../../models/feedback/drift-watch';
import type { GroupCoverage } from '../../models/indexing/embedding-version';
import { StatusService } from '../../models/indexing/status-service';
import { type EmbedderRegistry, PORTS } from '../../models/ports';
import { BACKENDS } from '../../workers/embedder/backends';
import { PooledEmbedderRegistry } from '../../workers/embedder/embedder-registry';
import { RecallSampler } from '../../workers/recall-sampler';
import type { Loupe } from './container';
import { Housekeeping } from './housekeeping/housekeeping';
import { adapterOf, type Container } from './opening';

/** Figures of the parts of this process for `/metrics`, beside what the HTTP side measures. */
export const gaugesOf = ({ container, database, parts }: Loupe): MetricSource[] => [
  gauge(
    'loupe_database_connections{state}',
    'Connections of the pool by state; pending are queries that wait for one.',
    () => ({ ...database.connections() }),
  ),
  ...inferenceGauges(adapterOf(container, PORTS.EmbedderRegistry)),
  ...(parts.servesHttp ? [...callGauges(container), ...catalogGauges(container.resolve(StatusService))] : []),
  ...(parts.answersQueues ? recallGauges(container.resolve(RecallSampler)) : []),
];

type Figure = number | null | undefined;

/** @param read a figure, or those of the label; what is not known now is NaN */
function gauge(
  nameAndLabel: string,
  help: string,
  read: () => Figure | Record<string, Figure> | Promise<Figure | Record<string, Figure>>,
): MetricSource {
  const [, name = nameAndLabel, label] = /^(\w+)\{(\w+)\}$/.exec(nameAndLabel) ?? [];
  return {
    name,
    help,
    labels: label === undefined ? [] : [label],
    read: async () => {
      const figures = await read();
      const all = typeof figures === 'object' && figures !== null ? figures : { figure: figures };
      return Object.entries(all).map(([key, value]) => [
        label === undefined ? {} : { [label]: key },
        value ?? Number.NaN,
      ]);
    },
  };
}

const GROUPS_SHOWN = 50;

/** What a catalog holds (contract 14.21); a million rows take seconds to count. */
function catalogGauges(status: StatusService): MetricSource[] {
  const counted = rarely(async () => {
    const { pictures, groups } = await status.catalog(0);
    const of = (group: GroupCoverage['group']) =>
      groups.filter((each) => each.group === group).sort((one, other) => other.products - one.products);
    const categories = of('category');
    const products = categories.reduce((sum, each) => sum + each.products, 0);
    const all = { group: 'all', name: '', products, ...pictures };
    return [all, ...categories.slice(0, GROUPS_SHOWN), ...of('feed').slice(0, GROUPS_SHOWN)];
  });
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

const RARELY_MS = 60_000;
const SHARE_OF_TIME = 100;

/**
 * Reads no more than once a minute, and for no more than a hundredth of the time. Only who asks first waits for it; later
 * the value before is answered until the next is there.
 */
function rarely<Value>(read: () => Promise<Value>): () => Promise<Value> {
  let last: Promise<Value> | null = null;
  let nextAt = 0;
  const readNow = async (): Promise<Value> => {
    const startedAt = performance.now();
    nextAt = Number.POSITIVE_INFINITY;
    try {
      return await read();
    } finally {
      nextAt = performance.now() + Math.max(RARELY_MS, SHARE_OF_TIME * (performance.now() - startedAt));
    }
  };
  return () => {
    if (performance.now() < nextAt && last) return last;
    const next = readNow();
    const settled = () => {
      last = next;
    };
    next.then(settled, settled);
    last ??= next;
    return last;
  };
}

function callGauges(container: Container): MetricSource[] {
  const drift = container.resolve(DriftWatch);
  const queue = adapterOf(container, PORTS.VisionQueue);
  const housekeeping = container.resolve(Housekeeping);
  return [
    gauge(
      'loupe_prediction_reliability{figure}',
      `Of the answers of the last ${RELIABILITY_DAYS} days under the live calibration that callers gave feedback on: mean confidence claimed, share right.`,
      async () => {
        const { claimed, right } = await drift.reliability();
        return { claimed, right };
      },
    ),
    gauge(
      'loupe_prediction_feedback_answers',
      `Answers with rows of the last ${RELIABILITY_DAYS} days under the live calibration that callers gave feedback on.`,
      async () => (await drift.reliability()).answers,
    ),
    gauge(
      'loupe_vision_workers',
      'Workers that take photos from the queue. With none, photos are refused.',
      () => queue.workers(),
    ),
    gauge('loupe_vision_queue_jobs{state}', 'Photos in the queue, by state.', () => queue.depth()),
    gauge(
      'loupe_vision_queue_oldest_seconds',
      'How long the photo at the head of the queue has waited; 0 when none waits.',
      async () => (await queue.oldestWaitingMs()) / 1000,
    ),
    gauge(
      'loupe_vision_job_entries{state}',
      'Entries of jobs that have no answer yet, by state.',
      async () => ({ ...(await adapterOf(container, PORTS.VisionJobStore).depth()) }),
    ),
    gauge(
      'loupe_webhooks{state}',
      'Messages that are still to be delivered (waiting), and addresses whose last try failed (failing).',
      async () => ({ ...(await adapterOf(container, PORTS.WebhookStore).depth()) }),
    ),
    gauge(
      'loupe_housekeeping_removed_total{kind}',
      'What housekeeping has removed since the start of the process, by kind.',
      () => housekeeping.removed,
    ),
  ];
}

const recallGauges = (sampler: RecallSampler): MetricSource[] => [
  gauge(
    'loupe_ann_recall{statistic}',
    'Share of the ten nearest images, by exact search, that the last sampled searches of the index found.',
    () => {
      const figures = sampler.figures();
      return { mean: figures?.mean, lowest: figures?.lowest };
    },
  ),
  gauge(
    'loupe_ann_recall_samples',
    'How many of the last searches were measured for loupe_ann_recall.',
    () => sampler.figures()?.samples ?? 0,
  ),
];

/** Of the inference of this process, once it has begun. */
function inferenceGauges(embedders: EmbedderRegistry): MetricSource[] {
  if (!(embedders instanceof PooledEmbedderRegistry)) return [];
  type Stats = NonNullable<ReturnType<PooledEmbedderRegistry['stats']>>;
  const figures = (read: (stats: Stats) => Record<string, number>) => () => {
    const stats = embedders.stats();
    return stats ? read(stats) : {};
  };
  return [
    gauge(
      'loupe_inference_engines{state}',
      'Engines that compute embeddings, by state.',
      figures(({ free, threads }) => ({ free, busy: threads - free })),
    ),
    gauge(
      'loupe_inference_models{backend}',
      'Models in memory, by the backend that computes them.',
      figures(({ models }) => {
        const used = Object.values(models);
        return Object.fromEntries(
          BACKENDS.map((each) => [each, used.filter((name) => name === each).length]),
        );
      }),
    ),
    gauge(
      'loupe_inference_pictures{lane}',
      'Pictures that wait for an engine or are in work, by lane: of callers, of the catalog.',
      figures(({ pictures }) => ({ ...pictures })),
    ),
    gauge(
      'loupe_inference_engines_replaced_total',
      'Engines that ended and were replaced since the start.',
      figures(({ replaced }) => ({ replaced })),
    ),
  ];
}
