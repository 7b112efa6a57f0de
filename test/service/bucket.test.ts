import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { processEnvironment } from '../../scripts/config';
import { generateBundle, photoOfProduct, productId } from '../../scripts/lab/generator/generate-bundle';
import { type ServiceProcess, startProcess } from '../../scripts/lab/service-processes';
import { ApiClient } from '../support/api-client';
import { createOwnDatabase, type OwnDatabase } from '../support/database';
import { loupeHere } from '../support/run-loupe';
import { createBucket, s3Access, s3Settings } from '../support/s3-bucket';

/** contract 13.11, 13.12, 13.13: pictures move from the data folder to a bucket, and the disk is lost afterwards. Nothing is faked. */
const SEED = 11;
const { TEST_DATABASE_URL = '', TEST_REDIS_URL, TEST_S3_URL = '' } = processEnvironment();

const withServers = TEST_S3_URL && TEST_DATABASE_URL ? describe : describe.skip;

withServers('an installation with its pictures in a bucket', () => {
  let folder: string;
  let bucket: string;
  let database: OwnDatabase;
  let service: ServiceProcess | undefined;
  let key: string;

  /** As of one host; another has another folder. */
  const settings = (host: string, more: object = { IMAGE_STORE: `s3://${bucket}/shop` }) => ({
    ...s3Settings(s3Access(TEST_S3_URL)),
    ...{ DATA_DIR: join(folder, host), DATABASE_URL: database.url, QUEUE_PREFIX: `bucket-${process.pid}` },
    ...(TEST_REDIS_URL ? { REDIS_URL: TEST_REDIS_URL } : {}),
    ...{ CONFIDENCE_FLOOR: '0', INFERENCE_THREADS: '1', RATE_PER_SECOND: '0', STORE_WAIT_MS: '0', PORT: '0' },
    ...more,
  });
  const loupe = <Document>(of: Record<string, string>, ...words: string[]) =>
    loupeHere(of, ...words) as Promise<Document>;

  const start = async (of: Record<string, string>): Promise<ApiClient> => {
    await service?.stop();
    service = await startProcess(of);
    return new ApiClient(service.url, key);
  };

  const bundleOf = async (products: number): Promise<string> => {
    const out = join(folder, `bundle-${products}`);
    await generateBundle({ seed: SEED, products, out, images: true });
    return out;
  };

  const expectServed = async (address: string): Promise<void> => {
    const answer = await fetch(address);
    expect([answer.status, (await answer.arrayBuffer()).byteLength > 0]).toEqual([200, true]);
  };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'loupe-'));
    bucket = await createBucket(s3Access(TEST_S3_URL));
    database = await createOwnDatabase(TEST_DATABASE_URL);
    const first = settings('first', {});
    await loupe(first, 'catalog', 'import', await bundleOf(3), '--no-wait');
    ({ key } = await loupe<{ key: string }>(first, 'keys', 'create'));
  });

  afterAll(async () => {
    await service?.stop();
    await database?.drop();
    await rm(folder, { recursive: true, force: true });
  });

  test('moves them beside the running service, and afterwards those that arrived meanwhile', async () => {
    const first = settings('first', {});
    await start(first);
    const move = (of: Record<string, string>) =>
      loupe<{ copied: number; present: number }>(of, 'images', 'move', '--to', `s3://${bucket}/shop`);
    const { copied } = await move(first);
    expect(copied).toBeGreaterThan(3);
    await loupe(first, 'catalog', 'import', await bundleOf(4), '--no-wait');
    const again = await move(settings('first'));
    expect(again.present).toBe(copied);
    expect(again.copied).toBeGreaterThan(0);
  });

  test('serves, embeds and identifies them on a host that never had them', async () => {
    const api = await start(settings('second'));
    await loupe(settings('second'), 'catalog', 'import', await bundleOf(6));
    for (const index of [0, 3, 5]) {
      const [row] = (await api.item(productId(SEED, index), '')).body.data;
      for (const address of [...(row?.images ?? []), ...(row?.thumbnails ?? [])]) await expectServed(address);
      const photo = await photoOfProduct({ seed: SEED, index, photoSeed: 1, size: 400 });
      const [found] = (await api.identify({ base64: photo.toString('base64') })).body.data;
      expect(found?.id).toBe(productId(SEED, index));
    }
    expect(await readdir(join(folder, 'second'))).not.toContain('images');
    expect((await fetch(`${api.url}/readyz`)).status).toBe(200);
  });

  test('has them in its backup, and in the bucket of the installation that this is restored into', async () => {
    const file = join(folder, 'backup.tar');
    const { images } = await loupe<{ images: number }>(settings('second'), 'backup', file);
    const [row] = (await new ApiClient(service?.url ?? '', key).item(productId(SEED, 0), '')).body.data;
    await service?.stop();
    await database.drop();
    database = await createOwnDatabase(TEST_DATABASE_URL);
    bucket = await createBucket(s3Access(TEST_S3_URL));
    expect(await loupe(settings('third'), 'restore', file)).toMatchObject({ images });
    const { url } = await start(settings('third'));
    await expectServed(`${url}${new URL(row?.images[0] ?? '').pathname}`);
  });

  test.each([
    ['IMAGE_STORE', 's3://no-such-bucket', 'there is no such bucket'],
    ['AWS_SECRET_ACCESS_KEY', 'hush-hush', 'AWS_SECRET_ACCESS_KEY right'],
    ['AWS_ENDPOINT_URL_S3', 'http://127.0.0.1:1', 'nothing listens there'],
  ])('is not started with a %s of %j, and is told why without it', async (name, value, says) => {
    const wrong = loupe({ ...settings('fourth'), [name]: value }, 'catalog', 'import', await bundleOf(3));
    const told = await wrong.then(String, String);
    expect(told).toContain('IMAGE_STORE: the bucket');
    expect(told).toContain(says);
    expect(told).not.toContain('hush-hush');
  });
});
