import type { Knex } from 'knex';
import { PostgresCatalogRepository } from '../../db/catalog/catalog-repository';
import { rowsOf, sql } from '../../db/core/sql';
import { PostgresEmbeddingRepository } from '../../db/embeddings/embedding-repository';
import { PostgresImageSamples } from '../../db/embeddings/image-samples';
import { PostgresNeighbourIndex } from '../../db/embeddings/neighbour-index';
import type { Finding, Verdict } from '../../models/indexing/identifiability';
import { type Identifiability, IdentifiabilityService } from '../../models/indexing/identifiability-service';
import { deleteCatalogRows, writeCatalogRows } from '../support/catalog-rows';
import { useDatabase } from '../support/database';
import { modelManifest } from '../support/model-manifest';

/** Every direction of the world below has an axis of its own, so that unlike pictures are 1 apart. */
const DIMENSIONS = 80;
const axes = Array.from({ length: DIMENSIONS }, (_, axis) =>
  Float32Array.from({ length: DIMENSIONS }, (_, at) => Number(at === axis)),
);
let used = 0;
const newAxis = (): Float32Array => axes[used++] ?? fail();
const fail = (): never => {
  throw new Error('the world has more directions than dimensions');
};

/** A unit vector at a cosine distance from another, in a direction that nothing else has. */
function at(distance: number, from: Float32Array): Float32Array {
  const aside = newAxis();
  const cosine = 1 - distance;
  return from.map((value, index) => cosine * value + Math.sqrt(1 - cosine ** 2) * (aside[index] ?? 0));
}

/** The views of each picture by its name; a picture of no views is not embedded. */
const pictures = new Map<string, readonly Float32Array[]>();
/** The pictures of each product. */
const shown = new Map<string, readonly string[]>();

function product(id: string, ...own: readonly (Float32Array | readonly Float32Array[])[]): void {
  const names = own.map((views, index) => {
    pictures.set(`${id}/${index}`, [views].flat());
    return `${id}/${index}`;
  });
  shown.set(id, names);
}

/** How far two pictures of one product lie apart here. */
const TYPICAL = 0.2;

