import pMap from 'p-map';
import { inject, injectable } from 'tsyringe';
import { EVERYTHING } from '../catalog/catalog-query';
import type { CatalogItem } from '../catalog/item';
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
import { findVersion, liveOf } from './embedding-version';
import {
  differingFields,
  type Finding,
  type NamedProduct,
  pictureDistance,
  roundDistance,
  type TypicalDistance,
  typicalDistance,
  VERDICTS,
  type Verdict,
} from './identifiability';
import { adaptableProducts } from './status-service';

/** How many products a version can tell apart. */
export interface Identifiability {
  /** `id@version`. */
  readonly model: string;
  readonly version: number;
  /** Slug; null is every one. */
  readonly category: string | null;
  /** Whether neighbours were found by an approximate index, which misses some. */
  readonly approximate: boolean;
  /** Null where too few pictures have another of the same product; then nothing is a `look_alike`. */
  readonly typical: TypicalDistance | null;
  readonly products: number;
  /** Products of all categories that a map could be fitted to (contract 14.20); null where too few, or it is adapted. */
  readonly adaptable: number | null;
  /** How many products have each verdict. */
  readonly counts: Readonly<Record<Verdict, number>>;
}

/** Products read, and so in memory, at once; and products whose neighbours are asked for at once. */
const PAGE = 64;
const AT_ONCE = 4;

/** A picture of a product and the nearest one that another product shows. */
interface NearestPictures {
  readonly imageIds: readonly [own: number, other: number];
  readonly distance: number;
  readonly ownDistance: number | null;
}

/** A verdict by ids; `nearest` is missing where there is nothing to be confused with. */
interface Judgement {
  readonly product: PicturedProduct;
  readonly verdict: Verdict;
  readonly nearest?: NearestPictures | undefined;
}

/** Says which products of the catalog a version can't tell apart, and which have too few pictures to say. */
@injectable()
export class IdentifiabilityService {
  constructor(
    @inject(PORTS.EmbeddingRepository) private readonly embeddings: EmbeddingRepository,
    @inject(PORTS.ImageSamples) private readonly samples: ImageSamples,
    @inject(PORTS.NeighbourIndex) private readonly index: NeighbourIndex,
    @inject(PORTS.CatalogRepository) private readonly catalog: CatalogRepository,
  ) {}

  /**
   * Asks the index for the neighbours of every picture: first of products with several, which tell the typical distance.
   *
   * @param options `model`: null is the live version; `category`: slug or name of the judged products, null is all
   * @param onFinding hears of every product that is not `distinct`, in the order of the passes, then of the ids
   * @throws AppError without a live version, for an unknown model or category, and without any product
   */
  async inspect(
    options: { readonly model: string | null; readonly category: string | null },
    progress: Progress,
    onFinding: (finding: Finding) => void,
  ): Promise<Identifiability> {
    const versions = await this.embeddings.versions();
    const version = options.model === null ? liveOf(versions) : findVersion(versions, options.model);
    const taxonomy = new Taxonomy(await this.catalog.categories());
    const category = options.category === null ? null : categorySlug(options.category, 'product', taxonomy);
    const products = await this.#productsIn(category);
    const counts = Object.fromEntries(VERDICTS.map((verdict) => [verdict, 0])) as Record<Verdict, number>;
    // Distances are rounded, so many pictures take as much memory as few.
    const own = new Map<number, number>();
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
    const typical = typicalDistance(own);
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

  async *#pages(
    version: EmbeddingVersion,
    category: string | null,
  ): AsyncGenerator<readonly PicturedProduct[]> {
    const scope = { ...EVERYTHING, category };
    let page: readonly PicturedProduct[] = [];
    do {
      page = await this.samples.pictured(version.id, scope, PAGE, page.at(-1)?.id ?? '');
      yield page;
    } while (page.length === PAGE);
  }

  /** @param own counts the distances among the pictures of each product */
  async #judge(
    version: EmbeddingVersion,
    products: readonly PicturedProduct[],
    own: Map<number, number>,
    typical: TypicalDistance | null,
  ): Promise<Judgement[]> {
    const showing = await this.catalog.productsShowing(products.flatMap(imageIdsOf));
    const judge = async (product: PicturedProduct): Promise<Judgement> => {
      const ownDistances = ownDistancesOf(product);
      for (const distance of ownDistances.values()) own.set(distance, (own.get(distance) ?? 0) + 1);
      const shared = imageIdsOf(product).find((imageId) => (showing.get(imageId)?.length ?? 0) > 1);
      if (shared !== undefined) {
        const nearest = { imageIds: [shared, shared], distance: 0, ownDistance: null } as const;
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
      const other = found.find((each) => !own.includes(each.imageId));
      if (!other) continue;
      const distance = roundDistance(other.distance);
      const ownDistance = ownDistances.get(imageId) ?? null;
      others.push({ imageIds: [imageId, other.imageId], distance, ownDistance });
    }
    return others.sort((left, right) => left.distance - right.distance);
  }

  /** With names and addresses; a row that an import takes away meanwhile goes by its id. */
  async #findings(judgements: readonly Judgement[], taxonomy: Taxonomy): Promise<Finding[]> {
    const found = judgements.filter(({ verdict }) => verdict !== 'distinct');
    const imageIds = found.flatMap(({ nearest }) => nearest?.imageIds ?? []);
    const showing = await this.catalog.productsShowing(imageIds);
    const addresses = await this.catalog.imageAddresses(imageIds);
    const otherOf = ({ product, nearest }: Judgement) =>
      nearest && showing.get(nearest.imageIds[1])?.find((id) => id !== product.id);
    const ids = new Set(found.flatMap((each) => [each.product.id, otherOf(each) ?? []].flat()));
    const items = new Map((await this.catalog.itemsById([...ids])).map((item) => [item.id, item]));
    const nameOf = (id: string) => namedProduct(id, items.get(id), taxonomy);
    const attributesOf = (id: string) => items.get(id)?.attributes ?? [];
    const nearestOf = (judgement: Judgement): Finding['nearest'] => {
      const [{ product, nearest }, other] = [judgement, otherOf(judgement)];
      if (!nearest || other === undefined) return null;
      const {
        imageIds: [own, others],
        ...distances
      } = nearest;
      return {
        product: nameOf(other),
        pictures: [addresses.get(own) ?? '', addresses.get(others) ?? ''],
        ...distances,
        differIn: differingFields(attributesOf(product.id), attributesOf(other)),
      };
    };
    return found.map((each) => ({
      ...{ verdict: each.verdict, product: nameOf(each.product.id), popularity: each.product.popularity },
      ...{ pictures: embedded(each.product).length, nearest: nearestOf(each) },
    }));
  }
}

const imageIdsOf = ({ pictures }: PicturedProduct): number[] => pictures.map(({ imageId }) => imageId);

const embedded = ({ pictures }: PicturedProduct) => pictures.filter(({ vectors }) => vectors.length > 0);

const hasSeveral = (product: PicturedProduct): boolean => embedded(product).length > 1;

/** From each embedded picture to the nearest other one of the product; empty where it has one only. */
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

function namedProduct(id: string, item: CatalogItem | undefined, taxonomy: Taxonomy): NamedProduct {
  const hierarchy = (item && taxonomy.find(item.category)?.hierarchy) ?? [];
  const nameOf = (field: string) => item?.attributes.find((each) => each.field === field)?.name ?? [];
  return { id, name: item?.name ?? id, taxonomy: hierarchy.flatMap(nameOf) };
}
