import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { LocalImageStore } from '../../db/files/local-image-store';
import { moveImages } from '../../db/files/move-images';
import { type S3Access, S3ImageStore } from '../../db/files/s3-image-store';
import { type ImageStore, type Progress } from '../../models/ports';
import { createBucket, s3Access } from '../support/s3-bucket';
import { temporaryFolder } from '../support/temporary-folder';
import { openServerProxy } from './server-proxy';

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

async function addressesOf(store: ImageStore, prefix?: string): Promise<string[]> {
  const addresses: string[] = [];
  for await (const address of store.addresses(prefix)) addresses.push(address);
  return addresses.sort();
}

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

  const listed = (prefix?: string) => addressesOf(store, prefix);

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

const withS3 = url ? describe : describe.skip;

const silent: Progress = {
  begin: () => undefined,
  reach: () => undefined,
  end: () => undefined,
  note: () => undefined,
};

/** contract 13.12: what is said of a bucket that can't be used, and that nothing is lost. */
withS3('a bucket that can not be used', () => {
  let access: S3Access;
  let bucket: string;
  beforeAll(async () => {
    access = s3Access(url ?? '');
    bucket = await createBucket(access);
  });

  test('is named when there is none of this name, which waiting does not mend', async () => {
    const store = new S3ImageStore({ bucket: 'no-such-bucket', prefix: '' }, access);
    await expect(store.check()).rejects.toMatchObject({
      message: 'the bucket "no-such-bucket": there is no such bucket: make it, or name another',
      mayPass: false,
    });
    await expect(store.put(Buffer.from('a'), 'jpg')).rejects.toMatchObject({ status: 503 });
    await store.close();
  });

  test('is a 503 while it is away, and has everything when it is back', async () => {
    const proxy = await openServerProxy(url ?? '');
    const store = new S3ImageStore({ bucket, prefix: 'away' }, s3Access(proxy.url));
    const kept = await store.put(Buffer.from('kept'), 'jpg');
    await proxy.cut();
    for (const ask of [() => store.get(kept), () => store.size(kept), () => addressesOf(store)])
      await expect(ask()).rejects.toMatchObject({ status: 503 });
    await expect(store.put(Buffer.from('refused'), 'jpg')).rejects.toMatchObject({ status: 503 });
    await proxy.mend();
    expect(await addressesOf(store)).toEqual([kept]);
    expect(await store.get(kept)).toEqual(Buffer.from('kept'));
    await store.close();
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
    const access = s3Access(url ?? '');
    to = new S3ImageStore({ bucket: await createBucket(access), prefix: 'moved' }, access);
  });
  afterEach(() => to.close());

  const put = (count: number) =>
    Promise.all(
      Array.from({ length: count }, (_, index) => from.put(Buffer.from(`picture ${index}`), 'jpg')),
    );

  test('copies every image, and a second one copies what came meanwhile', async () => {
    await put(30);
    expect(await moveImages(from, to, silent)).toMatchObject({ copied: 30, present: 0, damaged: [] });
    await put(32);
    expect(await moveImages(from, to, silent)).toMatchObject({ copied: 2, present: 30, damaged: [] });
    expect(await addressesOf(to)).toEqual(await addressesOf(from));
  });

  test('that was broken off goes on where it was', async () => {
    await put(30);
    let left = 10;
    const breaking = Object.create(to, {
      put: {
        value: async (bytes: Buffer, extension: 'jpg') => {
          left -= 1;
          if (left < 0) throw new Error('broken off');
          return to.put(bytes, extension);
        },
      },
      get: { value: (address: string) => to.get(address) },
      addresses: { value: (prefix: string) => to.addresses(prefix) },
    }) as ImageStore;
    await expect(moveImages(from, breaking, silent)).rejects.toThrow('broken off');
    const { copied, present } = await moveImages(from, to, silent);
    expect(copied + present).toBe(30);
    expect(present).toBeGreaterThan(0);
    expect(await addressesOf(to)).toEqual(await addressesOf(from));
  });

  test('names a file that is not what its name says, and does not copy it', async () => {
    const [damaged = '', ...whole] = await put(5);
    const name = damaged.slice('/images/'.length);
    await writeFile(join(folder, name.slice(0, 2), name.slice(2, 4), name), 'another picture');
    expect(await moveImages(from, to, silent)).toMatchObject({ copied: 4, damaged: [damaged] });
    expect(await addressesOf(to)).toEqual(whole.sort());
  });
});
