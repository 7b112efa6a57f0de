import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectEmbedded } from '../../db/core/knex';
import { processEnvironment } from '../../scripts/config';
import { generateBundle, productId } from '../../scripts/lab/generator/generate-bundle';
import { type ServiceProcess, startProcess } from '../../scripts/lab/service-processes';
import { writeLayoutModel } from '../faults/layout-model';
import { ApiClient } from '../support/api-client';
import { copyMigrated, createOwnDatabase, migratedInServer, type OwnDatabase } from '../support/database';
import { loupeHere } from '../support/run-loupe';

/**
 * Everything is lost between a backup, made beside the running service, and its restore: the data folder, and on a server
 * the database too.
 */
const SEED = 7;
const { TEST_DATABASE_URL, TEST_REDIS_URL } = processEnvironment();

interface Observed {
  readonly accounts: unknown;
  readonly usage: unknown;
  readonly prediction: unknown;
  readonly embeddings: unknown;
  readonly models: unknown;
}

let folder: string;
let file: string;
let database: OwnDatabase | undefined;
let service: ServiceProcess | undefined;
let key: string;
let accountId: string;
let predictionId: string;
let link: string;
let image: string;
let photo: { base64: string };
let log: object[];
let before: Observed;

jest.setTimeout(600_000);

const settings = (): Record<string, string> => ({
  DATA_DIR: join(folder, 'data'),
  QUEUE_PREFIX: `backup-${process.pid}`,
  RATE_PER_SECOND: '0',
  CONFIDENCE_FLOOR: '0',
  MODEL: 'layout',
  INFERENCE_THREADS: '1',
  PORT: '0',
  ...(database ? { DATABASE_URL: database.url } : {}),
  ...(TEST_REDIS_URL ? { REDIS_URL: TEST_REDIS_URL } : {}),
});

const loupe = <Document>(...words: string[]) => loupeHere(settings(), ...words) as Promise<Document>;

const api = () => new ApiClient(service?.url ?? '', key);

async function lookAround(): Promise<Observed> {
  // Without a service the commands would each start the embedded database.
  const held = database ? undefined : await connectEmbedded({ dataDir: settings()['DATA_DIR'] ?? '' });
  const seen = {
    accounts: await loupe('accounts', 'list'),
    usage: await loupe('usage', '--account', accountId),
    prediction: await loupe('predictions', 'show', predictionId),
    embeddings: await loupe('embeddings', 'status'),
    models: await loupe('models', 'list'),
  };
  await held?.close();
  return seen;
}

async function loseEverything(): Promise<void> {
  await service?.stop();
  service = undefined;
  await rm(join(folder, 'data'), { recursive: true, force: true });
  await database?.drop();
  database = TEST_DATABASE_URL ? await createOwnDatabase(TEST_DATABASE_URL) : undefined;
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'loupe-'));
  file = join(folder, 'backups', 'loupe.tar');
  database = TEST_DATABASE_URL ? await createOwnDatabase(TEST_DATABASE_URL, migratedInServer()) : undefined;
  if (!database) await copyMigrated(settings()['DATA_DIR'] ?? '');
  for (const id of ['layout', 'second'])
    await writeLayoutModel(join(folder, 'data', 'models', `${id}@1.0.0`), { id });
  service = await startProcess(settings());
  const bundle = join(folder, 'bundle');
  await generateBundle({ seed: SEED, products: 4, out: bundle, images: true, imageSize: 192 });
  await loupe('catalog', 'import', bundle);
  const account = await loupe<{ id: string }>('accounts', 'create', '--name', 'Maison', '--credits', '100');
  accountId = account.id;
  const words = ['keys', 'create', '--account', accountId, '--name', 'shop', '--versions', 'v1,v2,v3'];
  ({ key } = await loupe<{ key: string }>(...words));
  const picture = await readFile(join(bundle, 'images', '0000', `${productId(SEED, 0)}.jpg`));
  photo = { base64: picture.toString('base64') };
  predictionId = (await api().identify(photo)).headers.get('X-Prediction-Id') ?? '';
  const rows = (await api().query({ includes: ['pricing'] })).body.data;
  const variants = rows.flatMap((row) => row.variants ?? []);
  link = variants.flatMap(({ pricing }) => pricing?.pricing_data ?? [])[0]?.url ?? '';
  image = rows[0]?.images[0] ?? '';
  before = await lookAround();
  log = await loupe<object[]>('audit', 'log');
  await loupe('backup', file);
}, 600_000);

afterAll(async () => {
  await service?.stop();
  await database?.drop();
  await rm(folder, { recursive: true, force: true });
}, 120_000);

const pathOf = (address: string): string => new URL(address).pathname + new URL(address).search;

test('beside a running service a restore is refused, and nothing changes', async () => {
  await expect(loupe('restore', file, '--replace')).rejects.toThrow(/stop every process of Loupe/);
  expect(await loupe('accounts', 'list')).toEqual(before.accounts);
});

// contract 14.7
test('keys, balances, usage, predictions, embeddings, pictures, signed links and models outlive the loss of everything', async () => {
  await loseEverything();
  const restored = await loupe<object>('restore', file);
  expect(restored).toMatchObject({ file, models: 2, images: expect.any(Number) });
  service = await startProcess(settings());
  expect(await lookAround()).toEqual(before);
  const [last, ...earlier] = await loupe<object[]>('audit', 'log');
  expect(last).toMatchObject({ action: 'restore', subject: file });
  expect(earlier).toEqual(log);
  const found = (await api().identify(photo)).body.data.map(({ id }) => id);
  expect(found[0]).toBe(productId(SEED, 0));
  for (const address of [link, image])
    expect((await fetch(new URL(pathOf(address), service.url))).status).toBe(200);
});

test('an installation in use is replaced only when that is asked', async () => {
  await service?.stop();
  service = undefined;
  await loupe('accounts', 'create', '--name', 'later');
  await expect(loupe('restore', file)).rejects.toThrow(/--replace/);
  expect(await loupe('accounts', 'list')).toHaveLength(2);
  await loupe('restore', file, '--replace');
  expect(await lookAround()).toEqual(before);
});

describe('a damaged file', () => {
  test.each<[string, (bytes: Buffer) => Buffer]>([
    ['cut off in the middle', (bytes) => bytes.subarray(0, bytes.length / 2)],
    ['cut off at its end', (bytes) => bytes.subarray(0, bytes.length - 8192)],
    ['with one other byte in a table', (bytes) => flipped(bytes, 'tables/accounts.copy.gz')],
    ['with one other byte in a picture', (bytes) => flipped(bytes, image.slice(image.indexOf('images/')))],
  ])('%s is named', async (_how, damage) => {
    const damaged = join(folder, 'damaged.tar');
    await writeFile(damaged, damage(await readFile(file)));
    await expect(loupe('restore', damaged, '--replace')).rejects.toThrow(`${damaged} is damaged`);
  });

  test('changes nothing, however it is damaged', async () => {
    expect(await lookAround()).toEqual(before);
  });
});

/** One bit of the content of an entry is another. */
function flipped(bytes: Buffer, entry: string): Buffer {
  const at = bytes.indexOf(entry) + 512 + 20;
  const changed = Buffer.from(bytes);
  changed[at] = (changed[at] ?? 0) ^ 1;
  return changed;
}
