import type { MetricSource } from '../../api/api-services';
import type { Database } from '../../db/core/knex';
import { DriftWatch, RELIABILITY_DAYS } from '../../models/feedback/drift-watch';
import {
  type EmbedderRegistry,
  PORTS,
  type VisionJobStore,
  type VisionQueue,
  type WebhookStore,
} from '../../models/ports';
import { BACKENDS } from '../../workers/embedder/backend-choice';
import { PooledEmbedderRegistry } from '../../workers/embedder/embedder-registry';
import { RecallSampler } from '../../workers/recall-sampler';
import type { Loupe } from './container';
import { Housekeeping } from './housekeeping/housekeeping';

/** What the parts of this process tell of themselves at `/metrics`, beside what the HTTP side measures. */
export function gaugesOf({ container, database, parts }: Loupe): MetricSource[] {
  return [
    connectionsOf(database),
    ...inferenceGauges(container.resolve<EmbedderRegistry>(PORTS.EmbedderRegistry)),
    ...(!parts.servesHttp
      ? []
      : [
          ...reliabilityGauges(container),
          ...queueGauges(container.resolve<VisionQueue>(PORTS.VisionQueue)),
          entriesGauge(container.resolve<VisionJobStore>(PORTS.VisionJobStore)),
          webhooksGauge(container.resolve<WebhookStore>(PORTS.WebhookStore)),
          removedGauge(container.resolve(Housekeeping)),
        ]),
    ...(parts.answersQueues ? recallGauges(container.resolve(RecallSampler)) : []),
  ];
}

const connectionsOf = (database: Database): MetricSource => ({
  name: 'loupe_database_connections',
  help: 'Connections of the pool by state; pending are queries that wait for one.',
  label: 'state',
  read: () => ({ ...database.connections() }),
});

const removedGauge = (housekeeping: Housekeeping): MetricSource => ({
  name: 'loupe_housekeeping_removed_total',
  help: 'What housekeeping has removed since the start of the process, by kind.',
  label: 'kind',
  read: () => housekeeping.removed,
});

const entriesGauge = (jobs: VisionJobStore): MetricSource => ({
  name: 'loupe_vision_job_entries',
  help: 'Entries of jobs that have no answer yet, by state.',
  label: 'state',
  read: async () => ({ ...(await jobs.depth()) }),
});

const webhooksGauge = (webhooks: WebhookStore): MetricSource => ({
  name: 'loupe_webhooks',
  help: 'Messages that are still to be delivered (waiting), and addresses whose last try failed (failing).',
  label: 'state',
  read: async () => ({ ...(await webhooks.depth()) }),
});

const queueGauges = (queue: VisionQueue): MetricSource[] => [
  {
    name: 'loupe_vision_workers',
    help: 'Workers that take photos from the queue. With none, photos are refused.',
    read: async () => ({ workers: (await queue.workers()) ?? Number.NaN }),
  },
  {
    name: 'loupe_vision_queue_jobs',
    help: 'Photos in the queue, by state.',
    label: 'state',
    read: async () => ({ ...(await queue.depth()) }),
  },
  {
    name: 'loupe_vision_queue_oldest_seconds',
    help: 'How long the photo at the head of the queue has waited; 0 when none waits.',
    read: async () => ({ oldest: (await queue.oldestWaitingMs()) / 1000 }),
  },
];

const reliabilityGauges = (container: Loupe['container']): MetricSource[] => {
  const watch = container.resolve(DriftWatch);
  return [
    {
      name: 'loupe_prediction_reliability',
      help: `Of the answers of the last ${RELIABILITY_DAYS} days under the live calibration that callers gave feedback on: mean confidence claimed, share right.`,
      label: 'figure',
      read: async (): Promise<Record<string, number>> => {
        const { claimed, right } = await watch.reliability();
        return { claimed: claimed ?? Number.NaN, right: right ?? Number.NaN };
      },
    },
    {
      name: 'loupe_prediction_feedback_answers',
      help: `Answers with rows of the last ${RELIABILITY_DAYS} days under the live calibration that callers gave feedback on.`,
      read: async () => ({ answers: (await watch.reliability()).answers }),
    },
  ];
};

/** No number before a search was measured. */
const recallGauges = (sampler: RecallSampler): MetricSource[] => [
  {
    name: 'loupe_ann_recall',
    help: 'Share of the ten nearest images, by exact search, that the last sampled searches of the index found.',
    label: 'statistic',
    read: (): Record<string, number> => {
      const figures = sampler.figures();
      return { mean: figures?.mean ?? Number.NaN, lowest: figures?.lowest ?? Number.NaN };
    },
  },
  {
    name: 'loupe_ann_recall_samples',
    help: 'How many of the last searches were measured for loupe_ann_recall.',
    read: () => ({ samples: sampler.figures()?.samples ?? 0 }),
  },
];

/** Of the inference of this process; an embedder that is no pool tells nothing. */
function inferenceGauges(embedders: EmbedderRegistry): MetricSource[] {
  if (!(embedders instanceof PooledEmbedderRegistry)) return [];
  return [
    {
      name: 'loupe_inference_engines',
      help: 'Engines that compute embeddings, by state.',
      label: 'state',
      read: () => {
        const stats = embedders.stats();
        return stats ? { free: stats.free, busy: stats.threads - stats.free } : {};
      },
    },
    {
      name: 'loupe_inference_models',
      help: 'Models in memory, by the backend that computes them.',
      label: 'backend',
      read: (): Record<string, number> => {
        const stats = embedders.stats();
        if (!stats) return {};
        const used = Object.values(stats.models);
        return Object.fromEntries(
          BACKENDS.map((each) => [each, used.filter((name) => name === each).length]),
        );
      },
    },
    {
      name: 'loupe_inference_pictures',
      help: 'Pictures that wait for an engine or are in work, by lane: of callers, of the catalog.',
      label: 'lane',
      read: () => ({ ...embedders.stats()?.pictures }),
    },
    {
      name: 'loupe_inference_engines_replaced_total',
      help: 'Engines that ended and were replaced since the start.',
      read: (): Record<string, number> => {
        const stats = embedders.stats();
        return stats ? { replaced: stats.replaced } : {};
      },
    },
  ];
}
