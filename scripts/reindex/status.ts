import { AppError } from '../../models/errors';
import {
  type Coverage,
  hasVectors,
  rollbackTarget,
  type VersionRecord,
} from '../../models/indexing/embedding-version';
import type { EmbeddingRepository } from '../../models/ports';
import { asTable } from '../commands/output';

/** Failures that a status names; the rest is counted. */
export const FAILURES_SHOWN = 10;

/** One version in a status. */
export interface VersionStatus extends Coverage {
  readonly version: number;
  readonly model: string;
  readonly state: string;
  /** Whether images that come are embedded for it. */
  readonly maintained: boolean;
  readonly built: boolean;
  readonly indexed: boolean;
  readonly evaluated: boolean;
  readonly calibrated: boolean;
}

/** `loupe embeddings status --json`: the live version, and all that have vectors. */
export interface EmbeddingsStatus extends Coverage {
  readonly model: string;
  readonly version: number;
  readonly rollback: string | null;
  readonly versions: readonly VersionStatus[];
  readonly failures: readonly { readonly version: number; readonly image: string; readonly reason: string }[];
}

/** How far all versions are. @throws AppError 404 before the first start of the service */
export async function embeddingsStatus(embeddings: EmbeddingRepository): Promise<EmbeddingsStatus> {
  const records = await embeddings.versions();
  const versions: VersionStatus[] = [];
  const failures: EmbeddingsStatus['failures'][number][] = [];
  for (const record of records.filter(hasVectors)) {
    versions.push(await statusOf(record, embeddings));
    for (const { image, reason } of await embeddings.failures(record.id, FAILURES_SHOWN)) {
      failures.push({ version: record.id, image: image.address, reason });
    }
  }
  const live = versions.find(({ state }) => state === 'live');
  if (!live)
    throw new AppError(404, 'not_found', 'No embedding version is live yet; start the service once.');
  const { model, version, pending, done, failed } = live;
  const rollback = rollbackTarget(records)?.model ?? null;
  return { model, version, pending, done, failed, rollback, versions, failures };
}

async function statusOf(record: VersionRecord, embeddings: EmbeddingRepository): Promise<VersionStatus> {
  return {
    version: record.id,
    model: record.model,
    state: record.state,
    maintained: record.maintained,
    built: record.builtAt !== null || record.state !== 'building',
    indexed: await embeddings.isIndexed(record.id),
    evaluated: record.evaluation !== null,
    calibrated: record.manifest.calibration !== null,
    ...(await embeddings.coverage(record.id)),
  };
}

/** The status as text. */
export function describeStatus(status: EmbeddingsStatus): string {
  const lines = [
    `${status.model} (version ${status.version}): ${status.done} done, ${status.pending} pending, ${status.failed} failed`,
  ];
  if (status.versions.length > 1) {
    lines.push(
      asTable(
        ['version', 'model', 'state', 'done', 'pending', 'failed', 'index', 'evaluated', 'new images'],
        status.versions.map((each) => [
          each.version,
          each.model,
          stateInWords(each, status.rollback),
          each.done,
          each.pending,
          each.failed,
          each.indexed ? 'yes' : 'missing',
          each.evaluated ? 'yes' : 'no',
          each.maintained ? 'are embedded' : 'are not embedded',
        ]),
      ),
    );
  }
  for (const { version, image, reason } of status.failures) {
    lines.push(`version ${version}: not embedded: ${image}: ${reason}`);
  }
  const shown = status.failures.length;
  const failed = status.versions.reduce((sum, each) => sum + each.failed, 0);
  if (failed > shown) lines.push(`… of ${failed} failures in all`);
  return lines.join('\n');
}

function stateInWords({ state, built, maintained }: VersionStatus, rollback: string | null): string {
  if (state === 'building') return built ? 'built' : 'building';
  if (state === 'retired') return maintained && rollback !== null ? 'retired (rollback)' : 'retired';
  return state;
}
