import { randomUUID } from 'node:crypto';
import { inject, injectable } from 'tsyringe';
import { Billing, type CallContext, type Priced } from '../access/billing';
import type { SearchScope } from '../catalog/catalog-query';
import type { ResolvedTaxonomy } from '../catalog/catalog-service';
import type { Attribute, CatalogItem } from '../catalog/item';
import { scopeOf } from '../catalog/resolve-scope';
import type { Taxonomy } from '../catalog/taxonomy';
import type * as ports from '../ports';
import { PORTS } from '../ports';
import { candidatesOf, shortlistOf } from './candidates';
import { calibrationOf } from './confidence';
import { viewSizeOf } from './embedding-model';
import { failAt, type ImageInput, type PhotoRequest, type PreparedInput } from './image-input';
import { type Ancestry, ancestryOf, type Evidence, MATCHES_MAX, type Match, MatchContext } from './matches';
import type { Neighbourhood, SmallImage } from './neighbours';

/** Tuning of the vision path; the defaults are in the settings (contract 7.7). */
export interface VisionSettings {
  readonly deadlineMs: number;
  /** Confidence that the best row needs for an answer (contract 7.8); null takes the model version's calibrated floor. */
  readonly confidenceFloor: number | null;
}

export const VISION_SETTINGS = Symbol.for('VisionSettings');

export interface IdentifyRequest extends PhotoRequest<ImageInput | PreparedInput> {
  readonly pricing: boolean;
  readonly price: number;
}

/** Why a row was returned (contract 7.17). */
export interface ItemEvidence extends Omit<Evidence, 'product' | 'imageId' | 'levels'> {
  /** Address of the catalog picture it was found by. */
  readonly image: string;
  /** The row's taxonomy, outermost first, each with its calibrated confidence. */
  readonly levels: readonly (Attribute & { readonly confidence: number })[];
}

/** A row that the photos may show, with its calibrated confidence in 0..1. */
export interface IdentifiedItem {
  readonly item: CatalogItem;
  readonly confidence: number;
  readonly evidence?: ItemEvidence;
}

export interface Identification {
  readonly predictionId: string;
  /** Best first, at most ten (contract 7.8). */
  readonly items: readonly IdentifiedItem[];
  /** Of the first hit; null when nothing was found. */
  readonly resolvedTaxonomy: ResolvedTaxonomy | null;
  readonly timings: ports.Prediction['timings'];
  readonly totalMs: number;
}

type Fetched = Extract<ImageInput, { kind: 'bytes' }> & { readonly lease?: ports.MemoryLease | undefined };

/** Photos of an item to catalog rows: intake, queue, matches, rows, charge (docs/architecture.md, "How a photo is identified"). */
@injectable()
export class VisionService {
  constructor(
    @inject(PORTS.ImageSource) private readonly source: ports.ImageSource,
    @inject(PORTS.ImagePreparer) private readonly preparer: ports.ImagePreparer,
    @inject(PORTS.VisionQueue) private readonly queue: ports.VisionQueue,
    @inject(PORTS.CatalogRepository) private readonly catalog: ports.CatalogRepository,
    @inject(PORTS.EmbeddingRepository) private readonly embeddings: ports.EmbeddingRepository,
    @inject(PORTS.PredictionRepository) private readonly predictions: ports.PredictionRepository,
    @inject(Billing) private readonly billing: Billing,
    @inject(PORTS.Clock) private readonly clock: ports.Clock,
    @inject(VISION_SETTINGS) private readonly settings: VisionSettings,
  ) {}

