import { notFound } from '../errors';
import { hasVectors, type VersionRecord } from './embedding-version';

/**
 * The newest version of a model that has vectors; `model` is `id` or `id@version`.
 *
 * @throws AppError saying how to make one
 */
export function findVersion(versions: readonly VersionRecord[], model: string): VersionRecord {
  const found = versions
    .filter(hasVectors)
    .filter((version) => version.model === model || version.manifest.id === model)
    .at(-1);
  if (found) return found;
  throw notFound(
    `Nothing is embedded under the model "${model}"; loupe embeddings build --model ${model} does that.`,
  );
}
