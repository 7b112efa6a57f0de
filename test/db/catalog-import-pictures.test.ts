import { PostgresEmbeddingRepository } from '../../db/embeddings/embedding-repository';
import { unavailable } from '../../models/errors';
import type { ModelManifest } from '../../models/vision/embedding-model';
import { StoredVectors } from '../support/stored-vectors';
import { CATALOG, HANDBAGS, HERMES, product, TOGO_BAG } from './catalog-import-sample';
import { NO_RECORDS, picture, useImportBench } from './catalog-import-support';

const A = picture('a');
const B = picture('b');
const FAR = 'https://pictures.example/far.jpg';
const STORED = /^\/images\/[0-9a-f]{64}\.png$/;
const MADE = /^\/images\/[0-9a-f]{64}\.jpg$/;

const MANIFEST = {
  id: 'fake',
  version: '1',
  output: { dimensions: 4 },
  views: { catalog: [[0, 0, 1, 1]], query: [[0, 0, 1, 1]] },
} as unknown as ModelManifest;

const onServer = process.env['TEST_DATABASE_URL'] ? test : test.skip;

const bench = useImportBench(CATALOG);

const pictured = (rest: object) => ({
  'products.jsonl': [product('togo', 'style_togo', rest)],
  'images/a.png': A,
  'images/b.png': B,
});

describe('a picture inside the bundle', () => {
  // contract 13.5
  test('is stored byte for byte and given a thumbnail, unless one is named for it', async () => {
    const images = ['images/a.png', './images//b.png'];
    const stored = async (thumbnails: string[]) => {
      await bench.accept(pictured({ images, thumbnails }));
      const row = await bench.row('product_togo');
      return [row?.['images'], row?.['thumbnails']] as [string[], string[]];
    };
    const [addresses, made] = await stored([]);
    expect(addresses).toEqual([expect.stringMatching(STORED), expect.stringMatching(STORED)]);
    expect(await Promise.all(addresses.map((address) => bench.images.get(address)))).toEqual([A, B]);
    expect(made).toEqual([expect.stringMatching(MADE), expect.stringMatching(MADE)]);
    expect(await stored(['images/b.png'])).toEqual([addresses, [addresses[1], made[1]]]);
  });

  test('keeps its position among addresses, which are kept as they are', async () => {
    await bench.accept(pictured({ images: [FAR, 'images/a.png', FAR], variants: [] }));
    expect(await bench.row('product_togo')).toMatchObject({
      images: [FAR, expect.stringMatching(STORED), FAR],
      thumbnails: [FAR, expect.stringMatching(MADE)],
    });
    await bench.accept(pictured({ images: [FAR] }));
    expect(await bench.row('product_togo')).toMatchObject({ images: [FAR], thumbnails: [] });
  });

  test('may be one of a variant, an entity or a category', async () => {
    await bench.accept({
      ...pictured({ variants: [{ id: 'variant_togo_30', images: ['images/a.png'] }] }),
      'entities.jsonl': [{ ...HERMES, images: ['images/a.png'] }],
      'categories.jsonl': [{ ...HANDBAGS, images: ['images/b.png'] }],
    });
    const stored = { images: [expect.stringMatching(STORED)], thumbnails: [expect.stringMatching(MADE)] };
    expect(await bench.knex('variants').where({ id: 'variant_togo_30' }).first()).toMatchObject(stored);
    expect(await bench.row('brand_hermes')).toMatchObject(stored);
    expect(await bench.row('handbags')).toMatchObject(stored);
  });

  test('is decoded once, however often it is named, and stored again when the store has lost it', async () => {
    const images = ['images/a.png'];
    const bundle = pictured({ images, variants: [{ id: 'variant_togo_30', images }] });
    await bench.accept(bundle);
    await bench.accept(bundle);
    await bench.accept({ 'products.jsonl': [{ ...TOGO_BAG, images: ['copy.png'] }], 'copy.png': A });
    expect(bench.prepared).toBe(1);
    const stored = await bench.stored();
    for (const address of stored) await bench.images.remove(address);
    await bench.accept(bundle);
    expect(await bench.stored()).toEqual(stored);
  });
});

