import { AppError } from '../../models/errors';
import { hasVectors, type VersionRecord } from '../../models/indexing/embedding-version';

/**
 * The newest version of a model that has vectors; `model` is `id` or `id@version`.
 *
 * @throws AppError 404 saying how to make one
 */
export function findVersion(versions: readonly VersionRecord[], model: string): VersionRecord {
  const found = versions
    .filter(hasVectors)
    .filter((version) => version.model === model || version.manifest.id === model)
    .at(-1);
  if (found) return found;
  throw new AppError(
    404,
    'not_found',
    `Nothing is embedded under the model "${model}"; loupe embeddings build --model ${model} does that.`,
  );
}
