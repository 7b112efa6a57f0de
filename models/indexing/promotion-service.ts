import { inject, injectable } from 'tsyringe';
import { badRequest, notFound } from '../errors';
import { type AuditedTransaction, type EmbeddingRepository, PORTS } from '../ports';
import type { EmbeddingVersion } from '../vision/embedding-model';
import { ReadinessCheck } from './build-service';
import * as versioning from './embedding-version';
import { promotionFaults, refused } from './promotion-gates';

/** What is live now, and what was before; with the overruled objections. `recalibrated`: only the calibration changed. */
export type Switched = ReturnType<typeof switchedTo>;
export type Pruned = Awaited<ReturnType<PromotionService['prune']>>;

/** Each change is in the audit log. */
@injectable()
export class PromotionService {
  constructor(
    @inject(PORTS.EmbeddingRepository) private readonly embeddings: EmbeddingRepository,
    @inject(PORTS.AuditedTransaction) private readonly audited: AuditedTransaction,
    @inject(ReadinessCheck) private readonly readiness: ReadinessCheck,
  ) {}

  /** Makes a version live in one step, between two photos (contract 14.6). @throws AppError without `force`, listing all objections */
  async promote(model: string, force: boolean): Promise<Switched> {
    const versions = await this.embeddings.versions();
    const version = versioning.findVersion(versions, model);
    const live = versions.find(({ state }) => state === 'live') ?? null;
    if (live?.id === version.id) return switchedTo(version, live, []);
    if (version.state === 'retired' && !version.maintained) {
      throw badRequest(
        `${nameOf(version)} was retired and no new image was embedded for it since; build it anew.`,
      );
    }
    const faults = promotionFaults({
      version,
      coverage: await this.embeddings.coverage(version.id),
      isIndexed: await this.embeddings.isIndexed(version.id),
      liveId: live?.id ?? null,
      readiness: await this.readiness.of(version),
    });
    if (faults.length > 0 && !force) throw refused(`${version.model} is not promoted`, faults);
    await this.#change('embeddings promote', version, (embeddings) => embeddings.promote(version.id));
    return switchedTo(version, live, faults);
  }

  /** Undoes the last promotion, or a calibration made since; calling it again redoes it. @throws AppError as `promote` */
  async rollback(force: boolean): Promise<Switched> {
    const versions = await this.embeddings.versions();
    const live = versions.find(({ state }) => state === 'live') ?? null;
    const calibration = live?.previousCalibration;
    if (calibration) {
      await this.#change('embeddings rollback', live, (embeddings) =>
        embeddings.recalibrate(live.id, calibration),
      );
      return switchedTo(live, live, [], true);
    }
    const target = versioning.rollbackTarget(versions);
    if (!target) throw notFound('There is no version to go back to: none was live before.');
    const { pending, done, failed } = await this.embeddings.coverage(target.id);
    const faults = [
      ...(pending > 0 ? [`${pending} of ${pending + done + failed} images are missing under it`] : []),
      ...versioning.workerFaults(await this.readiness.of(target)),
    ];
    if (faults.length > 0 && !force) throw refused(`${target.model} is not gone back to`, faults);
    await this.#change('embeddings rollback', target, (embeddings) => embeddings.promote(target.id));
    return switchedTo(target, live, faults);
  }

  /** Drops the vectors of retired versions; of the rollback target only with `all`, of those never promoted with `building`. */
  async prune(options: { readonly all: boolean; readonly building: boolean }) {
    const versions = (await this.embeddings.versions()).filter(versioning.hasVectors);
    const target = versioning.rollbackTarget(versions);
    const isDropped = ({ id, state }: versioning.VersionRecord): boolean =>
      state === 'retired' ? options.all || id !== target?.id : state === 'building' && options.building;
    const pruned: string[] = [];
    for (const version of versions.filter(isDropped)) {
      const { id } = version;
      const wasThere = await this.#change('embeddings prune', version, (embeddings) => embeddings.prune(id));
      if (wasThere) pruned.push(nameOf(version));
    }
    const kept = versions.filter((version) => !isDropped(version));
    return {
      pruned,
      kept: kept.map((each) => `${nameOf(each)}: ${each.state}${DROPPED_BY[each.state] ?? ''}`),
    };
  }

  #change<Result>(
    action: string,
    { id, model }: EmbeddingVersion,
    work: (embeddings: EmbeddingRepository) => Promise<Result>,
  ): Promise<Result> {
    return this.audited.run(action, async ({ embeddings }) => ({
      result: await work(embeddings),
      subject: model,
      details: { version: id },
    }));
  }
}

const nameOf = ({ id, model }: EmbeddingVersion): string => `${model} (version ${id})`;

const DROPPED_BY: Readonly<Record<string, string>> = {
  retired: ', for a rollback; --all drops it',
  building: '; --building drops it',
};

const switchedTo = (
  { model, id }: EmbeddingVersion,
  live: EmbeddingVersion | null,
  overruled: readonly string[],
  recalibrated = false,
) => ({
  ...{ model, version: id, recalibrated, overruled },
  previous: live && live.id !== id ? live.model : null,
});
