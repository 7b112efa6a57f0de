import { EVERYTHING } from '../catalog/catalog-query';
import type { ExactNeighbours, ImageSamples, NeighbourIndex } from '../ports';
import type { EmbeddingVersion } from '../vision/embedding-model';
import type { AnnFigures } from './evaluation';

/** Nearest images that count. */
const LOOKED_AT = 10;

/**
 * Recall@10 of the approximate search against the exact one, without a filter and for each category; nothing for a
 * version that is searched exactly.
 *
 * @param queries vectors of so many photos
 */
export async function annRecall(
  version: EmbeddingVersion,
  queries: readonly (readonly Float32Array[])[],
  ports: { exact: ExactNeighbours; index: NeighbourIndex; samples: ImageSamples },
): Promise<AnnFigures[]> {
  if (!(await ports.exact.isApproximate(version))) return [];
  const shares = [...(await ports.samples.categoryShares())];
  const filters = [
    ['none', 1, EVERYTHING] as const,
    ...shares.map(([id, share]) => [id, share, { ...EVERYTHING, category: id }] as const),
  ];
  const figures: AnnFigures[] = [];
  for (const [filter, selectivity, scope] of filters) {
    let wanted = 0;
    let found = 0;
    for (const vectors of queries) {
      const nearest = await ports.exact.nearest(version, vectors, LOOKED_AT, scope);
      const near = await ports.index.nearest(version, [vectors], LOOKED_AT, scope);
      const known = new Set(near.map(({ imageId }) => imageId));
      wanted += nearest.length;
      found += nearest.filter((imageId) => known.has(imageId)).length;
    }
    figures.push({ filter, selectivity, recall: wanted === 0 ? 1 : found / wanted });
  }
  return figures;
}
