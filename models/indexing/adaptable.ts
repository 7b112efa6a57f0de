import type { ImageSamples } from '../ports';
import type { EmbeddingVersion } from '../vision/embedding-model';

/** Fewer products with several pictures say too little of how pictures of one product differ (contract 14.20). */
export const SEVERAL_MIN = 30;

/** How many products a map could be fitted to; null where they are too few, or the version is adapted already. */
export async function adaptableProducts(
  version: Pick<EmbeddingVersion, 'id' | 'adaptation'>,
  samples: Pick<ImageSamples, 'productsWithPictures'>,
): Promise<number | null> {
  if (version.adaptation) return null;
  const { total } = await samples.productsWithPictures(version.id, 2, 1);
  return total >= SEVERAL_MIN ? total : null;
}
