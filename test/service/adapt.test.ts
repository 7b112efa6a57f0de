import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pMap from 'p-map';
import sharp from 'sharp';
import { connectEmbedded, type Database } from '../../db/core/knex';
import { identifier, rowsOf, sql } from '../../db/core/sql';
import type { AdaptResult } from '../../models/indexing/adapt-service';
import type { Evaluation } from '../../models/indexing/figures';
import type { Switched } from '../../models/indexing/promotion-service';
import type { EmbeddingsStatus } from '../../models/indexing/status-service';
import { Random } from '../../models/random';
import { type ServiceProcess, spawnLoupe, startProcess } from '../../scripts/lab/service-processes';
import { openAccount } from '../faults/books';
import { layoutInstallation } from '../faults/layout-model';
import type { Installation } from '../support/installation';
import { loupeHere, runLoupeHere } from '../support/run-loupe';

/**
 * A version that is fitted to the catalog: made, killed, made again, evaluated, promoted, rolled back, backed up and restored
 * by the commands, beside a service. The model is the picture at 8 x 8 pixels; the left of a picture shows the product, the
 * right is another mess in each. The tests go on where the last one left off.
 */
const PRODUCTS = 45;
const PICTURES = 3;
const LATER = 20;
const CELLS = 8;
const MESSY_FROM = 6;
const SIDE = 96;

/** Of a machine that does other work too. */
jest.setTimeout(400_000);

let installation: Installation;
let settings: Installation['settings'];
let database: Database;
let key: string;
const services: ServiceProcess[] = [];

beforeAll(async () => {
  installation = await layoutInstallation({
    ...{ IMAGE_STORE: '', VISION_CONCURRENCY: '0', VISION_DEADLINE_MS: '120000' },
  });
  ({ settings } = installation);
  const roles = settings['REDIS_URL'] === undefined ? ['all'] : ['api', 'worker'];
  services.push(...(await Promise.all(roles.map((ROLE) => startProcess({ ...settings, ROLE })))));
  database = await installation.connect();
  ({ key } = await openAccount({ database }, 'test', { test: false }));
}, 180_000);

afterAll(async () => {
  for (const each of services.reverse()) await each.stop();
  await database?.close();
  await installation?.remove();
}, 60_000);

const embeddings = (...words: string[]) => loupeHere(settings, 'embeddings', ...words);
const status = () => embeddings('status') as Promise<EmbeddingsStatus>;
const adapt = (...words: string[]) => embeddings('adapt', ...words) as Promise<AdaptResult>;

/** A picture of a product: its own colours, faint, beside a mess that is different in each. */
function picture(product: number, number: number): Promise<Buffer> {
  const own = new Random('product', product);
  const mess = new Random('mess', product, number);
  const cells = Array.from({ length: CELLS * CELLS * 3 }, (_, at) =>
    Math.floor(at / 3) % CELLS < MESSY_FROM ? 190 + own.integer(-30, 30) : mess.integer(0, 255),
  );
  return sharp(Buffer.from(cells), { raw: { width: CELLS, height: CELLS, channels: 3 } })
    .resize(SIDE, SIDE, { kernel: 'nearest' })
    .jpeg({ quality: 95, chromaSubsampling: '4:4:4' })
    .toBuffer();
}

/** A bundle of products with so many pictures each, from a number on. */
async function importProducts(from: number, count: number, pictures = PICTURES): Promise<void> {
  const bundle = join(installation.folder, `bundle-${from}-${pictures}`);
  await mkdir(join(bundle, 'images'), { recursive: true });
  const lines: string[] = [];
  for (let product = from; product < from + count; product += 1) {
    const images = Array.from({ length: pictures }, (_, number) => `images/${product}-${number}.jpg`);
    for (const [number, image] of images.entries()) {
      await writeFile(join(bundle, image), await picture(product, number));
    }
    lines.push(
      JSON.stringify({
        id: productId(product),
        category: 'things',
        attributes: {},
        title: `Thing ${product}`,
        images,
      }),
    );
  }
  await writeFile(join(bundle, 'categories.jsonl'), '{"id":"things","name":"Things","hierarchy":[]}\n');
  await writeFile(join(bundle, 'products.jsonl'), `${lines.join('\n')}\n`);
  await loupeHere(settings, 'catalog', 'import', bundle);
}

const productId = (product: number) => `product_thing${product}`;

/** How many of the products are the first row for a photo that no bundle has. */
async function rightFirst(from: number, count: number): Promise<number> {
  const products = Array.from({ length: count }, (_, at) => from + at);
  const isRight = async (product: number): Promise<boolean> => {
    const answer = await fetch(`${services[0]?.url}/v3/vision/identify`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
      body: JSON.stringify({ base64: (await picture(product, 1_000)).toString('base64') }),
    });
    const { data } = (await answer.json()) as { data: { id: string }[] };
    return data[0]?.id === productId(product);
  };
  return (await pMap(products, isRight, { concurrency: 4 })).filter(Boolean).length;
}

const versionsOf = async (model: string) =>
  (await status()).versions.filter((version) => version.model === model);

