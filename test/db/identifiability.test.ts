import type { Knex } from 'knex';
import { PostgresCatalogRepository } from '../../db/catalog/catalog-repository';
import { rowsOf } from '../../db/core/sql';
import { PostgresEmbeddingRepository } from '../../db/embeddings/embedding-repository';
import { PostgresImageSamples } from '../../db/embeddings/image-samples';
import { PostgresNeighbourIndex } from '../../db/embeddings/neighbour-index';
import { type Finding, IdentifiabilityService } from '../../models/indexing/identifiability-service';
import { type ImageSamples, NO_PROGRESS } from '../../models/ports';
import { deleteCatalogRows, writeCatalogRows } from '../support/catalog-rows';
import { useDatabase } from '../support/database';
import { modelManifest } from '../support/model-manifest';

/** One for each direction used below, so that unlike pictures are at distance 1. */
const DIMENSIONS = 80;
let used = 0;
function newAxis(): Float32Array {
  const axis = new Float32Array(DIMENSIONS);
  axis[used++] = 1;
  return axis;
}

/** A unit vector at a cosine distance from another, in a direction that nothing else has. */
function away(distance: number, from: Float32Array): Float32Array {
  const aside = newAxis();
  const cosine = 1 - distance;
  return from.map((value, index) => cosine * value + Math.sqrt(1 - cosine ** 2) * (aside[index] ?? 0));
}

/** The views of each picture by its name; a picture without views is not embedded. */
const pictures = new Map<string, readonly Float32Array[]>();
const shown = new Map<string, string[]>();

function product(id: string, ...own: readonly (Float32Array | readonly Float32Array[])[]): void {
  shown.set(
    id,
    own.map((views, index) => {
      pictures.set(`${id}/${index}`, [views].flat());
      return `${id}/${index}`;
    }),
  );
}

/** The distance between two pictures of one product, unless said otherwise. */
const OWN = 0.2;

const usual = newAxis();
product('usual', usual, away(OWN, usual));
// Its first picture is nearer to one of `taken_for`, which has one nearer still.
const mistaken = newAxis();
product('mistaken', mistaken, away(OWN, mistaken));
const takenFor = away(0.1, mistaken);
product('taken_for', takenFor, away(0.05, takenFor));
// The crops of two pictures are near, the pictures are not.
const [detail, whole] = [newAxis(), newAxis()];
product('detail_a', [newAxis(), detail], [whole, newAxis()]);
product('detail_b', [newAxis(), away(0.03, detail)], away(0.01, newAxis()));
// Its own pictures are nearer by a crop than the other product's.
const crop = newAxis();
product('cropped', [newAxis(), crop], [away(0.05, crop), newAxis()]);
const likeCrop = away(0.1, crop);
product('like_crop', likeCrop, away(0.01, likeCrop));
product('single', away(OWN, takenFor));
product('pending', []);
product('half_pending', newAxis(), []);
const shared = newAxis();
product('shares_a', shared, away(0.01, shared));
product('shares_b', newAxis());
shown.get('shares_b')?.push('shares_a/1');
// Another category; and a row that is deleted, whose picture would be the nearest of all.
const dial = newAxis();
product('watch_near', dial);
product('watch_other', away(0.04, dial));
product('deleted', away(0.001, usual));
/** More products than are read at once. */
const BARE = Array.from({ length: 130 }, (_, index) => `bare_${String(index).padStart(3, '0')}`);
for (const id of BARE) product(id);

const categoryOf = (id: string) => (id.startsWith('watch') ? 'watches' : 'handbags');

