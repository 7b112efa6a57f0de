import { AppError } from '../../models/errors';
import type { CatalogImage } from '../../models/indexing/embedding-version';
import type {
  CatalogRepository,
  ImagePreparer,
  ImageSamples,
  ImageSource,
  ImageStore,
} from '../../models/ports';
import type { PhotoLevel } from '../catalog/generate/photo/levels';
import { mapConcurrently } from '../catalog/import/map-concurrently';
import { distortPhoto } from './distort-photo';

/** A photo of which it is known what it shows. */
export interface Query {
  /** What sort of query it is: `level 1` to `level 3`, `other photo`, `photo`. */
  readonly name: string;
  /** The products that it shows; several where products share a picture. */
  readonly products: readonly string[];
  readonly jpeg: Buffer;
  /** Images that the search must not find: the picture that the query is. */
  readonly leftOut: ReadonlySet<number>;
  /** All images of the products; without them the item is one that the catalog does not have. Null: not asked so. */
  readonly itemImages: ReadonlySet<number> | null;
}

export interface QueryPorts {
  readonly samples: ImageSamples;
  readonly catalog: CatalogRepository;
  readonly store: ImageStore;
  readonly source: ImageSource;
  readonly preparer: ImagePreparer;
}

const LEVELS: readonly PhotoLevel[] = [1, 2, 3];

/** The level whose queries are asked as unknown items too. */
const UNKNOWN_LEVEL = 2;
const AT_ONCE = 2;

/**
 * Queries made of catalog pictures that are embedded under all of the versions: each distorted at three levels, and
 * where its product has other pictures, itself, left out of the search. The same for the same seed and catalog.
 *
 * @param onQuery told after each picture
 * @throws AppError when there is no picture that can be read
 */
export async function generatedQueries(
  ports: QueryPorts,
  options: { versionIds: readonly number[]; count: number; seed: number },
  onQuery: (done: number) => void,
): Promise<Query[]> {
  const images = await ports.samples.sample(options.versionIds, options.count, options.seed);
  const showing = await ports.catalog.productsShowing(images.map(({ id }) => id));
  const siblings = await ports.samples.imagesOf([...new Set([...showing.values()].flat())]);
  let done = 0;
  const made = await mapConcurrently(images, AT_ONCE, async (image) => {
    const products = showing.get(image.id) ?? [];
    const item = new Set(products.flatMap((id) => (siblings.get(id) ?? []).map((each) => each.id)));
    const queries = await queriesOf(ports, image, products, item, options.seed);
    done += 1;
    onQuery(done);
    return queries;
  });
  const queries = made.flat();
  if (queries.length === 0)
    throw new AppError(404, 'not_found', 'There is no embedded catalog picture to make queries of.');
  return queries;
}

async function queriesOf(
  ports: QueryPorts,
  image: CatalogImage,
  products: readonly string[],
  item: ReadonlySet<number>,
  seed: number,
): Promise<Query[]> {
  const bytes = await bytesOf(ports, image.address);
  if (!bytes || products.length === 0) return [];
  const { jpeg } = await ports.preparer.prepare(bytes);
  const queries: Query[] = [];
  for (const level of LEVELS) {
    queries.push({
      name: `level ${level}`,
      products,
      jpeg: await distortPhoto(jpeg, level, seed, image.address),
      leftOut: new Set(),
      itemImages: level === UNKNOWN_LEVEL ? item : null,
    });
  }
  if (item.size > 1) {
    queries.push({ name: 'other photo', products, jpeg, leftOut: new Set([image.id]), itemImages: null });
  }
  return queries;
}

/** Null for a picture that is gone; queries are made of the others. */
async function bytesOf({ store, source }: QueryPorts, address: string): Promise<Buffer | null> {
  if (address.startsWith('/')) return store.get(address);
  return source.fetch(new URL(address)).catch(() => null);
}
