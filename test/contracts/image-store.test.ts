import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { LocalImageStore } from '../../db/files/local-image-store';
import { S3ImageStore } from '../../db/files/s3-image-store';
import type { ImageStore } from '../../models/ports';
import { createBucket, s3Access } from '../support/s3-bucket';
import { temporaryFolder } from '../support/temporary-folder';

/** contract 13.11: what images can rely on, in whatever they are stored. */
interface Opened {
  readonly store: ImageStore;
  remove(): Promise<void>;
}

const url = process.env['TEST_S3_URL'];

const inFolder = async (): Promise<Opened> => ({
  store: new LocalImageStore(temporaryFolder()),
  remove: async () => undefined,
});

const inBucket = (prefix: string) => async (): Promise<Opened> => {
  const access = s3Access(url ?? '');
  const store = new S3ImageStore({ bucket: await createBucket(access), prefix }, access);
  return { store, remove: () => store.close() };
};

const adapters: [string, () => Promise<Opened>][] = [['a folder', inFolder]];
if (url) adapters.push(['a bucket', inBucket('')], ['a part of a bucket', inBucket('shop/pictures')]);

describe.each(adapters)('images in %s', (_name, open) => {
  let opened: Opened;
  let store: ImageStore;
  beforeEach(async () => {
    opened = await open();
    ({ store } = opened);
  });
  afterEach(() => opened.remove());

  const bytes = Buffer.from('a picture');
  const digest = createHash('sha256').update(bytes).digest('hex');
  const address = `/images/${digest}.jpg`;

  async function listed(prefix?: string): Promise<string[]> {
    const addresses: string[] = [];
    for await (const each of store.addresses(prefix)) addresses.push(each);
    return addresses.sort();
  }

  // contract 14.15
  test('have an identity that stays, that no other store has, and that is no image', async () => {
    await store.identity();
    const identity = await store.identity();
    expect(identity).toMatch(/^[0-9a-f-]{36}$/);
    expect(await store.identity()).toBe(identity);
    const other = await open();
    await other.store.identity();
    expect(await other.store.identity()).not.toBe(identity);
    await other.remove();
    expect(await listed()).toEqual([]);
  });

  test('lie once under the address of their content, however many store them at a time', async () => {
    const addresses = await Promise.all(Array.from({ length: 8 }, () => store.put(bytes, 'jpg')));
    expect(new Set(addresses)).toEqual(new Set([address]));
    expect(await listed()).toEqual([address]);
  });

  test('are read as they were stored: at once, as a stream, and their size', async () => {
    const large = Buffer.alloc(3_000_000, 'picture');
    const at = await store.put(large, 'webp');
    // Compared by themselves: Jest takes half a minute.
    expect((await store.get(at))?.equals(large)).toBe(true);
    const image = await store.open(at);
    expect(image?.bytes).toBe(large.length);
    expect((await buffer(image?.content ?? Readable.from([]))).equals(large)).toBe(true);
    expect(await store.size(at)).toBe(large.length);
  });

  test('end their stream for a reader that stops', async () => {
    const at = await store.put(Buffer.alloc(3_000_000, 'picture'), 'webp');
    for await (const chunk of (await store.open(at))?.content ?? []) {
      expect(chunk.length).toBeGreaterThan(0);
      break;
    }
    expect(await store.size(at)).toBe(3_000_000);
  });

  const ELSEWHERE = [
    `/images/${'0'.repeat(64)}.jpg`,
    `/images/${digest}.png`,
    `/images/${digest}.jpg/`,
    `/images/${digest}.jpg\n`,
    `/images/${digest.toUpperCase()}.jpg`,
    `/images/../images/${digest}.jpg`,
    '/images/../secret.jpg',
    'https://elsewhere/a.jpg',
    '',
  ];

  test('are at no other address than their own', async () => {
    await store.put(bytes, 'jpg');
    for (const other of ELSEWHERE) {
      const asked = await Promise.all([store.get(other), store.open(other), store.size(other)]);
      expect([other, ...asked]).toEqual([other, null, null, null]);
      await store.remove(other);
    }
    expect(await listed()).toEqual([address]);
  });

  test('are listed by the beginning of their hash, and gone once they are removed', async () => {
    const pictures = Array.from({ length: 40 }, (_, index) => Buffer.from(`picture ${index}`));
    const stored = (await Promise.all(pictures.map((each) => store.put(each, 'png')))).sort();
    expect(await listed()).toEqual(stored);
    for (const prefix of ['0', 'a', 'f', digest.slice(0, 2)]) {
      const wanted = stored.filter((each) => each.startsWith(`/images/${prefix}`));
      expect(await listed(prefix)).toEqual(wanted);
    }
    const [first = '', ...others] = stored;
    await store.remove(first);
    await store.remove(first);
    expect(await listed()).toEqual(others);
    expect(await store.get(first)).toBeNull();
  });

  test('can be read before any is there', async () => {
    await expect(store.check()).resolves.toBeUndefined();
    expect(await listed()).toEqual([]);
  });
});
