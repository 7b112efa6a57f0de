import pMap from 'p-map';
import { inject, injectable } from 'tsyringe';
import { EVERYTHING, type SearchScope } from '../catalog/catalog-query';
import type { CatalogItem } from '../catalog/item';
import { categorySlug } from '../catalog/resolve-scope';
import { Taxonomy } from '../catalog/taxonomy';
import { notFound } from '../errors';
import {
  type CatalogRepository,
  type EmbeddingRepository,
  type ExactNeighbours,
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
  OwnDistances,
  pictureDistance,
  roundDistance,
  type TypicalDistance,
  VERDICTS,
  type Verdict,
} from './identifiability';
import { adaptableProducts } from './status-service';

export interface IdentifiabilityOptions {
  /** `id` or `id@version`; null is the live version. */
  readonly model: string | null;
  /** Slug or name of the category whose products are judged, against those of all categories; null is every one. */
  readonly category: string | null;
}

/** How many products a version can tell apart. */
export interface Identifiability {
  /** `id@version`. */
  readonly model: string;
  readonly version: number;
  /** Slug; null is every one. */
  readonly category: string | null;
  /** Whether neighbours were found by an approximate index, which misses some. */
  readonly approximate: boolean;
  /** Null where too few pictures have another of the same product beside them; then nothing is a `look_alike`. */
  readonly typical: TypicalDistance | null;
  readonly products: number;
  /** Products of all categories that a map could be fitted to (contract 14.20); null where too few, or it is adapted. */
  readonly adaptable: number | null;
  /** How many products have each verdict; they sum up to `products`. */
  readonly counts: Readonly<Record<Verdict, number>>;
}

/** Products read, and so in memory, at once; and pictures whose neighbours are asked for at once. */
const PAGE = 64;
const AT_ONCE = 4;

/** A verdict by ids. */
interface Judgement {
  readonly product: PicturedProduct;
  readonly verdict: Verdict;
  /** Missing where there is nothing to be confused with. */
  readonly nearest?: NearestPictures | undefined;
}

/** A picture of a product and the nearest one that another product shows. */
interface NearestPictures {
  readonly imageIds: readonly [own: number, other: number];
  readonly distance: number;
  readonly ownDistance: number | null;
}

/** Says which products of the catalog a version can't tell apart, and which have too few pictures to say. */
@injectable()
export class IdentifiabilityService {
  constructor(
    @inject(PORTS.EmbeddingRepository) private readonly embeddings: EmbeddingRepository,
    @inject(PORTS.ImageSamples) private readonly samples: ImageSamples,
    @inject(PORTS.NeighbourIndex) private readonly index: NeighbourIndex,
    @inject(PORTS.ExactNeighbours) private readonly exact: ExactNeighbours,
    @inject(PORTS.CatalogRepository) private readonly catalog: CatalogRepository,
  ) {}

  /**
   * Asks the index for the neighbours of every embedded picture, page by page of products: first those with several pictures,
   * which tell the typical distance, then the others.
   *
   * @param onFinding hears of every product that is not `distinct`, in the order of the passes, then of the ids
   * @throws AppError without a live version, for an unknown model or category, and without any product
   */
  async inspect(
    { model, category: named }: IdentifiabilityOptions,
    progress: Progress,
    onFinding: (finding: Finding) => void,
  ): Promise<Identifiability> {
    const versions = await this.embeddings.versions();
    const version = model === null ? liveOf(versions) : findVersion(versions, model);
    const taxonomy = new Taxonomy(await this.catalog.categories());
    const category = named === null ? null : categorySlug(named, 'product', taxonomy);
    const scope = { ...EVERYTHING, category };
    const products = await this.#productsIn(scope);
    const counts = Object.fromEntries(VERDICTS.map((verdict) => [verdict, 0])) as Record<Verdict, number>;
    const own = new OwnDistances();
    const pass = async (
      stage: string,
      belongs: (product: PicturedProduct) => boolean,
      typical: TypicalDistance | null,
    ) => {
      progress.begin(stage, products);
      let done = 0;
      for await (const page of this.#pages(version, scope)) {
        const judgements = await this.#judge(version, page.filter(belongs), own, typical);
        for (const { verdict } of judgements) counts[verdict] += 1;
        for (const finding of await this.#findings(judgements, taxonomy)) onFinding(finding);
        done += page.length;
        progress.reach(done);
      }
      progress.end();
    };
    await pass('several pictures', hasSeveral, null);
    const typical = own.typical();
    await pass('one picture or none', (product) => !hasSeveral(product), typical);
    return {
      ...{ model: version.model, version: version.id, category, typical, counts },
      adaptable: await adaptableProducts(version, this.samples),
      approximate: await this.exact.isApproximate(version),
      products: Object.values(counts).reduce((sum, count) => sum + count, 0),
    };
  }

  async #productsIn({ category }: SearchScope): Promise<number> {
    const { total } = await this.catalog.search({
      ...{ words: null, categories: category === null ? null : [category], node: 'product', filters: [] },
      ...{ page: 0, pageSize: 1, sort: 'popularity_desc' },
    });
    if (total > 0) return total;
    throw notFound(
      `There is no product ${category === null ? 'in the catalog' : `of the category "${category}"`}; loupe catalog import brings some.`,
    );
  }

