import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { LocalImageStore } from '../../db/files/local-image-store';
import { moveImages } from '../../db/files/move-images';
import { S3ImageStore } from '../../db/files/s3-image-store';
import { type ImageStore, NO_PROGRESS } from '../../models/ports';
import { createBucket, s3Access } from '../support/s3-bucket';
import { temporaryFolder } from '../support/temporary-folder';
import { openServerProxy } from './server-proxy';

const url = process.env['TEST_S3_URL'];
const withS3 = url ? describe : describe.skip;
const inFolder = async () => new LocalImageStore(temporaryFolder());
const inBuckets: S3ImageStore[] = [];
afterEach(async () => {
  for (const each of inBuckets.splice(0)) await each.close();
});

function bucketStore(bucket: string, prefix: string, access = s3Access(url ?? '')): S3ImageStore {
  const store = new S3ImageStore({ bucket, prefix }, access);
  inBuckets.push(store);
  return store;
}

const inBucket = (prefix: string) => async () => bucketStore(await createBucket(s3Access(url ?? '')), prefix);

const addressesOf = async (store: ImageStore, prefix?: string): Promise<string[]> =>
  (await Readable.from(store.addresses(prefix)).toArray()).sort();

const adapters: [string, () => Promise<ImageStore>][] = [['a folder', inFolder]];
if (url) adapters.push(['a bucket', inBucket('')], ['a part of a bucket', inBucket('shop/pictures')]);

/** contract 13.11: what images can rely on, whatever stores them. */
describe.each(adapters)('images in %s', (_name, open) => {
  let store: ImageStore;
  beforeEach(async () => {
    store = await open();
  });

  const bytes = Buffer.from('a picture');
  const digest = createHash('sha256').update(bytes).digest('hex');
  const address = `/images/${digest}.jpg`;
  const large = Buffer.alloc(3_000_000, 'picture');

  // contract 14.15
  test('can be read before any exists, and their store has a lasting identity that no other store has and that is not an image', async () => {
    await expect(store.check()).resolves.toBeUndefined();
    await store.identity();
    const identity = await store.identity();
    expect(identity).toMatch(/^[0-9a-f-]{36}$/);
    expect(await store.identity()).toBe(identity);
    expect(await (await open()).identity()).not.toBe(identity);
    expect(await addressesOf(store)).toEqual([]);
  });

  test('are stored once under the address of their content, however many store them at once', async () => {
    const addresses = await Promise.all(Array.from({ length: 8 }, () => store.put(bytes, 'jpg')));
    expect(new Set(addresses)).toEqual(new Set([address]));
    expect(await addressesOf(store)).toEqual([address]);
  });

  test('are read as they were stored: at once, as a stream, also by a reader that stops, and their size', async () => {
    const at = await store.put(large, 'webp');
    // Jest takes half a minute for this comparison.
    expect((await store.get(at))?.equals(large)).toBe(true);
    const image = await store.open(at);
    expect(image?.bytes).toBe(large.length);
    expect(image && (await buffer(image.content)).equals(large)).toBe(true);
    for await (const chunk of (await store.open(at))?.content ?? []) {
      expect(chunk.length).toBeGreaterThan(0);
      break;
    }
    expect(await store.size(at)).toBe(large.length);
  });

  test('are at no other address than their own', async () => {
    await store.put(bytes, 'jpg');
    const elsewhere = [
      ...[`/images/${'0'.repeat(64)}.jpg`, `/images/${digest}.png`, `${address}/`, `${address}\n`],
      ...[`/images/${digest.toUpperCase()}.jpg`, `/images/../images/${digest}.jpg`],
      ...['/images/../secret.jpg', 'https://elsewhere/a.jpg', ''],
    ];
    for (const other of elsewhere) {
      const asked = await Promise.all([store.get(other), store.open(other), store.size(other)]);
      expect([other, ...asked]).toEqual([other, null, null, null]);
      await store.remove(other);
    }
    expect(await addressesOf(store)).toEqual([address]);
  });

  test('are listed by the beginning of their hash, and gone once they are removed', async () => {
    const pictures = Array.from({ length: 40 }, (_, index) => Buffer.from(`picture ${index}`));
    const stored = (await Promise.all(pictures.map((each) => store.put(each, 'png')))).sort();
    expect(await addressesOf(store)).toEqual(stored);
    for (const prefix of ['0', 'a', 'f', digest.slice(0, 2)]) {
      const wanted = stored.filter((each) => each.startsWith(`/images/${prefix}`));
      expect(await addressesOf(store, prefix)).toEqual(wanted);
    }
    const [first = '', ...others] = stored;
    for (const _again of [1, 2]) await store.remove(first);
    expect(await addressesOf(store)).toEqual(others);
    expect(await store.get(first)).toBeNull();
  });
});

/** contract 13.12: what is reported of a bucket that can't be used, and that nothing is lost. */
withS3('a bucket that cannot be used', () => {
  test('is reported as missing, which waiting does not fix', async () => {
    const store = bucketStore('no-such-bucket', '');
    await expect(store.check()).rejects.toMatchObject({
      message: 'the bucket "no-such-bucket": there is no such bucket: make it, or name another',
      isTransient: false,
    });
    await expect(store.put(Buffer.from('a'), 'jpg')).rejects.toMatchObject({ status: 503 });
  });

  test('is a 503 while it is away, and has everything when it is back', async () => {
    const proxy = await openServerProxy(url ?? '');
    const store = bucketStore(await createBucket(s3Access(url ?? '')), 'away', s3Access(proxy.url));
    const kept = await store.put(Buffer.from('kept'), 'jpg');
    await proxy.cut();
    const put = () => store.put(Buffer.from('refused'), 'jpg');
    for (const ask of [() => store.get(kept), () => store.size(kept), () => addressesOf(store), put])
      await expect(ask()).rejects.toMatchObject({ status: 503 });
    await proxy.mend();
    expect(await addressesOf(store)).toEqual([kept]);
    expect(await store.get(kept)).toEqual(Buffer.from('kept'));
    await proxy.cut();
  });
});

/** contract 13.13: from the folder to a bucket. */
withS3('a move to a bucket', () => {
  let folder: string;
  let from: LocalImageStore;
  let to: S3ImageStore;
  beforeEach(async () => {
    folder = temporaryFolder();
    from = new LocalImageStore(folder);
    to = await inBucket('moved')();
  });

  const move = () => moveImages(from, to, NO_PROGRESS);
  const put = (count: number) =>
    Promise.all(
      Array.from({ length: count }, (_, index) => from.put(Buffer.from(`picture ${index}`), 'jpg')),
    );

  test('that was interrupted continues where it stopped', async () => {
    await put(30);
    const original = to.put.bind(to);
    let left = 10;
    const breaking = jest.spyOn(to, 'put').mockImplementation(async (...picture) => {
      left -= 1;
      if (left < 0) throw new Error('broken off');
      return original(...picture);
    });
    await expect(move()).rejects.toThrow('broken off');
    breaking.mockRestore();
    const { copied, present } = await move();
    expect(copied + present).toBe(30);
    expect(present).toBeGreaterThan(0);
    expect(await addressesOf(to)).toEqual(await addressesOf(from));
  });

  test('names a file that is not what its name says, and does not copy it', async () => {
    const [damaged = '', ...whole] = await put(5);
    const name = damaged.slice('/images/'.length);
    await writeFile(join(folder, name.slice(0, 2), name.slice(2, 4), name), 'another picture');
    expect(await move()).toMatchObject({ copied: 4, damaged: [damaged] });
    expect(await addressesOf(to)).toEqual(whole.sort());
  });
});
