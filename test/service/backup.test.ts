import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { processEnvironment } from '../../scripts/config';
import { generateBundle, productId } from '../../scripts/lab/generator/generate-bundle';
import { type ServiceProcess, startProcess } from '../../scripts/lab/service-processes';
import { installLayoutModel, LAYOUT_SETTINGS } from '../faults/layout-model';
import { ApiClient } from '../support/api-client';
import { copyMigrated, createOwnDatabase, migratedInServer, type OwnDatabase } from '../support/database';
import { loupeHere } from '../support/run-loupe';

/** Everything is lost between a backup, made beside the running service, and its restore: the data folder, and on a server the database. */
const SEED = 7;
const { TEST_DATABASE_URL, TEST_REDIS_URL } = processEnvironment();

let folder: string;
let file: string;
let database: OwnDatabase | undefined;
let service: ServiceProcess | undefined;
let key: string;
let photo: { base64: string };
/** The path of a signed link, and that of a stored picture. */
let link: string;
let image: string;
/** Commands that show the state of the installation, and what they said before the backup. */
let looks: readonly (readonly string[])[];
let before: unknown[];
let accounts: unknown;
let log: object[];

const settings = (): Record<string, string> => ({
  ...LAYOUT_SETTINGS,
  ...{ DATA_DIR: join(folder, 'data'), QUEUE_PREFIX: `backup-${process.pid}`, PORT: '0' },
  ...(database ? { DATABASE_URL: database.url } : {}),
  ...(TEST_REDIS_URL ? { REDIS_URL: TEST_REDIS_URL } : {}),
});

const loupe = <Document>(...words: readonly string[]) => loupeHere(settings(), ...words) as Promise<Document>;
const api = () => new ApiClient(service?.url ?? '', key);

async function lookAround(): Promise<unknown[]> {
  const seen: unknown[] = [];
  for (const words of looks) seen.push(await loupe(...words));
  return seen;
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'loupe-'));
  file = join(folder, 'backups', 'loupe.tar');
  const dataDir = join(folder, 'data');
  database = TEST_DATABASE_URL ? await createOwnDatabase(TEST_DATABASE_URL, migratedInServer()) : undefined;
  if (!database) await copyMigrated(dataDir);
  for (const id of ['layout', 'second']) await installLayoutModel(dataDir, id);
  service = await startProcess(settings());
  const bundle = join(folder, 'bundle');
  await generateBundle({ seed: SEED, products: 4, out: bundle, images: true, imageSize: 192 });
  await loupe('catalog', 'import', bundle);
  const { id } = await loupe<{ id: string }>('accounts', 'create', '--name', 'Maison', '--credits', '100');
  const words = ['--account', id, '--name', 'shop', '--versions', 'v1,v2,v3'];
  ({ key } = await loupe<{ key: string }>('keys', 'create', ...words));
  const picture = await readFile(join(bundle, 'images', '0000', `${productId(SEED, 0)}.jpg`));
  photo = { base64: picture.toString('base64') };
  const predictionId = (await api().identify(photo)).headers.get('X-Prediction-Id') ?? '';
  const rows = (await api().query({ includes: ['pricing'] })).body.data;
  const variants = rows.flatMap((row) => row.variants ?? []);
  link = pathOf(variants.flatMap(({ pricing }) => pricing?.pricing_data ?? [])[0]?.url ?? '');
  image = pathOf(rows[0]?.images[0] ?? '');
  looks = [
    ['accounts', 'list'],
    ['usage', '--account', id],
    ['predictions', 'show', predictionId],
    ['embeddings', 'status'],
    ['models', 'list'],
  ];
  before = await lookAround();
  log = await loupe<object[]>('audit', 'log');
  await loupe('backup', file);
});

afterAll(async () => {
  await service?.stop();
  await database?.drop();
  await rm(folder, { recursive: true, force: true });
});

const pathOf = (address: string): string => new URL(address).pathname + new URL(address).search;

test('beside a running service a restore is refused, and nothing changes', async () => {
  await expect(loupe('restore', file, '--replace')).rejects.toThrow(/stop every process of Loupe/);
  expect(await loupe('accounts', 'list')).toEqual(before[0]);
});

// contract 14.7
test('keys, balances, usage, predictions, embeddings, pictures, signed links and models survive the loss of everything', async () => {
  await service?.stop();
  await rm(join(folder, 'data'), { recursive: true, force: true });
  await database?.drop();
  database = TEST_DATABASE_URL
    ? await createOwnDatabase(TEST_DATABASE_URL, migratedInServer())
    : await copyMigrated(join(folder, 'data')).then(() => undefined);
  // An installation in use is replaced only on request.
  await loupe('accounts', 'create', '--name', 'later');
  await expect(loupe('restore', file)).rejects.toThrow(/--replace/);
  const restored = await loupe<object>('restore', file, '--replace');
  expect(restored).toMatchObject({ file, models: 2, images: expect.any(Number) });
  service = await startProcess(settings());
  expect(await lookAround()).toEqual(before);
  const [last, ...earlier] = await loupe<object[]>('audit', 'log');
  expect(last).toMatchObject({ action: 'restore', subject: file });
  expect(earlier).toEqual(log);
  expect((await api().identify(photo)).body.data[0]?.id).toBe(productId(SEED, 0));
  for (const path of [link, image]) expect((await fetch(`${service.url}${path}`)).status).toBe(200);
  accounts = await loupe('accounts', 'list');
  await service.stop();
});

const onServer = TEST_DATABASE_URL ? test : test.skip;
onServer('a backup of a server is restored into the embedded database', async () => {
  const { DATABASE_URL: _database, REDIS_URL: _redis, QUEUE_PREFIX: _prefix, ...rest } = settings();
  const embedded = { ...rest, DATA_DIR: join(folder, 'embedded') };
  await copyMigrated(embedded.DATA_DIR);
  await loupeHere(embedded, 'restore', file);
  expect(before).toContainEqual(await loupeHere(embedded, 'embeddings', 'status'));
});

test('a file that is cut off or has one flipped bit is refused by name, and changes nothing', async () => {
  const damaged = join(folder, 'damaged.tar');
  const bytes = await readFile(file);
  for (const content of [
    bytes.subarray(0, bytes.length / 2),
    bytes.subarray(0, bytes.length - 8192),
    flipped(bytes, 'tables/accounts.copy.gz'),
    flipped(bytes, image.slice(image.indexOf('images/'))),
  ]) {
    await writeFile(damaged, content);
    await expect(loupe('restore', damaged, '--replace')).rejects.toThrow(`${damaged} is damaged`);
  }
  expect(await loupe('accounts', 'list')).toEqual(accounts);
});

function flipped(bytes: Buffer, entry: string): Buffer {
  const at = bytes.indexOf(entry) + 512 + 20;
  const changed = Buffer.from(bytes);
  changed[at] = (changed[at] ?? 0) ^ 1;
  return changed;
}