for (let index = 0; index < 11; index += 1) {
  const axis = newAxis();
  product(`apart_${index}`, axis, at(TYPICAL, axis));
}
// Its first picture is as far from its second as is usual, and nearer to one of `taken_for`, which has one nearer still.
const mistaken = newAxis();
product('mistaken', mistaken, at(TYPICAL, mistaken));
const takenFor = at(0.1, mistaken);
product('taken_for', takenFor, at(0.05, takenFor));
// The crops of two pictures are near, the pictures are not.
const [detail, whole] = [newAxis(), newAxis()];
product('detail_a', [newAxis(), detail], [whole, newAxis()]);
product('detail_b', [newAxis(), at(0.03, detail)], at(0.01, newAxis()));
// Its own pictures are nearer by a crop than the other product's.
const crop = newAxis();
product('cropped', [newAxis(), crop], [at(0.05, crop), newAxis()]);
const likeCrop = at(0.1, crop);
product('like_crop', likeCrop, at(0.01, likeCrop));
// One picture each: one within the typical distance of another product's, one beyond it.
const tight = newAxis();
product('tight', tight, at(0.01, tight));
product('single_near', at(TYPICAL - 0.02, tight));
product('single_far', at(TYPICAL + 0.02, axes[2] ?? fail()));
product('pending', []);
product('half_pending', newAxis(), []);
product('shares_a', newAxis(), at(0.01, newAxis()));
product('shares_b', newAxis());
shown.set('shares_b', [...(shown.get('shares_b') ?? []), 'shares_a/1']);
// Another category; and a row that is deleted, whose picture would be the nearest of all.
const dial = newAxis();
product('watch_near', dial);
product('watch_other', at(0.04, dial));
product('deleted', at(0.001, axes[4] ?? fail()));
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
    service = new IdentifiabilityService(
      embeddings,
      new PostgresImageSamples(knex),
      new PostgresNeighbourIndex(knex, 20_000),
      new PostgresCatalogRepository(knex),
    );
  }, 60_000);
  const inspect = async (category: string | null = null, model: string | null = null) => {
    const findings = new Map<string, Finding>();
    const stages: string[] = [];
    const progress = {
      begin: (stage: string, total: number) => void stages.push(`${stage} of ${total}`),
      reach: () => undefined,
      end: () => undefined,
      note: () => undefined,
    };
    const result = await service.inspect({ model, category }, progress, (finding) => {
      expect(findings.has(finding.product.id)).toBe(false);
      findings.set(finding.product.id, finding);
    });
    return { result, findings, stages };
  };

  test('can not be reported without a live version, a known model, products or a known category', async () => {
    await expect(inspect()).rejects.toThrow('No embedding version is live yet');
    await embeddings.create(modelManifest('eye', DIMENSIONS, 2));
    await expect(inspect()).rejects.toThrow('There is no product in the catalog');
    await expect(inspect(null, 'other')).rejects.toThrow('Nothing is embedded under the model "other"');
    await createWorld(database.knex, embeddings);
    await expect(inspect('shoes')).rejects.toThrow('There is no category "shoes"');
  });

  const verdicts: readonly [string, Verdict][] = [
    ['apart_0', 'distinct'],
    ['mistaken', 'confused'],
    ['taken_for', 'distinct'],
    ['detail_a', 'confused'],
    ['detail_b', 'confused'],
    ['cropped', 'distinct'],
    ['single_near', 'look_alike'],
    ['single_far', 'one_picture'],
    ['half_pending', 'one_picture'],
    ['pending', 'not_embedded'],
    ['bare_000', 'no_picture'],
    ['bare_129', 'no_picture'],
    ['shares_a', 'shares_picture'],
    ['shares_b', 'shares_picture'],
    ['watch_near', 'look_alike'],
  ];
  test('is one verdict per product', async () => {
    const { result, findings, stages } = await inspect();
    expect(verdicts.map(([id]) => [id, findings.get(id)?.verdict ?? 'distinct'])).toEqual(verdicts);
    const counts: Identifiability['counts'] = {
      ...{ shares_picture: 2, confused: 3, look_alike: 3, one_picture: 2 },
      ...{ no_picture: BARE.length, not_embedded: 1, distinct: 15 },
    };
    expect(result).toEqual({
      adaptable: null,
      ...{ model: 'eye@1.0.0', version: expect.any(Number), category: null, approximate: false },
      ...{ typical: { distance: expect.closeTo(TYPICAL, 3), pictures: 40 }, products: 156, counts },
    });
    expect(stages).toEqual(['several pictures of 156', 'one picture or none of 156']);
  });

  test('names the nearest pictures, by their nearest views', async () => {
    const { findings } = await inspect();
    const nearestOf = (id: string) => {
      const { product: other, pictures: shownHere, distance, ownDistance } = findings.get(id)?.nearest ?? {};
      return [other?.id, shownHere?.map(nameOf), distance, ownDistance];
    };
    const close = (distance: number) => expect.closeTo(distance, 3);
    expect(nearestOf('mistaken')).toEqual([
      'taken_for',
      ['mistaken/0', 'taken_for/0'],
      close(0.1),
      close(TYPICAL),
    ]);
    expect(nearestOf('detail_a')).toEqual(['detail_b', ['detail_a/0', 'detail_b/0'], close(0.03), close(1)]);
    expect(nearestOf('single_near')).toEqual([
      'tight',
      ['single_near/0', 'tight/0'],
      close(TYPICAL - 0.02),
      null,
    ]);
    expect(nearestOf('shares_a')).toEqual(['shares_b', ['shares_a/1', 'shares_a/1'], 0, null]);
    expect(nearestOf('shares_b')).toEqual(['shares_a', ['shares_a/1', 'shares_a/1'], 0, null]);
    expect(findings.get('half_pending')?.pictures).toBe(1);
    expect(findings.get('pending')?.nearest).toBeNull();
  });

  test('for one category is judged against the whole catalog; few pictures give no typical distance', async () => {
    const { result, findings } = await inspect('Watches');
    expect(result).toMatchObject({ category: 'watches', typical: null, products: 2 });
    expect([...findings.values()].map(({ verdict, nearest }) => [verdict, nearest?.product.id])).toEqual([
      ['one_picture', 'watch_other'],
      ['one_picture', 'watch_near'],
    ]);
  });

  test('says when neighbours are approximate, and changes nothing else', async () => {
    const exactly = await inspect();
    expect(await embeddings.buildIndex(exactly.result.version)).toBe(true);
    const { result, findings } = await inspect();
    const { shares_picture, no_picture, not_embedded } = exactly.result.counts;
    expect(result).toMatchObject({
      ...{ approximate: true, typical: exactly.result.typical, products: exactly.result.products },
      counts: { shares_picture, no_picture, not_embedded },
    });
    expect(findings.get('shares_a')).toEqual(exactly.findings.get('shares_a'));
  });
});

const nameOf = (address: string) => address.replace('https://pictures/', '');

async function createWorld(knex: Knex, embeddings: PostgresEmbeddingRepository): Promise<void> {
  await rowsOf(
    knex,
    sql`INSERT INTO categories (id, name, hierarchy, name_fields)
        VALUES ('handbags', 'Handbags', '{}', '{}'), ('watches', 'Watches', '{}', '{}')`,
  );
  const ids = [...shown.keys()];
  await rowsOf(
    knex,
    sql`INSERT INTO products (id, category, attributes)
        SELECT id, category, '{}' FROM unnest(${ids}::text[], ${ids.map(categoryOf)}::text[]) AS given (id, category)`,
  );
  const addresses = [...pictures.keys()].map((name) => `https://pictures/${name}`);
  const images = await rowsOf<{ id: number; address: string }>(
    knex,
    sql`INSERT INTO images (address) SELECT unnest(${addresses}::text[]) RETURNING id, address`,
  );
  const idOf = new Map(images.map(({ id, address }) => [nameOf(address), Number(id)]));
  const links = [...shown].flatMap(([id, names]) =>
    names.map((name) => ({ id, image: idOf.get(name) ?? 0 })),
  );
  await rowsOf(
    knex,
    sql`INSERT INTO product_images (product_id, image_id)
        SELECT * FROM unnest(${links.map(({ id }) => id)}::text[], ${links.map(({ image }) => image)}::bigint[])`,
  );
  await writeCatalogRows(
    knex,
    ids.map((id) => ({
      ...{ id, kind: 'product', category: categoryOf(id), popularity: 0, name: id },
      ...{ facets: [], words: [] },
    })),
  );
  await deleteCatalogRows(knex, ['deleted']);
  const live = await embeddings.live();
  const embedded = [...pictures].filter(([, vectors]) => vectors.length > 0);
  await embeddings.store(
    live?.id ?? 0,
    embedded.map(([name, vectors]) => ({ imageId: idOf.get(name) ?? 0, vectors })),
  );
}
