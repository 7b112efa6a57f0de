import { inject, injectable } from 'tsyringe';
import { Billing, type CallContext, type Priced } from '../access/billing';
import type { ResolvedTaxonomy } from '../catalog/catalog-service';
import { type CatalogItem, isProduct, type PricedItem } from '../catalog/item';
import { PricingService } from '../catalog/pricing-service';
import { Taxonomy } from '../catalog/taxonomy';
import { unavailable } from '../errors';
import {
  type CatalogRepository,
  type Clock,
  type EmbeddingRepository,
  type IdSource,
  type ImagePreparer,
  type ImageSource,
  PORTS,
  type Prediction,
  type PredictionRepository,
  type VisionQueue,
} from '../ports';
import { candidatesOf, NEIGHBOURS, shortlistOf } from './candidates';
import type { EmbeddingVersion } from './embedding-model';
import type { ImageInput } from './image-input';
import { type Ancestry, matchesOf, type Ranking, rankMatches } from './matches';
import type { Neighbourhood, PreparedImage } from './neighbours';
import { calibrationOf } from './uncalibrated';

/** What the vision path is tuned by; the defaults are in the settings (contract 7.7). */
export interface VisionSettings {
  /** The whole call answers within this. */
  readonly deadlineMs: number;
  /** Confidence below which a match is not returned; null takes the model version's calibrated floor. */
  readonly confidenceFloor: number | null;
}

/** Token of `VisionSettings`. */
export const VISION_SETTINGS = Symbol.for('VisionSettings');

/** A row that may be what the photo shows, with its calibrated confidence in 0..1. */
export interface IdentifiedItem {
  readonly item: PricedItem;
  readonly confidence: number;
}

export interface Identification {
  readonly predictionId: string;
  /** Best first, at most ten, none below the floor. */
  readonly items: readonly IdentifiedItem[];
  /** Of the first hit; null when nothing was found. */
  readonly resolvedTaxonomy: ResolvedTaxonomy | null;
  readonly timings: Prediction['timings'];
  readonly totalMs: number;
}

/** Photo to catalog rows: intake, queue, matches, rows, charge (docs/architecture.md, "The way of a photo"). */
@injectable()
export class VisionService {
  constructor(
    @inject(PORTS.ImageSource) private readonly source: ImageSource,
    @inject(PORTS.ImagePreparer) private readonly preparer: ImagePreparer,
    @inject(PORTS.VisionQueue) private readonly queue: VisionQueue,
    @inject(PORTS.EmbeddingRepository) private readonly embeddings: EmbeddingRepository,
    @inject(PORTS.CatalogRepository) private readonly catalog: CatalogRepository,
    @inject(PORTS.PredictionRepository) private readonly predictions: PredictionRepository,
    @inject(PricingService) private readonly pricing: PricingService,
    @inject(Billing) private readonly billing: Billing,
    @inject(PORTS.Clock) private readonly clock: Clock,
    @inject(PORTS.IdSource) private readonly ids: IdSource,
    @inject(VISION_SETTINGS) private readonly settings: VisionSettings,
  ) {}

  /**
   * Identifies what a photo shows. Worth nothing when nothing is found.
   *
   * @param price credits of an answer with rows
   * @throws AppError 402, 422 for an unusable image, 503 when the queue can't make it, 504 at the deadline
   */
  async identify(
    call: CallContext,
    image: ImageInput,
    options: { pricing: boolean; price: number },
  ): Promise<Priced<Identification>> {
    const startedAt = this.clock.now().getTime();
    await this.billing.reserve(call, options.price);
    const bytes = image.kind === 'url' ? await this.source.fetch(image.url, call.signal) : image.bytes;
    const prepared = await this.preparer.prepare(bytes, call.signal);
    const intakeMs = this.clock.now().getTime() - startedAt;
    const neighbourhood = await this.queue.neighbours({
      jobId: this.ids.next(),
      requestId: call.requestId,
      accountId: call.caller.accountId,
      image: prepared,
      limit: NEIGHBOURS,
      deadlineAt: startedAt + this.settings.deadlineMs,
      ...(call.signal ? { signal: call.signal } : {}),
    });
    const rowsFrom = this.clock.now().getTime();
    const found = await this.rows(neighbourhood, options.pricing);
    const endedAt = this.clock.now().getTime();
    const timings = { intakeMs, ...neighbourhood.timings, rowsMs: endedAt - rowsFrom };
    const predictionId = await this.record(call, prepared, neighbourhood, found, timings);
    return {
      value: {
        predictionId,
        items: found.items,
        resolvedTaxonomy: found.resolvedTaxonomy,
        timings,
        totalMs: endedAt - startedAt,
      },
      price: found.items.length > 0 ? options.price : 0,
    };
  }

