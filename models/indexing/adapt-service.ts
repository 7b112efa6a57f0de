import { inject, injectable } from 'tsyringe';
import { badRequest } from '../errors';
import type * as ports from '../ports';
import { PORTS } from '../ports';
import { hash } from '../random';
import type { Adaptation } from '../vision/embedding-model';
import { applyMap } from '../vision/linear-map';
import { BuildService } from './build-service';
import { type VersionRecord, versionOf } from './embedding-version';
import { type Query, QueryMaker } from './query-maker';
import { composeMaps, FittedProducts, inverseOf, pictureVector } from './scatter';
import { ADAPTABLE_PRODUCTS_MIN } from './status-service';

export interface AdaptOptions {
  /** `id` or `id@version`; null means the live version. */
  readonly model: string | null;
  /** A folder of labelled photos, used as further pictures of their products; null for none. */
  readonly photos: string | null;
  /** Whether photos of callers kept with their feedback are used too. */
  readonly feedback: boolean;
}

/** An adapted version, and how it was adapted; a third of the `several` products with several pictures was held out. */
export type AdaptResult = Awaited<ReturnType<AdaptService['adapt']>>;

/** Products examined: enough to learn the directions of a large catalog, few enough for memory. */
const PRODUCTS_MAX = 6_000;
const PHOTOS_MAX = 5_000;
const OTHERS_MAX = 1_500;

const PAGE = 64;
const COPIED_AT_ONCE = 256;

/** A third of the products is held out of the fit, to judge the map by. */
const isHeldOut = (product: string): boolean => hash(product, 'adapt') % 3 === 0;

type Pictures = readonly (readonly Float32Array[])[];

interface Run {
  readonly source: VersionRecord;
  /** The inverse of the map of an adapted source, so that maps are never applied on top of each other. */
  readonly undo: Float32Array | null;
  readonly progress: ports.Progress;
  readonly signal: AbortSignal;
}

/** Fits a map to the catalog, and makes a version of the stored vectors by it (contract 14.20). */
@injectable()
export class AdaptService {
  constructor(
    @inject(PORTS.EmbeddingRepository) private readonly embeddings: ports.EmbeddingRepository,
    @inject(PORTS.ImageSamples) private readonly samples: ports.ImageSamples,
    @inject(PORTS.EmbedderRegistry) private readonly embedders: ports.EmbedderRegistry,
    @inject(PORTS.AuditedTransaction) private readonly audited: ports.AuditedTransaction,
    @inject(QueryMaker) private readonly queryMaker: QueryMaker,
    @inject(BuildService) private readonly build: BuildService,
  ) {}

  /** After an interruption, the same call continues. @throws AppError with too few products of several pictures, or no better map */
  async adapt(options: AdaptOptions, progress: ports.Progress, signal: AbortSignal) {
    const source = versionOf(await this.embeddings.versions(), options.model);
    const existing = await this.embeddings.mapOf(source.id);
    const undo = existing && inverseOf(existing);
    const run: Run = { source, undo, progress, signal };
    const photos = await this.#photos(run, options);
    const stored = await this.samples.productsWithPictures(source.id, 2, PRODUCTS_MAX);
    const several = new Set([...stored.ids, ...photos.keys()]);
    const count = stored.total + several.size - stored.ids.length;
    if (count < ADAPTABLE_PRODUCTS_MIN) throw tooFew(count);

    const { fitted, ids, pictures } = await this.#fit(run, [...several], photos);
    progress.begin('cross-validation', 1);
    const others = await this.#others(run, several);
    const { strength, validation } = await fitted.chooseStrength(others, (done, of) => {
      signal.throwIfAborted();
      progress.reach(done / of);
    });
    progress.end();
    if (validation.after - validation.before <= validation.error) throw noBetter(validation);

    const map = fitted.directions().map(strength);
    const adaptation: Adaptation = { from: source.id, products: ids.length, pictures, ...strength };
    const manifest = { ...source.manifest, certain: undefined, calibration: null };
    const version = await this.audited.run('embeddings adapt', async ({ embeddings }) => {
      const made = await embeddings.createAdapted({ manifest, adaptation, map, products: ids });
      return { result: made, subject: made.model, details: { version: made.id, ...adaptation } };
    });
    await this.#copy(run, version.id, undo ? composeMaps(map, undo) : map);
    const built = await this.build.complete(version, progress, signal);
    return { ...built, ...adaptation, several: count, validation };
  }