  async *#pages(
    version: EmbeddingVersion,
    scope: SearchScope,
  ): AsyncGenerator<readonly PicturedProduct[], void> {
    let page: readonly PicturedProduct[] = [];
    do {
      page = await this.samples.pictured(version.id, scope, PAGE, page.at(-1)?.id ?? '');
      yield page;
    } while (page.length === PAGE);
  }

  /** @param own is told the distances among the pictures of each product */
  async #judge(
    version: EmbeddingVersion,
    products: readonly PicturedProduct[],
    own: OwnDistances,
    typical: TypicalDistance | null,
  ): Promise<Judgement[]> {
    const showing = await this.catalog.productsShowing(products.flatMap(imageIdsOf));
    const judge = async (product: PicturedProduct): Promise<Judgement> => {
      const ownDistances = ownDistancesOf(product);
      for (const distance of ownDistances.values()) own.add(distance);
      const shared = imageIdsOf(product).find((imageId) => (showing.get(imageId)?.length ?? 0) > 1);
      if (shared !== undefined) {
        const nearest = { imageIds: [shared, shared], distance: 0, ownDistance: null } as const;
        return { product, verdict: 'shares_picture', nearest };
      }
      if (product.pictures.length === 0) return { product, verdict: 'no_picture' };
      if (embedded(product).length === 0) return { product, verdict: 'not_embedded' };
      const near = await this.#nearestOthers(version, product, ownDistances);
      return { product, ...(hasSeveral(product) ? verdictOfSeveral(near) : verdictOfOne(near, typical)) };
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
    const imageIds = judgements.flatMap(({ nearest }) => nearest?.imageIds ?? []);
    const showing = await this.catalog.productsShowing(imageIds);
    const addresses = await this.catalog.imageAddresses(imageIds);
    const otherOf = ({ product, nearest }: Judgement) =>
      nearest && showing.get(nearest.imageIds[1])?.find((id) => id !== product.id);
    const found = judgements.filter(({ verdict }) => verdict !== 'distinct');
    const ids = found.flatMap((each) => [each.product.id, otherOf(each) ?? []].flat());
    const items = new Map((await this.catalog.itemsById([...new Set(ids)])).map((item) => [item.id, item]));
    return found.flatMap((each) => {
      const { product, verdict, nearest } = each;
      if (verdict === 'distinct') return [];
      const other = otherOf(each);
      const nameOf = (id: string) => namedProduct(id, items.get(id), taxonomy);
      const attributesOf = (id: string) => items.get(id)?.attributes ?? [];
      return {
        ...{ verdict, product: nameOf(product.id), popularity: product.popularity },
        pictures: embedded(product).length,
        nearest:
          nearest && other !== undefined
            ? {
                product: nameOf(other),
                pictures: nearest.imageIds.map((id) => addresses.get(id) ?? '') as [string, string],
                ...{ distance: nearest.distance, ownDistance: nearest.ownDistance },
                differIn: differingFields(attributesOf(product.id), attributesOf(other)),
              }
            : null,
      };
    });
  }
}

const imageIdsOf = ({ pictures }: PicturedProduct): number[] => pictures.map(({ imageId }) => imageId);

const embedded = ({ pictures }: PicturedProduct) => pictures.filter(({ vectors }) => vectors.length > 0);

const hasSeveral = (product: PicturedProduct): boolean => embedded(product).length > 1;

/** From each embedded picture to the nearest other one of the product; empty where it has one only. */
function ownDistancesOf(product: PicturedProduct): ReadonlyMap<number, number> {
  if (!hasSeveral(product)) return new Map();
  const pictures = embedded(product);
  return new Map(
    pictures.map((picture) => {
      const others = pictures.filter((each) => each !== picture);
      const distances = others.map(({ vectors }) => pictureDistance(picture.vectors, vectors));
      return [picture.imageId, Math.min(...distances)];
    }),
  );
}

/** @param near nearest first */
function verdictOfSeveral(near: readonly NearestPictures[]): Pick<Judgement, 'verdict' | 'nearest'> {
  const nearest = near.find(({ distance, ownDistance }) => ownDistance !== null && distance <= ownDistance);
  return nearest ? { verdict: 'confused', nearest } : { verdict: 'distinct' };
}

function verdictOfOne(
  [nearest]: readonly NearestPictures[],
  typical: TypicalDistance | null,
): Pick<Judgement, 'verdict' | 'nearest'> {
  const isNear = nearest !== undefined && typical !== null && nearest.distance <= typical.distance;
  return { verdict: isNear ? 'look_alike' : 'one_picture', nearest };
}

function namedProduct(id: string, item: CatalogItem | undefined, taxonomy: Taxonomy): NamedProduct {
  const hierarchy = (item && taxonomy.find(item.category)?.hierarchy) ?? [];
  const nameOf = (field: string) => item?.attributes.find((each) => each.field === field)?.name ?? [];
  return { id, name: item?.name ?? id, taxonomy: hierarchy.flatMap(nameOf) };
}