  private async rows(neighbourhood: Neighbourhood, pricing: boolean): Promise<Found> {
    const [version, showing, categories] = await Promise.all([
      this.versionOf(neighbourhood),
      this.catalog.productsShowing(neighbourhood.neighbours.map((each) => each.imageId)),
      this.catalog.categories(),
    ]);
    const near = candidatesOf(neighbourhood.neighbours, showing);
    const { scored, unseen } = shortlistOf(near, neighbourhood.neighbours.length);
    const taxonomy = new Taxonomy(categories);
    const candidates = await this.catalog.itemsById(scored.map((each) => each.id));
    const calibration = calibrationOf(version.manifest);
    const floor = this.settings.confidenceFloor ?? calibration.floor;
    const ancestry = ancestryOf(candidates, taxonomy);
    const ranking = rankMatches(scored, ancestry, calibration, floor, unseen);
    const items = await this.itemsOf(ranking, candidates, pricing);
    const first = items[0]?.item;
    return {
      version,
      items,
      resolvedTaxonomy: first ? { node: first.kind, level: taxonomy.levelOf(first) } : null,
    };
  }

  private async versionOf(neighbourhood: Neighbourhood): Promise<EmbeddingVersion> {
    const version = await this.embeddings.version(neighbourhood.versionId);
    if (!version) throw unavailable('The embedding model is being changed; try again.', 1);
    return version;
  }

  private async itemsOf(
    ranking: Ranking,
    candidates: readonly CatalogItem[],
    pricing: boolean,
  ): Promise<IdentifiedItem[]> {
    const nodes = ranking.nodes.map(({ id }) => id);
    const rows = nodes.length > 0 ? await this.catalog.itemsById(nodes) : [];
    const byId = new Map([...candidates, ...rows].map((item) => [item.id, item]));
    const found = matchesOf(ranking, (id) => byId.has(id)).flatMap((match) => {
      const item = byId.get(match.id);
      return item ? [{ item, confidence: match.confidence }] : [];
    });
    if (!pricing) return found;
    const priced = await this.pricing.attach(found.map((each) => each.item));
    return found.map((each, index) => ({ ...each, item: priced[index] ?? each.item }));
  }

  private async record(
    call: CallContext,
    image: PreparedImage,
    neighbourhood: Neighbourhood,
    found: Found,
    timings: Prediction['timings'],
  ): Promise<string> {
    const id = this.ids.next();
    await this.predictions.save({
      id,
      createdAt: this.clock.now(),
      requestId: call.requestId,
      accountId: call.caller.accountId,
      endpoint: call.endpoint,
      versionId: neighbourhood.versionId,
      model: found.version.model,
      imageDigest: image.digest,
      neighbours: neighbourhood.neighbours,
      rows: found.items.map(({ item, confidence }) => ({ id: item.id, confidence })),
      timings,
    });
    return id;
  }
}

interface Found {
  readonly version: EmbeddingVersion;
  readonly items: readonly IdentifiedItem[];
  readonly resolvedTaxonomy: ResolvedTaxonomy | null;
}

/** Taxonomy ids of each product, innermost first, by the hierarchy of its category. */
function ancestryOf(products: readonly CatalogItem[], taxonomy: Taxonomy): Ancestry {
  return new Map(
    products.filter(isProduct).map((product) => {
      const hierarchy = taxonomy.find(product.category)?.hierarchy ?? [];
      const inwards = [...hierarchy].reverse();
      const ids = inwards.flatMap((field) =>
        product.attributes.filter((attribute) => attribute.field === field).map((attribute) => attribute.id),
      );
      return [product.id, ids];
    }),
  );
}