  /** Views of photos by the product that they show, as the network alone embeds them. */
  async #photos({ source, progress }: Run, { photos, feedback }: AdaptOptions) {
    const labelled: Query[] = [
      ...(photos === null ? [] : await this.queryMaker.fromPhotos(photos, PHOTOS_MAX)),
      ...(feedback ? await this.queryMaker.fromFeedback(PHOTOS_MAX) : []),
    ];
    const found = new Map<string, Pictures>();
    if (labelled.length === 0) return found;
    const embedder = await this.embedders.forVersion({ ...source, adaptation: null });
    progress.begin('photos', labelled.length);
    for (const [at, { products, jpegs }] of labelled.entries()) {
      const [product] = products;
      if (product !== undefined && !isHeldOut(product)) {
        const views = await Promise.all(jpegs.map((jpeg) => embedder.embed(jpeg, 'query')));
        found.set(product, [...(found.get(product) ?? []), ...views]);
      }
      progress.reach(at + 1);
    }
    progress.end();
    return found;
  }

  async #fit(
    run: Run,
    several: readonly string[],
    photos: ReadonlyMap<string, Pictures>,
  ): Promise<{ fitted: FittedProducts; ids: string[]; pictures: number }> {
    const { source, progress } = run;
    const wanted = several.filter((id) => !isHeldOut(id));
    const fitted = new FittedProducts(source.manifest.output.dimensions);
    const ids: string[] = [];
    let [pictures, done] = [0, 0];
    progress.begin('products', wanted.length);
    for await (const page of this.#stored(run, wanted)) {
      for (const { id, views } of page) {
        const all = [...views, ...(photos.get(id) ?? [])];
        if (all.length < 2) continue;
        fitted.add({ id, pictures: all });
        ids.push(id);
        pictures += all.length;
      }
      done += PAGE;
      progress.reach(Math.min(wanted.length, done));
    }
    progress.end();
    return { fitted, ids, pictures };
  }

  /** Pictures of held-out products, as distractors. */
  async #others(run: Run, several: ReadonlySet<string>): Promise<Float32Array[]> {
    const { ids } = await this.samples.productsWithPictures(run.source.id, 1, OTHERS_MAX);
    const wanted = ids.filter((id) => !several.has(id));
    const vectors: Float32Array[] = [];
    for await (const page of this.#stored(run, wanted)) {
      vectors.push(...page.flatMap(({ views }) => views.map(pictureVector)));
    }
    return vectors;
  }

  async *#stored({ source, undo, signal }: Run, ids: readonly string[]) {
    for (let from = 0; from < ids.length; from += PAGE) {
      signal.throwIfAborted();
      const page = await this.samples.picturesOf(source.id, ids.slice(from, from + PAGE));
      yield page.map(({ id, pictures }): { id: string; views: Pictures } => {
        const views = pictures.map(({ vectors }) => vectors).filter(({ length }) => length > 0);
        return { id, views: undo ? views.map((each) => each.map((view) => applyMap(undo, view))) : views };
      });
    }
  }

  /** Passes the stored vectors of the source through a map; existing results are kept. */
  async #copy({ source, progress, signal }: Run, versionId: number, map: Float32Array): Promise<void> {
    const { done: images } = await this.embeddings.coverage(source.id);
    let { done } = await this.embeddings.coverage(versionId);
    progress.begin('images', images, done);
    for (let afterId = 0; ; ) {
      const page = { afterId, limit: COPIED_AT_ONCE };
      const batch = await this.embeddings.vectorsMissingIn(source.id, versionId, page);
      if (batch.length === 0) break;
      signal.throwIfAborted();
      const copies = batch.map(({ imageId, vectors }) => {
        return { imageId, vectors: vectors.map((vector) => applyMap(map, vector)) };
      });
      await this.embeddings.store(versionId, copies);
      done += batch.length;
      progress.reach(done);
      afterId = batch.at(-1)?.imageId ?? 0;
    }
    progress.end();
  }
}

const tooFew = (products: number) =>
  badRequest(
    `${products} ${products === 1 ? 'product has' : 'products have'} several pictures that are embedded; a map needs at least ${ADAPTABLE_PRODUCTS_MIN}. Photograph more products from another side and import the pictures, or give photos by --photos.`,
  );

const noBetter = ({ before, after, queries }: Record<'before' | 'after' | 'queries', number>) =>
  badRequest(
    `No map is surely better on this catalog: of ${queries} pictures the nearest other one of the product has a mean reciprocal place of ${before.toFixed(3)} as it is, and of ${after.toFixed(3)} with the best map, by cross-validation. Nothing was changed; try again with more pictures, or with --photos.`,
  );
