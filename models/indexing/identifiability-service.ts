import pMap from 'p-map';
import { inject, injectable } from 'tsyringe';
import { EVERYTHING } from '../catalog/catalog-query';
import type { Attribute, CatalogItem } from '../catalog/item';
import { categorySlug } from '../catalog/resolve-scope';
import { Taxonomy } from '../catalog/taxonomy';
import { notFound } from '../errors';
import {
  type CatalogRepository,
  type EmbeddingRepository,
  type ImageSamples,
  type NeighbourIndex,
  type PicturedProduct,
  PORTS,
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
 * - `confused`, with several pictures: one of them is at least as near to a picture of another product as to its nearest
 *   own one.
 * - `look_alike`, with one picture: another product's picture is within the typical distance of two pictures of one
 *   product.
 * - `one_picture`: it has only one, so nothing more can be said.
 * - `distinct`: each of its pictures leads to it.
 */
export const VERDICTS = [
  'shares_picture',
  'confused',
  'look_alike',
  'one_picture',
  'no_picture',
  'not_embedded',
  'distinct',
] as const;
export type Verdict = (typeof VERDICTS)[number];

/** A product in its owner's terms. */
export type NamedProduct = ReturnType<typeof namedProduct>;

/** A picture of a product and the nearest one of another product. */
interface NearestOther {
  readonly product: NamedProduct;
  /** Addresses of the two; the same if the picture is shared. */
  readonly pictures: readonly string[];
  /** Cosine distance of their nearest views, 0 to 2. */
  readonly distance: number;
  /** From the own picture to the nearest other one of the same product; null if there is none. */
  readonly ownDistance: number | null;
  /** Attributes in which the two products differ, such as `colour`. */
  readonly differIn: readonly string[];
}

/** A product that is not `distinct`. */
export interface Finding {
  readonly verdict: Verdict;
  readonly product: NamedProduct;
  readonly popularity: number;
  /** How many of its pictures are embedded. */
  readonly pictures: number;
  /** Null without an embedded picture, or if no other product has one. */
  readonly nearest: NearestOther | null;
}

/** How many products a version can distinguish, in total or in a category. */
export type Identifiability = Awaited<ReturnType<IdentifiabilityService['inspect']>>;

/** The median distance of this many pictures to the nearest other one of their product. */
interface TypicalDistance {
  readonly distance: number;
  readonly pictures: number;
}

/** A median of fewer is unreliable: for twenty it lies with 95 % between the quantiles 0.28 and 0.72. */
const TYPICAL_OF_MIN = 20;

/** Distances have four decimals: half precision has no more. */
const SCALE = 10_000;

/** Products read, and so in memory, at a time; and products whose neighbours are queried at a time. */
const PAGE = 64;
const AT_ONCE = 4;

/** A picture of a product and the nearest one of another product. */
interface NearestPictures {
  readonly other: string;
  readonly imageIds: readonly [own: number, other: number];
  readonly distance: number;
  readonly ownDistance: number | null;
}

/** A verdict by ids; without `nearest` there is nothing to confuse it with. */
interface Judgement {
  readonly product: PicturedProduct;
  readonly verdict: Verdict;
  readonly nearest?: NearestPictures | undefined;
}

/** Reports which products of the catalog a version can't distinguish, and which have too few pictures to judge. */
@injectable()
export class IdentifiabilityService {
  constructor(
    @inject(PORTS.EmbeddingRepository) private readonly embeddings: EmbeddingRepository,
    @inject(PORTS.ImageSamples) private readonly samples: ImageSamples,
    @inject(PORTS.NeighbourIndex) private readonly index: NeighbourIndex,
    @inject(PORTS.CatalogRepository) private readonly catalog: CatalogRepository,
  ) {}

  /**
   * Asks the index for the neighbours of every picture: first those of products with several, which give the typical
   * distance.
   * @param options `model`: null means the live version; `category`: slug or name for the judged products, null means all
   * @param onFinding is called for every product that is not `distinct`, in the order of the passes, then of the ids
   * @throws AppError without a live version, for an unknown model or category, and without any product
   */
  async inspect(
    options: { readonly model: string | null; readonly category: string | null },
    progress: Progress,
    onFinding: (finding: Finding) => void,
  ) {
    const version = versionOf(await this.embeddings.versions(), options.model);
    const taxonomy = new Taxonomy(await this.catalog.categories());
    const category = options.category === null ? null : categorySlug(options.category, 'product', taxonomy);
    const products = await this.#productsIn(category);
    const counts = Object.fromEntries(VERDICTS.map((verdict) => [verdict, 0])) as Record<Verdict, number>;
    const own = new Uint32Array(2 * SCALE + 1);
    const pass = async (stage: string, several: boolean, typical: TypicalDistance | null) => {
      progress.begin(stage, products);
      let done = 0;
      for await (const page of this.#pages(version, category)) {
        const judged = page.filter((product) => hasSeveral(product) === several);
        const judgements = await this.#judge(version, judged, own, typical);
        for (const { verdict } of judgements) counts[verdict] += 1;
        for (const finding of await this.#findings(judgements, taxonomy)) onFinding(finding);
        done += page.length;
        progress.reach(done);
      }
      progress.end();
    };
    await pass('several pictures', true, null);
    const typical = typicalOf(own);
    await pass('one picture or none', false, typical);
    return {
      ...{ model: version.model, version: version.id, category, typical, counts },
      adaptable: await adaptableProducts(version, this.samples),
      approximate: await this.index.isApproximate(version),
      products: Object.values(counts).reduce((sum, count) => sum + count, 0),
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
    const scope = { ...EVERYTHING, category };
    let page: readonly PicturedProduct[] = [];
    do {
      page = await this.samples.pictured(version.id, scope, PAGE, page.at(-1)?.id ?? '');
      yield page;
    } while (page.length === PAGE);
  }

  /** @param own counts the distances among the pictures of each product, as `typicalOf` expects */
  async #judge(
    version: EmbeddingVersion,
    products: readonly PicturedProduct[],
    own: Uint32Array,
    typical: TypicalDistance | null,
  ): Promise<Judgement[]> {
    const showing = await this.catalog.productsShowing(products.flatMap(imageIdsOf));
    const judge = async (product: PicturedProduct): Promise<Judgement> => {
      const ownDistances = ownDistancesOf(product);
      for (const distance of ownDistances.values()) {
        const at = Math.round(distance * SCALE);
        own[at] = (own[at] ?? 0) + 1;
      }
      for (const imageId of imageIdsOf(product)) {
        const other = showing.get(imageId)?.find((id) => id !== product.id);
        if (other === undefined) continue;
        const nearest = { other, imageIds: [imageId, imageId], distance: 0, ownDistance: null } as const;
        return { product, verdict: 'shares_picture', nearest };
      }
      if (product.pictures.length === 0) return { product, verdict: 'no_picture' };
      if (embedded(product).length === 0) return { product, verdict: 'not_embedded' };
      const near = await this.#nearestOthers(version, product, ownDistances);
      if (hasSeveral(product)) {
        const nearest = near.find((each) => each.ownDistance !== null && each.distance <= each.ownDistance);
        return { product, verdict: nearest ? 'confused' : 'distinct', nearest };
      }
      const [nearest] = near;
      const isNear = nearest && typical && nearest.distance <= typical.distance;
      return { product, verdict: isNear ? 'look_alike' : 'one_picture', nearest };
    };
    return pMap(products, judge, { concurrency: AT_ONCE });
  }

  /** For each embedded picture of a product none of whose pictures is shared, nearest first. */
  async #nearestOthers(
    version: EmbeddingVersion,
    product: PicturedProduct,
    ownDistances: ReadonlyMap<number, number>,
  ): Promise<NearestPictures[]> {
    const own = imageIdsOf(product);
    const others: NearestPictures[] = [];
    for (const { imageId, vectors } of embedded(product)) {
      const found = await this.index.nearest(version, [vectors], own.length + 1);
      // A picture added to the product after it was read may be among them.
      const isOther = (id: string) => id !== product.id;
      const near = found.find((each) => !own.includes(each.imageId) && each.products.some(isOther));
      const other = near?.products.find(isOther);
      if (!near || other === undefined) continue;
      const distance = roundDistance(near.distance);
      const ownDistance = ownDistances.get(imageId) ?? null;
      others.push({ other, imageIds: [imageId, near.imageId], distance, ownDistance });
    }
    return others.sort((left, right) => left.distance - right.distance);
  }

  /** With names and addresses; a row removed meanwhile by an import is named by its id. */
  async #findings(judgements: readonly Judgement[], taxonomy: Taxonomy): Promise<Finding[]> {
    const found = judgements.filter(({ verdict }) => verdict !== 'distinct');
    const imageIds = found.flatMap(({ nearest }) => nearest?.imageIds ?? []);
    const addresses = await this.catalog.imageAddresses(imageIds);
    const ids = new Set(found.flatMap(({ product, nearest }) => [product.id, nearest?.other ?? []].flat()));
    const items = new Map((await this.catalog.itemsById([...ids])).map((item) => [item.id, item]));
    const nameOf = (id: string) => namedProduct(id, items.get(id), taxonomy);
    const attributesOf = (id: string) => items.get(id)?.attributes ?? [];
    return found.map(({ verdict, product, nearest }) => ({
      ...{ verdict, product: nameOf(product.id), popularity: product.popularity },
      pictures: embedded(product).length,
      nearest: nearest
        ? {
            product: nameOf(nearest.other),
            pictures: nearest.imageIds.map((id) => addresses.get(id) ?? ''),
            ...{ distance: nearest.distance, ownDistance: nearest.ownDistance },
            differIn: differingFields(attributesOf(product.id), attributesOf(nearest.other)),
          }
        : null,
    }));
  }
}

