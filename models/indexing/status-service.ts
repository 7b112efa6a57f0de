import pMap from 'p-map';
import { inject, injectable } from 'tsyringe';
import { type EmbeddingRepository, type ImageSamples, PORTS } from '../ports';
import type { EmbeddingVersion } from '../vision/embedding-model';
import { hasVectors, liveOf, rollbackTarget, type VersionRecord } from './embedding-version';

export const FAILURES_SHOWN = 10;
const ONE_BY_ONE = { concurrency: 1 };

export type EmbeddingsStatus = Awaited<ReturnType<StatusService['status']>>;
export type VersionStatus = EmbeddingsStatus['versions'][number];

export type CatalogStatus = Awaited<ReturnType<StatusService['catalog']>>;

@injectable()
export class StatusService {
  constructor(
    @inject(PORTS.EmbeddingRepository) private readonly embeddings: EmbeddingRepository,
    @inject(PORTS.ImageSamples) private readonly samples: ImageSamples,
  ) {}

  /** @throws AppError before the first start of the service */
  async status() {
    const records = (await this.embeddings.versions()).filter(hasVectors);
    const versions = await pMap(records, (record) => this.#statusOf(record), ONE_BY_ONE);
    const failuresUnder = async ({ id: version }: VersionRecord) => {
      const failures = await failuresOf(this.embeddings, version, FAILURES_SHOWN);
      return failures.map((each) => ({ version, ...each }));
    };
    const failures = (await pMap(records, failuresUnder, ONE_BY_ONE)).flat();
    const { model, version, pending, done, failed } = liveOf(versions);
    const rollback = rollbackTarget(records)?.model ?? null;
    const adaptable = await adaptableProducts(liveOf(records), this.samples);
    return { model, version, pending, done, failed, rollback, adaptable, versions, failures };
  }

  /** How much of the catalog photos can be matched to (contract 13.24). */
  async catalog(failuresMax: number) {
    const live = await this.embeddings.live();
    // Neither a service nor an import was here.
    if (!live) return { pictures: { pending: 0, done: 0, failed: 0 }, groups: [], failures: [] };
    const { id } = live;
    const failures = await failuresOf(this.embeddings, id, failuresMax);
    const pictures = await this.embeddings.coverage(id);
    return { pictures, groups: await this.embeddings.coverageByGroup(id), failures };
  }

  async #statusOf(record: VersionRecord) {
    const { id: version, model, state, maintained } = record;
    return {
      ...{ version, model, state, maintained },
      built: record.builtAt !== null || record.state !== 'building',
      indexed: await this.embeddings.isIndexed(version),
      evaluated: record.evaluation !== null,
      calibrated: record.manifest.calibration !== null,
      ...(await this.embeddings.coverage(version)),
    };
  }
}

export async function failuresOf(embeddings: EmbeddingRepository, versionId: number, limit: number) {
  const failures = await embeddings.failures(versionId, limit);
  return failures.map(({ image, reason }) => ({ image: image.address, reason }));
}

/** Fewer products with several pictures are too little evidence of how pictures of one product differ (contract 14.20). */
export const ADAPTABLE_PRODUCTS_MIN = 30;

/** How many products a map could be fitted to; null if they are too few, or the version is adapted already. */
export async function adaptableProducts(
  version: Pick<EmbeddingVersion, 'id' | 'adaptation'>,
  samples: Pick<ImageSamples, 'productsWithPictures'>,
): Promise<number | null> {
  if (version.adaptation) return null;
  const { total } = await samples.productsWithPictures(version.id, 2, 1);
  return total >= ADAPTABLE_PRODUCTS_MIN ? total : null;
}