  /**
   * Fetches photos and makes them as small as the live model sees them, in parallel; the first unusable one ends the others.
   * Photos that are kept have the usual size.
   * @throws AppError 400, 422, 503 as the ports say, with the position of the photo when it was sent in a list
   */
  private async prepare(
    { caller, signal, openMemory, whileFetching }: CallContext,
    photos: IdentifyRequest['photos'],
  ): Promise<SmallImage[]> {
    const { source, preparer } = this;
    const live = caller.keepsPhotos ? null : await this.embeddings.live(caller.liveStamp);
    const size = live ? viewSizeOf(live.manifest, 'query') : undefined;
    const failed = new AbortController();
    const ended = signal ? AbortSignal.any([signal, failed.signal]) : failed.signal;
    const fetchPhoto = async (photo: ImageInput | PreparedInput) => {
      if (photo.kind !== 'url') return photo;
      const lease = openMemory?.();
      ended.addEventListener('abort', () => lease?.close(), { once: true });
      try {
        const bytes = await source.fetch(photo.url, ended, lease);
        return { ...photo, kind: 'bytes' as const, bytes, lease };
      } catch (failure) {
        lease?.close();
        return failAt(photo)(failure);
      }
    };
    const preparePhoto = async (photo: Fetched | PreparedInput): Promise<SmallImage> => {
      if (photo.kind === 'prepared') return photo.image;
      const { bytes, region, lease } = photo;
      const options = { signal: ended, region, account: caller.accountId };
      const preparing: Promise<SmallImage> =
        size && this.queue.takesPixels
          ? preparer.decode(bytes, size, options)
          : preparer.prepare(bytes, options, size);
      return preparing.catch(failAt(photo)).finally(() => lease?.close());
    };
    try {
      const coming = photos.map(fetchPhoto);
      if (whileFetching && isFetched(photos)) await whileFetching(() => Promise.all(coming));
      return await Promise.all(coming.map(async (photo) => preparePhoto(await photo)));
    } finally {
      failed.abort();
    }
  }

  /**
   * Identifies what photos of one item show; costs nothing when nothing is found.
   * @throws AppError 400 for an unknown category or tag, 402, 422 for an unusable image, 503 for a full queue, 504 at the deadline
   */
  async identify(call: CallContext, request: IdentifyRequest): Promise<Priced<Identification>> {
    const now = () => this.clock.now().getTime();
    const startedAt = now();
    const taxonomy = await this.catalog.taxonomy(call.caller.taxonomyVersion);
    const scope = await scopeOf(call.caller, request, taxonomy, this.catalog);
    const reserving = this.billing.reserve(call, request.price);
    if (isFetched(request.photos) || !this.billing.seemsAffordable(call, request.price)) await reserving;
    const preparing = this.prepare(call, request.photos);
    preparing.catch(() => undefined);
    // A refusal for want of credits comes before one of a photo (contract 11.3).
    await reserving;
    const images = await preparing;
    const intakeMs = now() - startedAt;
    // An entry of a job may have waited for hosts, and for a slot.
    const waitedMs = call.whileFetching ? intakeMs : 0;
    const neighbourhood = await this.queue.neighbours({
      ...{ jobId: randomUUID(), requestId: call.requestId, accountId: call.caller.accountId },
      ...{ images, scope, liveStamp: call.caller.liveStamp, signal: call.signal },
      deadlineAt: startedAt + waitedMs + this.settings.deadlineMs,
    });
    await call.awaitMemory?.();
    const rowsFrom = now();
    const timings = () => ({ intakeMs, ...neighbourhood.timings, rowsMs: now() - rowsFrom });
    const predictionId = randomUUID();
    const record = (best: Match | null, rows: readonly Match[]) =>
      this.record(call, images, neighbourhood, { id: predictionId, best, rows, timings: timings() });
    const { items, recorded } = await this.rows(call, request, neighbourhood, { scope, taxonomy, record });
    // As in `record`, which it may wait for twice.
    recorded.catch(() => undefined);
    const resolvedTaxonomy = taxonomy.resolvedBy(items[0]?.item);
    const value = { predictionId, items, resolvedTaxonomy, timings: timings(), totalMs: now() - startedAt };
    return { value, price: items.length > 0 ? request.price : 0, beside: recorded };
  }

