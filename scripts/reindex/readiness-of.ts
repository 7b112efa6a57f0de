import { setTimeout as delay } from 'node:timers/promises';
import {
  type EmbeddingVersion,
  MODEL_IS_LOADING,
  type WorkerReadiness,
} from '../../models/indexing/embedding-version';
import type { EmbedderRegistry, ReadinessRepository } from '../../models/ports';

const POLL_MS = 250;

/** The largest model on a busy machine. */
const PATIENCE_MS = 120_000;

/**
 * Which workers hold the model of a version ready; waits for those that load it just now. Where no worker is alive
 * this process tries the model itself.
 */
export async function readinessOf(
  version: EmbeddingVersion,
  { readiness, embedders }: { readiness: ReadinessRepository; embedders: EmbedderRegistry },
): Promise<readonly WorkerReadiness[]> {
  const until = performance.now() + PATIENCE_MS;
  for (;;) {
    const workers = await readiness.workers();
    if (workers.length === 0) return [await triedHere(version, embedders)];
    const told = await readiness.of(version.id);
    const silent = workers.filter((worker) => !told.some((each) => each.worker === worker));
    const all = [
      ...told,
      ...silent.map((worker) => ({ worker, versionId: version.id, fault: MODEL_IS_LOADING })),
    ];
    if (!all.some(({ fault }) => fault === MODEL_IS_LOADING) || performance.now() > until) return all;
    await delay(POLL_MS);
  }
}

async function triedHere(version: EmbeddingVersion, embedders: EmbedderRegistry): Promise<WorkerReadiness> {
  try {
    await embedders.forVersion(version);
    return { worker: 'this host', versionId: version.id, fault: null };
  } catch (failure) {
    return { worker: 'this host', versionId: version.id, fault: String(failure) };
  }
}
