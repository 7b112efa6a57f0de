import pMap from 'p-map';
import { inject, injectable } from 'tsyringe';
import { NO_FILTER } from '../catalog/catalog-query';
import type { Attribute, CatalogItem } from '../catalog/item';
import { categorySlug } from '../catalog/resolve-scope';
import type { Taxonomy } from '../catalog/taxonomy';
import { notFound } from '../errors';
import {
  type CatalogRepository,
  type EmbeddingRepository,
  type ImageSamples,
  type NeighbourIndex,
  PORTS,
  type ProductWithPictures,
  type Progress,
} from '../ports';
import type { EmbeddingVersion } from '../vision/embedding-model';
import { dot } from '../vision/linear-map';
import { versionOf } from './embedding-version';
import { adaptableProducts } from './status-service';

/**
 * A version's verdict on a product by its embedded pictures, the first that applies:
 * - `shares_picture`: another product shows one of its pictures.
 * - `no_picture`, `not_embedded`: it has no picture to be found by.
 * - `one_picture`: it has only one, so nothing more can be said.
 * - `confused`: one of its pictures is at least as near to a picture of another product as to its nearest own one.
 * - `distinct`: each of its pictures leads to it.
 */
export const VERDICTS = [
  'shares_picture',
  'confused',
  'one_picture',
  'no_picture',
  'not_embedded',
  'distinct',
] as const;
export type Verdict = (typeof VERDICTS)[number];

export type Identifiability = Awaited<ReturnType<IdentifiabilityService['inspect']>>;

/** A product that is not `distinct`, and the nearest other one. */
export type Finding = ReturnType<typeof findingOf>;
export type NamedProduct = ReturnType<typeof namedProduct>;

/** Distances have four decimals: half precision has no more. */
const SCALE = 10_000;

/** Products read, and so in memory, at a time; and products whose neighbours are queried at a time. */
const PAGE = 64;
const AT_ONCE = 4;

/** A picture of a product and the nearest one of another product; their cosine distance by their nearest views, 0 to 2. */
interface NearestPictures {
  readonly other: string;
  readonly imageIds: readonly [own: number, other: number];
  readonly distance: number;
  /** From the own picture to the nearest other one of the same product; null if there is none. */
  readonly ownDistance: number | null;
}

interface Judgement {
  readonly product: ProductWithPictures;
  readonly verdict: Verdict;
  /** Null without an embedded picture, or if no other product has one. */
  readonly nearest: NearestPictures | null;
}

@injectable()
export class IdentifiabilityService {
  constructor(
    @inject(PORTS.EmbeddingRepository) private readonly embeddings: EmbeddingRepository,
    @inject(PORTS.ImageSamples) private readonly samples: ImageSamples,
    @inject(PORTS.NeighbourIndex) private readonly index: NeighbourIndex,
    @inject(PORTS.CatalogRepository) private readonly catalog: CatalogRepository,
  ) {}

  /**
   * Asks the index for the neighbours of every picture.
   * @param options `model`: null means the live version; `category`: slug or name for the judged products, null means all
   * @param onFinding is called for every product that is not `distinct`, in the order of the ids
   * @throws AppError without a live version, for an unknown model or category, and without any product
   */
  async inspect(
    options: { readonly model: string | null; readonly category: string | null },
    progress: Progress,
    onFinding: (finding: Finding) => void,
  ) {
    const version = versionOf(await this.embeddings.versions(), options.model);
    const taxonomy = await this.catalog.taxonomy();
    const category = options.category === null ? null : categorySlug(options.category, 'product', taxonomy);
    const counts = Object.fromEntries(VERDICTS.map((verdict) => [verdict, 0])) as Record<Verdict, number>;
    let products = 0;
    progress.begin('products', await this.#productsIn(category));
    for await (const page of this.#pages(version, category)) {
      const judgements = await this.#judge(version, page);
      for (const { verdict } of judgements) counts[verdict] += 1;
      for (const finding of await this.#findings(judgements, taxonomy)) onFinding(finding);
      products += page.length;
      progress.reach(products);
    }
    progress.end();
    return {
      ...{ model: version.model, version: version.id, category, products, counts },
      adaptable: await adaptableProducts(version, this.samples),
      approximate: await this.index.isApproximate(version),
    };
  }

  async #productsIn(category: string | null): Promise<number> {
    const { total } = await this.catalog.search({
      ...{ words: null, categories: category === null ? null : [category], node: 'product', filters: [] },
      ...{ page: 0, pageSize: 1, sort: 'popularity_desc' },
    });
    if (total > 0) return total;
    const where = category === null ? 'in the catalog' : `of the category "${category}"`;
    throw notFound(`There is no product ${where}; loupe catalog import brings some.`);
  }

  async *#pages(version: EmbeddingVersion, category: string | null) {
    const scope = { ...NO_FILTER, category };
    let page: readonly ProductWithPictures[] = [];
    do {
      const afterId = page.at(-1)?.id ?? '';
      page = await this.samples.productsIn(version.id, scope, { afterId, limit: PAGE });
      yield page;
    } while (page.length === PAGE);
  }