  /** The rows of the answer and its record, begun. What is sure is known before its rows are read: they are booked as they are read. */
  private async rows(
    call: CallContext,
    { photos, minConfidence, pricing, price, explain }: IdentifyRequest,
    { version, neighbours, rivals = [] }: Neighbourhood,
    { scope, taxonomy, record }: AnswerContext,
  ) {
    const { catalog, billing } = this;
    const candidates = candidatesOf([...neighbours, ...rivals], photos.length);
    const passing = new Set(neighbours.flatMap((each) => each.products));
    const shortlist = shortlistOf(candidates.filter(({ id }) => passing.has(id)));
    const calibration = calibrationOf(version);
    const floor = minConfidence ?? this.settings.confidenceFloor ?? calibration.floor;
    const judged = (ancestry: Ancestry) =>
      new MatchContext(shortlist, ancestry, calibration.confidence, shortlistOf(candidates));
    const sure = judged(new Map());
    if (sure.isSure(floor) && !explain) {
      const matches = sure.rows(floor, () => true);
      const ids = matches.map(({ id }) => id);
      // Runners-up that are no answer by themselves, if the best is deleted meanwhile.
      const free = matches.filter(({ confidence }) => confidence < floor).map(({ id }) => id);
      const sale = { price: { product: price, other: price }, together: true, free, pricing } as const;
      const selling = billing.sell(call, { rows: ids, ...sale });
      const recorded = record(sure.products[0] ?? null, matches);
      const sold = await selling;
      const read = sold?.items ?? (await catalog.itemsById(ids, pricing));
      const items = itemsFor(sure, floor, read);
      // Without those that were deleted meanwhile.
      const again = () => record(sure.products[0] ?? null, answeredBy(items));
      return { items, recorded: items.length < matches.length ? recorded.then(again) : recorded };
    }
    const products = await catalog.itemsById(shortlist.map(({ id }) => id));
    const context = judged(ancestryOf(products, taxonomy));
    const isAnswered = context.rows(floor, () => true).length > 0;
    const priced = pricing && isAnswered ? context.products.slice(0, MATCHES_MAX) : [];
    const ids = [...context.fallbacks(floor), ...priced].map(({ id }) => id);
    // A taxonomy row has to live, and to be within the scope itself.
    const read = await catalog.itemsById(ids, pricing, scope);
    const items = itemsFor(context, floor, [...products, ...read]);
    const recorded = record(context.products[0] ?? null, answeredBy(items));
    return { items: explain ? await this.addEvidence(items, context, products) : items, recorded };
  }

  private async addEvidence(
    items: readonly IdentifiedItem[],
    context: MatchContext,
    products: readonly CatalogItem[],
  ): Promise<IdentifiedItem[]> {
    const evidence = items.map(({ item }) => context.evidenceFor(item.id));
    const images = await this.catalog.imageAddresses(evidence.flatMap((each) => each?.imageId ?? []));
    const byId = new Map(products.map((product) => [product.id, product]));
    return items.map((row, at) => {
      const found = evidence[at];
      if (!found) return row;
      const { product, imageId, levels, ...plain } = found;
      const attributes = byId.get(product)?.attributes ?? [];
      const named = levels.toReversed().flatMap(({ id, confidence }) => {
        const attribute = attributes.find((each) => each.id === id);
        return attribute ? [{ ...attribute, confidence }] : [];
      });
      return { ...row, evidence: { ...plain, image: images.get(imageId) ?? '', levels: named } };
    });
  }

  private record(
    call: CallContext,
    images: readonly SmallImage[],
    { version, neighbours, rivals = [] }: Neighbourhood,
    found: Pick<ports.Prediction, 'id' | 'best' | 'rows' | 'timings'>,
  ): Promise<void> {
    const near = new Map([...rivals, ...neighbours].map(({ products: _, ...each }) => [each.imageId, each]));
    const { requestId, endpoint, caller } = call;
    const prediction = {
      ...{ ...found, createdAt: this.clock.now(), requestId, endpoint, feedback: null },
      ...{ versionId: version.id, model: version.model, accountId: caller.accountId, test: caller.test },
      imageDigests: images.map(({ digest }) => digest),
      neighbours: [...near.values()],
    };
    const photos = caller.keepsPhotos ? images.flatMap((image) => ('jpeg' in image ? image.jpeg : [])) : [];
    const saving = this.predictions.save(prediction, photos);
    // The call may fail before its booking waits for this.
    saving.catch(() => undefined);
    return saving;
  }
}

const isFetched = (photos: IdentifyRequest['photos']): boolean => photos.some(({ kind }) => kind === 'url');

/** The rows to answer with, of those that exist. */
function itemsFor(context: MatchContext, floor: number, read: readonly CatalogItem[]): IdentifiedItem[] {
  const byId = new Map(read.map((item) => [item.id, item]));
  const matches = context.rows(floor, (id) => byId.has(id));
  return matches.flatMap(({ id, confidence }) => {
    const item = byId.get(id);
    return item ? [{ item, confidence }] : [];
  });
}

const answeredBy = (items: readonly IdentifiedItem[]): Match[] =>
  items.map(({ item: { id }, confidence }) => ({ id, confidence }));

interface AnswerContext {
  readonly scope: SearchScope;
  readonly taxonomy: Taxonomy;
  /** Begins to store the prediction. */
  record(best: Match | null, rows: readonly Match[]): Promise<void>;
}