const vectorsOf = async (versionId: number): Promise<number> => {
  const [line] = await rowsOf<{ count: number }>(
    database.knex,
    sql`SELECT count(*) AS count FROM ${identifier(`embeddings_${versionId}`)}`,
  );
  return Number(line?.count);
};

/** Each map, and the products that it was fitted to. */
const mapsOf = ({ knex }: Database) =>
  rowsOf(knex, sql`SELECT version_id, md5(map) AS map, products FROM embedding_maps ORDER BY version_id`);

const ADAPTED = 'layout@1.0.0+adapted-1';

describe('A version that is adapted to the catalog (contract 14.20)', () => {
  test('is refused while few products have several pictures, with what to do', async () => {
    await importProducts(0, 20);
    const { code, stderr } = await runLoupeHere(['embeddings', 'adapt'], settings);
    expect(code).not.toBe(0);
    expect(stderr).toMatch(/20 products have several pictures.*at least 30/);
    expect((await status()).versions).toHaveLength(1);
  });

  test('goes on where it was killed, and embeds nothing again', async () => {
    await importProducts(20, PRODUCTS - 20);
    const child = spawnLoupe(settings, 'embeddings', 'adapt');
    child.stdout.resume();
    child.stderr.resume();
    const ended = once(child, 'exit');
    while (child.exitCode === null && (await versionsOf(ADAPTED)).length === 0) await delay(20);
    child.kill('SIGKILL');
    await ended;
    const result = await adapt();
    expect(result).toMatchObject({
      ...{ model: ADAPTED, state: 'building', several: PRODUCTS },
      ...{ images: PRODUCTS * PICTURES, embedded: PRODUCTS * PICTURES, pending: 0, failed: 0 },
    });
    expect(result.products).toBeLessThan(PRODUCTS);
    expect(result.validation.after).toBeGreaterThan(result.validation.before);
    expect(await versionsOf(ADAPTED)).toHaveLength(1);
    expect(await vectorsOf(result.version)).toBe(PRODUCTS * PICTURES);
  });

  test('is judged on products that had no part in the map, passes the gates and is promoted', async () => {
    const evaluation = (await embeddings('evaluate', '--model', ADAPTED)) as Evaluation;
    const [line] = await rowsOf<{ products: string[] }>(
      database.knex,
      sql`SELECT products FROM embedding_maps`,
    );
    const judged = PRODUCTS - (line?.products.length ?? 0);
    const other = evaluation.candidate.recall.find(({ queries }) => queries === 'other photo');
    expect(other?.first.of).toBe(judged * PICTURES);
    expect(evaluation.comparison?.difference.mean).toBeGreaterThan(0);
    const before = await rightFirst(0, PRODUCTS);
    const switched = (await embeddings('promote', '--model', ADAPTED)) as Switched;
    expect(switched).toMatchObject({ model: ADAPTED, previous: 'layout@1.0.0', overruled: [] });
    expect(await rightFirst(0, PRODUCTS)).toBeGreaterThan(before);
  });

  test('has pictures that come passed through its map, beside those of the version that a rollback goes back to', async () => {
    await importProducts(PRODUCTS, LATER);
    for (const { pending, done } of (await status()).versions) {
      expect([pending, done]).toEqual([0, (PRODUCTS + LATER) * PICTURES]);
    }
    expect(await rightFirst(PRODUCTS, LATER)).toBeGreaterThanOrEqual(0.75 * LATER);
  });

  test('adapted again starts from the vectors of the network', async () => {
    const again = await adapt();
    const other = await adapt('--model', 'layout@1.0.0');
    expect(again.model).toBe('layout@1.0.0+adapted-2');
    // Half precision is lost on the way back: the maps are as good as the same.
    expect(other.validation.after).toBeCloseTo(again.validation.after, 2);
    await embeddings('prune', '--building');
  });

  test('is in a backup with its map and its vectors', async () => {
    const file = join(installation.folder, 'backup.loupe');
    await loupeHere(settings, 'backup', file);
    // On the embedded default, wherever the backup is from.
    const { DATABASE_URL: _database, REDIS_URL: _redis, QUEUE_PREFIX: _prefix, ...rest } = settings;
    const elsewhere = { ...rest, DATA_DIR: join(installation.folder, 'restored') };
    await loupeHere(elsewhere, 'restore', file);
    const restored = await connectEmbedded({ dataDir: elsewhere.DATA_DIR });
    try {
      expect(await mapsOf(restored)).toEqual(await mapsOf(database));
      expect(await loupeHere(elsewhere, 'embeddings', 'status')).toMatchObject({
        ...{ model: ADAPTED, pending: 0, done: (PRODUCTS + LATER) * PICTURES },
      });
    } finally {
      await restored.close();
    }
  });

  test('is undone by a rollback, and prune drops it with its map', async () => {
    expect(await embeddings('rollback')).toMatchObject({ model: 'layout@1.0.0', previous: ADAPTED });
    await embeddings('prune', '--all');
    expect(await rowsOf(database.knex, sql`SELECT FROM embedding_maps`)).toEqual([]);
    expect((await status()).versions).toHaveLength(1);
    const audit = (await loupeHere(settings, 'audit', 'log')) as { action: string; subject: string }[];
    expect(audit).toContainEqual(expect.objectContaining({ action: 'embeddings adapt', subject: ADAPTED }));
  });
});
