import { inject, injectable } from 'tsyringe';
import { type EmbeddingRepository, type ImageSamples, PORTS } from '../ports';
import type { EmbeddingVersion } from '../vision/embedding-model';
import {
  type Coverage,
  type GroupCoverage,
  hasVectors,
  liveOf,
  rollbackTarget,
  type VersionRecord,
} from './embedding-version';

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
  /** Products with several pictures that a map could be fitted to; null where too few, or it is adapted. */
  readonly adaptable: number | null;
  readonly versions: readonly VersionStatus[];
  readonly failures: readonly { readonly version: number; readonly image: string; readonly reason: string }[];
}

/** `loupe catalog show --json`: how much of the catalog a photo can be answered with (contract 13.24). */
export interface CatalogStatus {
  /** All pictures under the live version. */
  readonly pictures: Coverage;
  readonly groups: readonly GroupCoverage[];
  /** The first of those that could not be fetched or read. */
  readonly failures: readonly { readonly image: string; readonly reason: string }[];
}

/** Says how far all versions are. */
@injectable()
export class StatusService {
  constructor(
    @inject(PORTS.EmbeddingRepository) private readonly embeddings: EmbeddingRepository,
    @inject(PORTS.ImageSamples) private readonly samples: ImageSamples,
  ) {}

  /** @throws AppError before the first start of the service */
  async status(): Promise<EmbeddingsStatus> {
    const records = await this.embeddings.versions();
    const versions: VersionStatus[] = [];
    const failures: EmbeddingsStatus['failures'][number][] = [];
    for (const record of records.filter(hasVectors)) {
      versions.push(await this.#statusOf(record));
      for (const { image, reason } of await this.embeddings.failures(record.id, FAILURES_SHOWN)) {
        failures.push({ version: record.id, image: image.address, reason });
      }
    }
    const { model, version, pending, done, failed } = liveOf(versions);
    const rollback = rollbackTarget(records)?.model ?? null;
    const adaptable = await adaptableProducts(liveOf(records), this.samples);
    return { model, version, pending, done, failed, rollback, adaptable, versions, failures };
  }

  /** @throws AppError before the first start of the service */
  async catalog(failuresMax: number): Promise<CatalogStatus> {
    const { id } = liveOf(await this.embeddings.versions());
    const failures = await this.embeddings.failures(id, failuresMax);
    return {
      pictures: await this.embeddings.coverage(id),
      groups: await this.embeddings.coverageByGroup(id),
      failures: failures.map(({ image, reason }) => ({ image: image.address, reason })),
    };
  }

  async #statusOf(record: VersionRecord): Promise<VersionStatus> {
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