describe('the workers', () => {
  let versions: PostgresEmbeddingRepository;
  let live: number;
  beforeEach(async () => {
    versions = bench.embeddings;
    live = (await versions.create(MANIFEST)).id;
  });
  const addresses = () => bench.workers.embedded.map(({ address }) => address).sort();
  const bundle = pictured({
    images: ['images/a.png', FAR],
    variants: [{ id: 'variant_togo_30', images: [FAR, `${FAR}?2`] }],
  });

  test('are not waited for when the command says so', async () => {
    expect(await bench.import(bundle, { wait: false })).toMatchObject({ embedded: 0 });
    expect(await versions.coverage(live)).toMatchObject({ pending: 3 });
  });

  // contract 13.9
  test('list what they cannot embed, try it again with the next run, and fetch all again if told to', async () => {
    bench.workers.unreachable.add(FAR);
    const result = await bench.import(bundle, { wait: true });
    expect(result).toMatchObject({ rejected: 0, embedded: 2, notEmbedded: 1 });
    expect(bench.notes).toEqual([`not embedded: ${FAR}: away`]);
    expect(await bench.row('product_togo')).toMatchObject({ images: [expect.anything(), FAR] });
    bench.workers.unreachable.clear();
    expect(await bench.import(NO_RECORDS, { wait: true })).toMatchObject({ embedded: 1, notEmbedded: 0 });
    expect(await versions.coverage(live)).toEqual({ pending: 0, done: 3, failed: 0 });
    bench.workers.embedded.splice(0);
    bench.workers.unreachable.add(FAR);
    expect(await versions.coverage(live, undefined, true)).toEqual({ pending: 2, done: 1, failed: 0 });
    const again = await bench.import(NO_RECORDS, { wait: true, refetch: true });
    expect(again).toMatchObject({ embedded: 1, notEmbedded: 1 });
    expect(bench.notes.slice(1)).toEqual([`not embedded: ${FAR}: away`]);
    expect(bench.workers.embedded).toMatchObject([{ address: `${FAR}?2`, refetch: true }]);
  });

  test('may be away: the catalog is imported, and its pictures wait for the next run', async () => {
    jest.spyOn(bench.workers, 'embed').mockRejectedValueOnce(unavailable('The workers are away.', 1));
    expect(await bench.import(bundle, { wait: true })).toMatchObject({ rejected: 0, notEmbedded: 3 });
    expect(bench.notes).toEqual(['not embedded: The workers are away.']);
    expect(await bench.import(NO_RECORDS, { wait: true })).toMatchObject({ embedded: 3 });
  });

  test('wait for workers that are not running, and the import says so', async () => {
    bench.workers.areRunning = false;
    await bench.import(bundle, { wait: true });
    bench.workers.areRunning = true;
    expect(bench.notes).toEqual([expect.stringMatching(/^no worker is running;.*--no-wait/)]);
  });

  test('end the import with the failure when the database is away', async () => {
    const away = unavailable('The database is away.', 1);
    jest.spyOn(PostgresEmbeddingRepository.prototype, 'pending').mockRejectedValueOnce(away);
    await expect(bench.import(bundle, { wait: true })).rejects.toBe(away);
  });

  test('remove every vector of a picture that no product shows any more', async () => {
    await bench.accept({ 'products.jsonl': [product('other', 'style_togo', { images: [FAR] })] });
    await bench.import(bundle, { wait: true });
    expect(await embedded()).toHaveLength(3);
    await deleteTogo();
    expect(await embedded()).toEqual(await bench.knex('images').where({ address: FAR }).pluck('id'));
    bench.workers.embedded.splice(0);
    await bench.import(bundle, { wait: true });
    expect(addresses()).toEqual([expect.stringMatching(STORED), `${FAR}?2`]);
  });

  const deleteTogo = () => bench.accept({ 'products.jsonl': [{ id: 'product_togo', deleted: true }] });
  const storeAll = async (store: PostgresEmbeddingRepository) =>
    new StoredVectors(() => store).embed(live, await bench.knex('images').select('id', 'address'));
  const embedded = () => bench.knex(`embeddings_${live}`).pluck('image_id');

  // contract 13.8
  test('store no vector of a picture that has lost its last product meanwhile', async () => {
    await bench.import(bundle, { wait: false });
    await storeAll(versions);
    expect(await embedded()).toHaveLength(3);
    await deleteTogo();
    await storeAll(versions);
    expect(await embedded()).toEqual([]);
  });

  // The embedded engine has one connection, on which nothing can come between.
  onServer('that store vectors of a picture which loses its last product lose them', async () => {
    await bench.import(bundle, { wait: false });
    const storing = await bench.knex.transaction();
    await storeAll(new PostgresEmbeddingRepository(storing, 20_000));
    let isDone = false;
    const deleted = deleteTogo().then(() => {
      isDone = true;
    });
    const waiting = bench.knex('pg_stat_activity').where({ wait_event_type: 'Lock' });
    const here = waiting.whereRaw('datname = current_database()');
    while (!isDone && !(await here.clone().first()));
    await storing.commit();
    await deleted;
    expect(await embedded()).toEqual([]);
  });
});