  async #judge(version: EmbeddingVersion, products: readonly ProductWithPictures[]): Promise<Judgement[]> {
    const showing = await this.catalog.productsShowing(products.flatMap(imageIdsOf));
    const judge = async (product: ProductWithPictures): Promise<Judgement> => {
      const judged = (verdict: Verdict, nearest: NearestPictures | null = null) => {
        return { product, verdict, nearest };
      };
      for (const imageId of imageIdsOf(product)) {
        const other = showing.get(imageId)?.find((id) => id !== product.id);
        if (other === undefined) continue;
        const shared = { imageIds: [imageId, imageId], distance: 0, ownDistance: null } as const;
        return judged('shares_picture', { other, ...shared });
      }
      if (product.pictures.length === 0) return judged('no_picture');
      const pictures = embedded(product);
      if (pictures.length === 0) return judged('not_embedded');
      const near = await this.#nearestOthers(version, product);
      if (pictures.length === 1) return judged('one_picture', near[0]);
      const nearer = near.find(
        ({ distance, ownDistance }) => ownDistance !== null && distance <= ownDistance,
      );
      return nearer ? judged('confused', nearer) : judged('distinct');
    };
    return pMap(products, judge, { concurrency: AT_ONCE });
  }

  /** For each embedded picture of a product none of whose pictures is shared, nearest first. */
  async #nearestOthers(version: EmbeddingVersion, product: ProductWithPictures): Promise<NearestPictures[]> {
    const own = imageIdsOf(product);
    const others: NearestPictures[] = [];
    for (const { imageId, vectors } of embedded(product)) {
      const found = await this.index.nearest(version, [vectors], own.length + 1);
      // A picture added to the product after it was read may be among them.
      const isOther = (id: string) => id !== product.id;
      const near = found.find((each) => !own.includes(each.imageId) && each.products.some(isOther));
      const other = near?.products.find(isOther);
      if (!near || other === undefined) continue;
      const rest = embedded(product).filter((picture) => picture.imageId !== imageId);
      const ownDistances = rest.map((picture) => pictureDistance(vectors, picture.vectors));
      others.push({
        ...{ other, imageIds: [imageId, near.imageId], distance: roundDistance(near.distance) },
        ownDistance: ownDistances.length === 0 ? null : Math.min(...ownDistances),
      });
    }
    return others.sort((left, right) => left.distance - right.distance);
  }

  /** With names and addresses; a row removed meanwhile by an import is named by its id. */
  async #findings(judgements: readonly Judgement[], taxonomy: Taxonomy): Promise<Finding[]> {
    const found = judgements.filter(({ verdict }) => verdict !== 'distinct');
    const addresses = await this.catalog.imageAddresses(
      found.flatMap(({ nearest }) => nearest?.imageIds ?? []),
    );
    const ids = new Set(found.flatMap(({ product: { id }, nearest }) => [id, nearest?.other ?? id]));
    const items = new Map((await this.catalog.itemsById([...ids])).map((item) => [item.id, item]));
    return found.map((judgement) => findingOf(judgement, { items, addresses, taxonomy }));
  }
}

interface Known {
  readonly items: ReadonlyMap<string, CatalogItem>;
  readonly addresses: ReadonlyMap<number, string>;
  readonly taxonomy: Taxonomy;
}

const findingOf = ({ verdict, product, nearest }: Judgement, { items, addresses, taxonomy }: Known) => ({
  ...{ verdict, product: namedProduct(product.id, items.get(product.id), taxonomy) },
  popularity: product.popularity,
  /** How many of its pictures are embedded. */
  pictures: embedded(product).length,
  nearest: nearest && {
    product: namedProduct(nearest.other, items.get(nearest.other), taxonomy),
    /** Addresses of the two; the same if the picture is shared. */
    pictures: nearest.imageIds.map((id) => addresses.get(id) ?? ''),
    ...{ distance: nearest.distance, ownDistance: nearest.ownDistance },
    differIn: differingFields(items.get(product.id)?.attributes, items.get(nearest.other)?.attributes),
  },
});

/** With its taxonomy, from the outermost level of its category's hierarchy inwards: brand, model, style. */
function namedProduct(id: string, item: CatalogItem | undefined, taxonomy: Taxonomy) {
  const hierarchy = (item && taxonomy.find(item.category)?.hierarchy) ?? [];
  const nameOf = (field: string) => item?.attributes.find((each) => each.field === field)?.name ?? [];
  return { id, name: item?.name ?? id, taxonomy: hierarchy.flatMap(nameOf) };
}

/** The fields in which the values of two products differ, in the order of the first product. */
function differingFields(left: readonly Attribute[] = [], right: readonly Attribute[] = []): string[] {
  const valuesOf = (attributes: readonly Attribute[], field: string) => {
    const ids = attributes.flatMap((each) => (each.field === field ? each.id : []));
    return ids.sort().join('\n');
  };
  const fields = new Set([...left, ...right].map(({ field }) => field));
  return [...fields].filter((field) => valuesOf(left, field) !== valuesOf(right, field));
}

const imageIdsOf = ({ pictures }: ProductWithPictures): number[] => pictures.map(({ imageId }) => imageId);

const embedded = ({ pictures }: ProductWithPictures) => pictures.filter(({ vectors }) => vectors.length > 0);

/** Cosine distance of two pictures by their nearest views, 0 to 2, as the index has it. */
function pictureDistance(left: readonly Float32Array[], right: readonly Float32Array[]): number {
  const products = left.flatMap((one) => right.map((other) => dot(one, other)));
  return roundDistance(Math.min(2, Math.max(0, 1 - Math.max(...products))));
}

/** Copies of a picture are as near as each other. */
const roundDistance = (distance: number): number => Math.round(distance * SCALE) / SCALE;
