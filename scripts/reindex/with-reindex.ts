import { constants, setPriority } from 'node:os';
import {
  type Clock,
  type EmbedderRegistry,
  type EmbeddingRepository,
  type IndexQueue,
  PORTS,
  type ReadinessRepository,
} from '../../models/ports';
import { type Config, readConfig } from '../config';
import { buildContainer, type Loupe } from '../container';

/** What a change of the model works with. */
export interface Reindex {
  readonly loupe: Loupe;
  readonly config: Config;
  readonly embeddings: EmbeddingRepository;
  readonly readiness: ReadinessRepository;
  readonly queue: IndexQueue;
  readonly embedders: EmbedderRegistry;
  readonly clock: Clock;
}

/**
 * Opens what a change of the model works with, beside a running service or without one, and closes it. With Redis the
 * workers compute; without it this process does, after everything else on the machine.
 */
export async function withReindex<Result>(work: (reindex: Reindex) => Promise<Result>): Promise<Result> {
  setPriority(constants.priority.PRIORITY_LOW);
  const config: Config = { ...readConfig(), ROLE: 'api', LOG_LEVEL: 'warn' };
  const loupe = await buildContainer(config);
  const { container } = loupe;
  try {
    return await work({
      loupe,
      config,
      embeddings: container.resolve<EmbeddingRepository>(PORTS.EmbeddingRepository),
      readiness: container.resolve<ReadinessRepository>(PORTS.ReadinessRepository),
      queue: container.resolve<IndexQueue>(PORTS.IndexQueue),
      embedders: container.resolve<EmbedderRegistry>(PORTS.EmbedderRegistry),
      clock: container.resolve<Clock>(PORTS.Clock),
    });
  } finally {
    await loupe.close();
  }
}
