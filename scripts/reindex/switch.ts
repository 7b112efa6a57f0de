import { AppError } from '../../models/errors';
import {
  type EmbeddingVersion,
  hasVectors,
  rollbackTarget,
  type VersionRecord,
} from '../../models/indexing/embedding-version';
import { promotionFaults } from '../../models/indexing/promotion-gates';
import { findVersion } from './find-version';
import { readinessOf } from './readiness-of';
import type { Reindex } from './with-reindex';

/** What is live now, and what was. */
export interface Switched {
  readonly model: string;
  readonly version: number;
  readonly previous: string | null;
  /** What spoke against it and was overruled by `--force`. */
  readonly overruled: readonly string[];
}

/**
 * `loupe embeddings promote`: makes a version the live one in one step, for all processes, between two photos.
 *
 * @param force goes on although something speaks against it
 * @throws AppError 404 for a model without embeddings; 400 with everything that speaks against it
 */
export async function promote(reindex: Reindex, model: string, force: boolean): Promise<Switched> {
  const { embeddings } = reindex;
  const versions = await embeddings.versions();
  const version = findVersion(versions, model);
  const live = versions.find(({ state }) => state === 'live') ?? null;
  if (live?.id === version.id) return switchedTo(version, live, []);
  if (version.state === 'retired' && !version.maintained) throw outOfDate(version);
  const faults = promotionFaults({
    version,
    coverage: await embeddings.coverage(version.id),
    isIndexed: await embeddings.isIndexed(version.id),
    liveId: live?.id ?? null,
    readiness: await readinessOf(version, reindex),
  });
  if (faults.length > 0 && !force) throw refused(`${version.model} is not promoted`, faults);
  await embeddings.promote(version.id);
  return switchedTo(version, live, faults);
}

/**
 * `loupe embeddings rollback`: back to the version that was live before, at once. A second one goes forth again.
 *
 * @param force goes back although images that came since are missing under it, or a worker can't load its model
 * @throws AppError 404 when there is nothing to go back to, 400 with what speaks against it
 */
export async function rollback(reindex: Reindex, force: boolean): Promise<Switched> {
  const { embeddings } = reindex;
  const versions = await embeddings.versions();
  const target = rollbackTarget(versions);
  if (!target)
    throw new AppError(404, 'not_found', 'There is no version to go back to: none was live before.');
  const live = versions.find(({ state }) => state === 'live') ?? null;
  const { pending, done, failed } = await embeddings.coverage(target.id);
  const readiness = await readinessOf(target, reindex);
  const faults = [
    ...(pending > 0 ? [`${pending} of ${pending + done + failed} images are missing under it`] : []),
    ...readiness.flatMap(({ worker, fault }) => (fault === null ? [] : [`${worker}: ${fault}`])),
  ];
  if (faults.length > 0 && !force) throw refused(`${target.model} is not gone back to`, faults);
  await embeddings.promote(target.id);
  return switchedTo(target, live, faults);
}

/** What `prune` dropped, and what it kept. */
export interface Pruned {
  readonly pruned: readonly string[];
  readonly kept: readonly string[];
}

/**
 * `loupe embeddings prune`: drops the vectors of retired versions, all but those that a rollback goes back to.
 *
 * @param options `all`: those too; `building`: also what was built or begun and never promoted
 */
export async function prune(
  { embeddings }: Reindex,
  options: { readonly all: boolean; readonly building: boolean },
): Promise<Pruned> {
  const versions = (await embeddings.versions()).filter(hasVectors);
  const target = rollbackTarget(versions);
  const isDropped = ({ id, state }: VersionRecord): boolean =>
    (state === 'retired' && (options.all || id !== target?.id)) || (state === 'building' && options.building);
  const pruned: string[] = [];
  for (const version of versions.filter(isDropped)) {
    if (await embeddings.prune(version.id)) pruned.push(nameOf(version));
  }
  const kept = versions.filter((version) => !isDropped(version)).map(nameWithState);
  return { pruned, kept };
}

const nameOf = ({ id, model }: EmbeddingVersion): string => `${model} (version ${id})`;

const nameWithState = (version: VersionRecord): string =>
  `${nameOf(version)}: ${version.state}${version.state === 'retired' ? ', for a rollback; --all drops it' : ''}${version.state === 'building' ? '; --building drops it' : ''}`;

const switchedTo = (
  version: EmbeddingVersion,
  live: EmbeddingVersion | null,
  overruled: readonly string[],
): Switched => ({
  model: version.model,
  version: version.id,
  previous: live && live.id !== version.id ? live.model : null,
  overruled,
});

const refused = (what: string, faults: readonly string[]): AppError =>
  new AppError(
    400,
    'bad_request',
    `${what}:\n${faults.map((fault) => `  - ${fault}`).join('\n')}\n--force does it nevertheless.`,
  );

const outOfDate = (version: VersionRecord): AppError =>
  new AppError(
    400,
    'bad_request',
    `${nameOf(version)} was retired and no new image was embedded for it since; build it anew.`,
  );
