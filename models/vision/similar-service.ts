import { inject, injectable } from 'tsyringe';
import type { Caller } from '../access/api-key';
import { Billing, type CallContext, type Priced } from '../access/billing';
import { catalogPrice } from '../access/credits';
import { NO_FILTER, type SearchScope } from '../catalog/catalog-query';
import type { ResolvedTaxonomy } from '../catalog/catalog-service';
import { type CatalogItem, isProduct } from '../catalog/item';
import { categorySlug, sandboxScope } from '../catalog/resolve-scope';
import { itemNotFound } from '../errors';
import type * as ports from '../ports';
import { PORTS } from '../ports';
import { type Candidate, candidatesOf, NEIGHBOURS } from './candidates';
import { withLiveVersion } from './embedding-model';
import { PHOTOS_MAX } from './image-input';

export interface SimilarRequest {
  readonly id: string;
  /** Slug or name; null means that of the item. */
  readonly category: string | null;
  readonly size: number;
  readonly pricing: boolean;
}

/** The most similar first; `similarity` as in `Candidate`. */
export interface SimilarItems {
  readonly items: readonly { readonly item: CatalogItem; readonly similarity: number }[];
  readonly resolvedTaxonomy: ResolvedTaxonomy | null;
}

/** Finds products that look like a product: the other products that its stored pictures are identified as (contract 6.3, 6.4, 6.5, 6.6). */
@injectable()
export class SimilarService {
  constructor(
    @inject(PORTS.CatalogRepository) private readonly catalog: ports.CatalogRepository,
    @inject(PORTS.EmbeddingRepository) private readonly embeddings: ports.EmbeddingRepository,
    @inject(PORTS.ImageSamples) private readonly samples: ports.ImageSamples,
    @inject(PORTS.NeighbourIndex) private readonly index: ports.NeighbourIndex,
    @inject(Billing) private readonly billing: Billing,
  ) {}

  /** Costs only when it has rows. @throws AppError 400 for an unknown category, 402, 404 for an id that is no live row */
  async similar(call: CallContext, request: SimilarRequest): Promise<Priced<SimilarItems>> {
    const taxonomy = await this.catalog.taxonomy(call.caller.taxonomyVersion);
    const named = request.category === null ? null : categorySlug(request.category, 'product', taxonomy);
    const price = catalogPrice({ product: true, pricing: request.pricing });
    await this.billing.assertAffordable(call, price);
    const seen = { ...NO_FILTER, ...sandboxScope(call.caller) };
    const [item] = await this.catalog.itemsById([request.id], false, seen);
    if (!item) throw itemNotFound();
    const scope = { ...seen, category: named ?? item.category, except: item.id };
    const near = (await this.#near(call.caller, item, scope)).slice(0, request.size);
    const similarity = new Map(near.map((each) => [each.id, each.similarity]));
    const rows = await this.catalog.itemsById([...similarity.keys()], request.pricing);
    const items = rows.map((each) => ({ item: each, similarity: similarity.get(each.id) ?? 0 }));
    const resolvedTaxonomy = taxonomy.resolvedBy(rows[0]);
    return { value: { items, resolvedTaxonomy }, price: items.length > 0 ? price : 0 };
  }

  /** The most similar first. */
  async #near({ liveStamp }: Caller, item: CatalogItem, scope: SearchScope): Promise<Candidate[]> {
    const live = await this.embeddings.live(liveStamp);
    if (live === null || !isProduct(item)) return [];
    const addresses = [item, ...item.variants].flatMap(({ images }) => images);
    return withLiveVersion(live, this.embeddings, async (version) => {
      const pictures = await this.samples.vectorsAt(version.id, addresses, PHOTOS_MAX);
      const neighbours = await this.index.nearest(version, pictures, NEIGHBOURS, scope);
      return candidatesOf(neighbours, pictures.length);
    });
  }
}