const imageIdsOf = ({ pictures }: PicturedProduct): number[] => pictures.map(({ imageId }) => imageId);

const embedded = ({ pictures }: PicturedProduct) => pictures.filter(({ vectors }) => vectors.length > 0);

const hasSeveral = (product: PicturedProduct): boolean => embedded(product).length > 1;

/** From each embedded picture to the nearest other one of the product; empty if it has only one. */
function ownDistancesOf(product: PicturedProduct): ReadonlyMap<number, number> {
  const pictures = hasSeveral(product) ? embedded(product) : [];
  return new Map(
    pictures.map((picture) => {
      const others = pictures.filter((each) => each !== picture);
      const distances = others.map(({ vectors }) => pictureDistance(picture.vectors, vectors));
      return [picture.imageId, Math.min(...distances)];
    }),
  );
}

/** Cosine distance of two pictures by their nearest views, 0 to 2, as the index has it. */
function pictureDistance(left: readonly Float32Array[], right: readonly Float32Array[]): number {
  const products = left.flatMap((one) => right.map((other) => dot(one, other)));
  return roundDistance(Math.min(2, Math.max(0, 1 - Math.max(...products))));
}

/** Copies of a picture are as near as each other. */
const roundDistance = (distance: number): number => Math.round(distance * SCALE) / SCALE;