describe('what a version can tell apart', () => {
  const database = useDatabase();
  let embeddings: PostgresEmbeddingRepository;
  let service: IdentifiabilityService;

  beforeAll(async () => {
    const { knex } = database;
    embeddings = new PostgresEmbeddingRepository(knex, 1);
    service = serviceOn(new PostgresImageSamples(knex));
  });

  const serviceOn = (samples: ImageSamples) =>
    new IdentifiabilityService(
      embeddings,
      samples,
      new PostgresNeighbourIndex(database.knex, 20_000),
      new PostgresCatalogRepository(database.knex),
    );

  const inspect = async (given: Partial<Parameters<typeof service.inspect>[0]> = {}, of = service) => {
    const findings = new Map<string, Finding>();
    const result = await of.inspect({ model: null, category: null, ...given }, NO_PROGRESS, (finding) => {
      expect(findings.has(finding.product.id)).toBe(false);
      findings.set(finding.product.id, finding);
    });
    return { result, findings };
  };

  test('cannot be reported without a live version or a product', async () => {
    await expect(inspect()).rejects.toThrow('No embedding version is live yet');
    await embeddings.create(modelManifest('eye', DIMENSIONS, 2));
    await expect(inspect()).rejects.toThrow('There is no product in the catalog');
    await createWorld(database.knex, embeddings);
    await expect(inspect({ model: 'other' })).rejects.toThrow('Nothing is embedded under the model "other"');
  });

  test('is one verdict per product', async () => {
    const { result, findings } = await inspect();
    const verdicts: Readonly<Record<string, Finding['verdict']>> = {
      ...{ usual: 'distinct', mistaken: 'confused', taken_for: 'distinct', detail_a: 'confused' },
      ...{ detail_b: 'confused', cropped: 'distinct', single: 'one_picture', half_pending: 'one_picture' },
      ...{ pending: 'not_embedded', bare_000: 'no_picture', bare_129: 'no_picture' },
      ...{ shares_a: 'shares_picture', shares_b: 'shares_picture', watch_near: 'one_picture' },
    };
    const found = Object.keys(verdicts).map((id) => [id, findings.get(id)?.verdict ?? 'distinct']);
    expect(Object.fromEntries(found)).toEqual(verdicts);
    expect(result).toEqual({
      adaptable: null,
      ...{ model: 'eye@1.0.0', version: expect.any(Number), category: null, approximate: false },
      products: 144,
      counts: {
        ...{ shares_picture: 2, confused: 3, one_picture: 4 },
        ...{ no_picture: BARE.length, not_embedded: 1, distinct: 4 },
      },
    });
  });

  type Nearest = [other: string, pictures: [string, string], distance: number, own: number | null];
  const NEAREST: Readonly<Record<string, Nearest>> = {
    mistaken: ['taken_for', ['mistaken/0', 'taken_for/0'], 0.1, OWN],
    detail_a: ['detail_b', ['detail_a/0', 'detail_b/0'], 0.03, 1],
    single: ['taken_for', ['single/0', 'taken_for/0'], OWN, null],
    shares_a: ['shares_b', ['shares_a/1', 'shares_a/1'], 0, null],
    shares_b: ['shares_a', ['shares_a/1', 'shares_a/1'], 0, null],
  };

  test('names the nearest pictures of two products, by their nearest views', async () => {
    const { findings } = await inspect();
    for (const [id, [other, names, distance, own]] of Object.entries(NEAREST))
      expect(findings.get(id)?.nearest).toMatchObject({
        product: expect.objectContaining({ id: other }),
        pictures: names.map((name) => `https://pictures/${name}`),
        distance: expect.closeTo(distance, 3),
        ownDistance: own === null ? null : expect.closeTo(own, 3),
      });
    expect(findings.get('pending')?.nearest).toBeNull();
    expect(findings.get('half_pending')?.pictures).toBe(1);
  });

  test('never compares a product with itself, even if it gets a picture after it was read', async () => {
    const { findings } = await inspect({}, serviceOn(new WithoutLastPictures(database.knex)));
    expect([...findings].filter(([id, { nearest }]) => nearest?.product.id === id)).toEqual([]);
    expect(findings.get('shares_a')?.nearest?.product.id).toBe('shares_b');
  });

  test('for one category is judged against the whole catalog', async () => {
    const { result, findings } = await inspect({ category: 'Watches' });
    expect(result).toMatchObject({ category: 'watches', products: 2 });
    expect([...findings.values()].map(({ verdict, nearest }) => [verdict, nearest?.product.id])).toEqual([
      ['one_picture', 'watch_other'],
      ['one_picture', 'watch_near'],
    ]);
  });

  test('says when neighbours are approximate', async () => {
    const exactly = await inspect();
    expect(await embeddings.buildIndex(exactly.result.version)).toBe(true);
    const { result, findings } = await inspect();
    expect(result).toMatchObject({ approximate: true, products: exactly.result.products });
    expect(findings.get('shares_a')).toEqual(exactly.findings.get('shares_a'));
  });
});

/** Reads products as they were before they got their last picture. */
class WithoutLastPictures extends PostgresImageSamples {
  override async productsIn(...query: Parameters<ImageSamples['productsIn']>) {
    const products = await super.productsIn(...query);
    return products.map((each) => ({ ...each, pictures: each.pictures.slice(0, -1) }));
  }
}

async function createWorld(knex: Knex, embeddings: PostgresEmbeddingRepository): Promise<void> {
  const ids = [...shown.keys()];
  const category = (id: string) => ({ id, name: id, hierarchy: [], name_fields: [] });
  await knex('categories').insert(['handbags', 'watches'].map(category));
  await knex('products').insert(ids.map((id) => ({ id, category: categoryOf(id), attributes: {} })));
  const images = await rowsOf<{ id: number; name: string }>(knex)`
    INSERT INTO images (address) SELECT 'https://pictures/' || unnest(${[...pictures.keys()]}::text[])
    RETURNING id, replace(address, 'https://pictures/', '') AS name`;
  const idOf = (name: string) => images.find((image) => image.name === name)?.id ?? 0;
  const links = [...shown].flatMap(([id, names]) =>
    names.map((name) => ({ product_id: id, image_id: idOf(name) })),
  );
  await knex('product_images').insert(links);
  const rest = { kind: 'product', popularity: 0, facets: [], words: [] };
  const rows = ids.map((id) => ({ ...rest, id, name: id, category: categoryOf(id) }));
  await writeCatalogRows(knex, rows);
  await deleteCatalogRows(knex, ['deleted']);
  const embedded = [...pictures].filter(([, vectors]) => vectors.length > 0);
  const stored = embedded.map(([name, vectors]) => ({ imageId: idOf(name), vectors }));
  await embeddings.store((await embeddings.live())?.id ?? 0, stored);
}
