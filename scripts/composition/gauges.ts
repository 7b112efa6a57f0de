import type { GaugeSource } from '../../api/api-services';
import type { Database } from '../../db/core/knex';
import {
  type Clock,
  type EmbedderRegistry,
  type EmbeddingRepository,
  PORTS,
  type PredictionRepository,
  type VisionJobStore,
  type VisionQueue,
} from '../../models/ports';
import { PooledEmbedderRegistry } from '../../workers/embedder/embedder-registry';
import { RecallSampler } from '../../workers/recall-sampler';
import type { Loupe } from './container';
import { Housekeeping } from './housekeeping/housekeeping';

/** What the parts of this process tell of themselves at `/metrics`, beside what the HTTP side measures. */
export function gaugesOf({ container, database, parts }: Loupe): GaugeSource[] {
  return [
    connectionsOf(database),
    ...(!parts.servesHttp
      ? []
      : [
          ...reliabilityGauges(container),
          ...queueGauges(container.resolve<VisionQueue>(PORTS.VisionQueue)),
          entriesGauge(container.resolve<VisionJobStore>(PORTS.VisionJobStore)),
          removedGauge(container.resolve(Housekeeping)),
        ]),
    ...(!parts.answersQueues
      ? []
      : [
          ...inferenceGauges(container.resolve<EmbedderRegistry>(PORTS.EmbedderRegistry)),
          ...recallGauges(container.resolve(RecallSampler)),
        ]),
  ];
}

const connectionsOf = (database: Database): GaugeSource => ({
  name: 'loupe_database_connections',
  help: 'Connections of the pool by state; pending are queries that wait for one.',
  label: 'state',
  read: () => ({ ...database.connections() }),
});

const removedGauge = (housekeeping: Housekeeping): GaugeSource => ({
  name: 'loupe_housekeeping_removed',
  help: 'What housekeeping has removed since the start of the process, by kind.',
  label: 'kind',
  read: () => housekeeping.removed,
});

const entriesGauge = (jobs: VisionJobStore): GaugeSource => ({
  name: 'loupe_vision_job_entries',
  help: 'Entries of jobs that have no answer yet, by state.',
  label: 'state',
  read: async () => ({ ...(await jobs.depth()) }),
});

const queueGauges = (queue: VisionQueue): GaugeSource[] => [
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

/** Feedback of so many days is looked at, and none on answers from before the live model or its calibration changed. */
const RELIABILITY_DAYS = 30;

const reliabilityGauges = (container: Loupe['container']): GaugeSource[] => {
  const predictions = container.resolve<PredictionRepository>(PORTS.PredictionRepository);
  const embeddings = container.resolve<EmbeddingRepository>(PORTS.EmbeddingRepository);
  const clock = container.resolve<Clock>(PORTS.Clock);
  const summary = async () => {
    const live = (await embeddings.versions()).find(({ state }) => state === 'live');
    const changed = Math.max(Number(live?.promotedAt ?? 0), Number(live?.calibratedAt ?? 0));
    const recent = clock.now().getTime() - RELIABILITY_DAYS * 86_400_000;
    return predictions.reliabilitySince(new Date(Math.max(changed, recent)));
  };
  return [
    {
      name: 'loupe_prediction_reliability',
      help: `Of the answers of the last ${RELIABILITY_DAYS} days under the live calibration that callers gave feedback on: mean confidence claimed, share right.`,
      label: 'figure',
      read: async (): Promise<Record<string, number>> => {
        const { claimed, right } = await summary();
        return { claimed: claimed ?? Number.NaN, right: right ?? Number.NaN };
      },
    },
    {
      name: 'loupe_prediction_feedback_answers',
      help: `Answers with rows of the last ${RELIABILITY_DAYS} days under the live calibration that callers gave feedback on.`,
      read: async () => ({ answers: (await summary()).answers }),
    },
  ];
};

/** No number before a search was measured. */
const recallGauges = (sampler: RecallSampler): GaugeSource[] => [
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
function inferenceGauges(embedders: EmbedderRegistry): GaugeSource[] {
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
      name: 'loupe_inference_pictures',
      help: 'Pictures that wait for an engine or are in work, by lane: of callers, of the catalog.',
      label: 'lane',
      read: () => ({ ...embedders.stats()?.pictures }),
    },
    {
      name: 'loupe_inference_engines_replaced',
      help: 'Engines that ended and were replaced since the start.',
      read: (): Record<string, number> => {
        const stats = embedders.stats();
        return stats ? { replaced: stats.replaced } : {};
      },
    },
  ];
}