/**
 * The lower median; null if there are too few, and then nothing is a `look_alike`.
 * @param counts the number of each rounded distance: memory does not grow with the number of pictures
 */
function typicalOf(counts: Uint32Array): TypicalDistance | null {
  const pictures = counts.reduce((sum, count) => sum + count, 0);
  if (pictures < TYPICAL_OF_MIN) return null;
  let left = pictures / 2;
  const median = counts.findIndex((count) => {
    left -= count;
    return left <= 0;
  });
  return { distance: median / SCALE, pictures };
}

/** With its taxonomy, from the outermost level of its category's hierarchy inwards: brand, model, style. */
function namedProduct(id: string, item: CatalogItem | undefined, taxonomy: Taxonomy) {
  const hierarchy = (item && taxonomy.find(item.category)?.hierarchy) ?? [];
  const nameOf = (field: string) => item?.attributes.find((each) => each.field === field)?.name ?? [];
  return { id, name: item?.name ?? id, taxonomy: hierarchy.flatMap(nameOf) };
}

/** The fields in which the values of two products differ, in the order of the first product. */
function differingFields(left: readonly Attribute[], right: readonly Attribute[]): string[] {
  const valuesOf = (attributes: readonly Attribute[], field: string) => {
    const ids = attributes.flatMap((each) => (each.field === field ? each.id : []));
    return ids.sort().join('\n');
  };
  const fields = new Set([...left, ...right].map(({ field }) => field));
  return [...fields].filter((field) => valuesOf(left, field) !== valuesOf(right, field));
}
