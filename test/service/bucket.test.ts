import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { processEnvironment } from '../../scripts/config';
import { generateBundle, photoOfProduct, productId } from '../../scripts/lab/generator/generate-bundle';
import { type ServiceProcess, startProcess } from '../../scripts/lab/service-processes';
import { ApiClient } from '../support/api-client';
import { createOwnDatabase, type OwnDatabase } from '../support/database';
import { loupeHere, runLoupeHere } from '../support/run-loupe';
import { createBucket, s3Access, s3Settings } from '../support/s3-bucket';

/**
 * contract 13.11, 13.12, 13.13: an installation whose pictures move from the data folder to a bucket, and that loses its
 * disk afterwards. Real processes, the bundled model, a real object store.
 */
const SEED = 11;
const { TEST_DATABASE_URL, TEST_REDIS_URL, TEST_S3_URL } = processEnvironment();
const withS3 = TEST_S3_URL && TEST_DATABASE_URL ? describe : describe.skip;

interface Moved {
  readonly copied: number;
  readonly present: number;
}

withS3('an installation with its pictures in a bucket', () => {
  let folder: string;
  let bucket: string;
  let database: OwnDatabase;
  let service: ServiceProcess | undefined;
  let key: string;
  let url: string;
  jest.setTimeout(600_000);

  /** As of one host; another has another folder. */
  const settings = (host: string, inBucket = true): Record<string, string> => ({
    DATA_DIR: join(folder, host),
    DATABASE_URL: database.url,
    ...(TEST_REDIS_URL ? { REDIS_URL: TEST_REDIS_URL } : {}),
    ...s3Settings(s3Access(TEST_S3_URL ?? '')),
    ...(inBucket ? { IMAGE_STORE: `s3://${bucket}/shop` } : {}),
    QUEUE_PREFIX: `bucket-${process.pid}`,
    CONFIDENCE_FLOOR: '0',
    INFERENCE_THREADS: '1',
    RATE_PER_SECOND: '0',
    STORE_WAIT_MS: '0',
    PORT: '0',
  });

  const start = async (of: Record<string, string>): Promise<ApiClient> => {
    await service?.stop();
    service = undefined;
    service = await startProcess(of);
    ({ url } = service);
    return new ApiClient(url, key);
  };

  const bundleOf = async (products: number): Promise<string> => {
    const out = join(folder, `bundle-${products}`);
    await generateBundle({ seed: SEED, products, out, images: true });
    return out;
  };

  const isServed = async (address: string): Promise<boolean> => {
    const answer = await fetch(address);
    return answer.status === 200 && (await answer.arrayBuffer()).byteLength > 0;
  };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'loupe-'));
    bucket = await createBucket(s3Access(TEST_S3_URL ?? ''));
    database = await createOwnDatabase(TEST_DATABASE_URL ?? '');
    const first = settings('first', false);
    await loupeHere(first, 'catalog', 'import', await bundleOf(3), '--no-wait');
    const { id } = (await loupeHere(first, 'accounts', 'create', '--name', 'shop')) as { id: string };
    const words = ['keys', 'create', '--account', id, '--name', 'shop', '--versions', 'v1,v2,v3'];
    ({ key } = (await loupeHere(first, ...words)) as { key: string });
  });

  afterAll(async () => {
    await service?.stop();
    await database?.drop();
    await rm(folder, { recursive: true, force: true });
  });

  test('moves them beside the running service, and again what came meanwhile', async () => {
    const first = settings('first', false);
    await start(first);
    const move = ['images', 'move', '--to', `s3://${bucket}/shop`];
    const { copied } = (await loupeHere(first, ...move)) as Moved;
    expect(copied).toBeGreaterThan(3);
    await loupeHere(first, 'catalog', 'import', await bundleOf(4), '--no-wait');
    const again = (await loupeHere(settings('first'), ...move)) as Moved;
    expect(again.present).toBe(copied);
    expect(again.copied).toBeGreaterThan(0);
  });

  test('serves, embeds and identifies them on a host that never had them', async () => {
    const api = await start(settings('second'));
    await loupeHere(settings('second'), 'catalog', 'import', await bundleOf(6));
    for (const index of [0, 3, 5]) {
      const [row] = (await api.item(productId(SEED, index), '')).body.data;
      for (const address of [...(row?.images ?? []), ...(row?.thumbnails ?? [])])
        expect(await isServed(address)).toBe(true);
      const photo = await photoOfProduct({ seed: SEED, index, photoSeed: 1, level: 1, size: 400 });
      const [found] = (await api.identify({ base64: photo.toString('base64') })).body.data;
      expect(found?.id).toBe(productId(SEED, index));
    }
    expect(await readdir(join(folder, 'second'))).not.toContain('images');
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
  });

  test('has them in its backup, and in the bucket of the installation that this is restored into', async () => {
    const file = join(folder, 'backup.tar');
    const { images } = (await loupeHere(settings('second'), 'backup', file)) as { images: number };
    const [row] = (await new ApiClient(url, key).item(productId(SEED, 0), '')).body.data;
    const { pathname } = new URL(row?.images[0] ?? '');
    await service?.stop();
    service = undefined;
    await database.drop();
    database = await createOwnDatabase(TEST_DATABASE_URL ?? '');
    bucket = await createBucket(s3Access(TEST_S3_URL ?? ''));
    expect(await loupeHere(settings('third'), 'restore', file)).toMatchObject({ images });
    await start(settings('third'));
    expect(await isServed(`${url}${pathname}`)).toBe(true);
  });

  test.each([
    ['IMAGE_STORE', 's3://no-such-bucket', 'there is no such bucket'],
    ['AWS_SECRET_ACCESS_KEY', 'hush-hush', 'AWS_SECRET_ACCESS_KEY right'],
    ['AWS_ENDPOINT_URL_S3', 'http://127.0.0.1:1', 'nothing listens there'],
  ])('is not started with a %s of %j, and is told why without it', async (name, value, says) => {
    const wrong = { ...settings('fourth'), [name]: value };
    const { code, stderr } = await runLoupeHere(['catalog', 'import', await bundleOf(3)], wrong);
    expect(code).toBe(1);
    expect(stderr).toContain('IMAGE_STORE: the bucket');
    expect(stderr).toContain(says);
    expect(stderr).not.toContain('hush-hush');
  });
});
