import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LocalImageStore } from '../../db/files/local-image-store';
import { moveImages } from '../../db/files/move-images';
import { type S3Access, S3ImageStore } from '../../db/files/s3-image-store';
import type { ImageStore, Progress } from '../../models/ports';
import { createBucket, s3Access } from '../support/s3-bucket';
import { temporaryFolder } from '../support/temporary-folder';
import { openServerProxy } from './server-proxy';

const url = process.env['TEST_S3_URL'];
const withS3 = url ? describe : describe.skip;

const silent: Progress = {
  begin: () => undefined,
  reach: () => undefined,
  end: () => undefined,
  note: () => undefined,
};

async function addressesOf(store: ImageStore): Promise<string[]> {
  const addresses: string[] = [];
  for await (const address of store.addresses()) addresses.push(address);
  return addresses.sort();
}

/** contract 13.12: what is said of a bucket that can't be used, and that nothing is lost. */
withS3('a bucket that can not be used', () => {
  let access: S3Access;
  let bucket: string;
  beforeAll(async () => {
    access = s3Access(url ?? '');
    bucket = await createBucket(access);
  });

  const wrong: [string, (right: S3Access) => S3Access, RegExp][] = [
    [
      'a secret that is wrong',
      (right) => ({ ...right, credentials: key(right, 'hush-hush') }),
      /AWS_SECRET_/,
    ],
    [
      'a port that nobody listens on',
      (right) => ({ ...right, endpoint: 'http://127.0.0.1:1' }),
      /nothing listens/,
    ],
    ['a host that there is not', (right) => ({ ...right, endpoint: 'http://no.invalid' }), /host name/],
  ];
  const key = ({ credentials }: S3Access, secretAccessKey: string) => ({
    accessKeyId: credentials?.accessKeyId ?? '',
    secretAccessKey,
  });

  test.each(wrong)('is named with the reason: %s', async (_what, change, says) => {
    const store = new S3ImageStore({ bucket, prefix: '' }, change(access));
    const fault = await store.check().catch((failure: unknown) => failure);
    expect(fault).toMatchObject({ name: 'StoreFault', message: expect.stringMatching(says) });
    expect(String(fault)).toContain(bucket);
    expect(JSON.stringify([fault, String(fault)])).not.toContain('hush-hush');
    await expect(store.put(Buffer.from('a'), 'jpg')).rejects.toMatchObject({ status: 503 });
    await expect(store.get(`/images/${'0'.repeat(64)}.jpg`)).rejects.toMatchObject({ status: 503 });
    await store.close();
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
