import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import {
  checkStorage,
  createDurably,
  renameDurably,
  syncTree,
  writeDurably,
} from '../../db/files/durable-files';
import { HmacDataFileSigner, type SigningKey } from '../../db/files/hmac-data-file-signer';
import { LocalImageStore } from '../../db/files/local-image-store';
import type { DataFile } from '../../models/pricing/estimate';
import { signingKeys } from '../../scripts/composition/signing-keys';
import { readConfig } from '../../scripts/config';
import { temporaryFolder } from '../support/temporary-folder';

describe('files that outlive a crash', () => {
  /** Files that must outlive a crash: whole or as they were, at every moment. */
  let folder: string;
  beforeEach(() => {
    folder = temporaryFolder();
  });
  afterEach(() => jest.restoreAllMocks());

  /** The class of file handles is not exported; `change` gets its prototype. */
  async function ofFileHandles(change: (prototype: FileHandle) => void): Promise<void> {
    const handle = await open(__filename);
    await handle.close();
    change(Object.getPrototypeOf(handle));
  }

  test('a file that is written anew is the old one until all of it is on the disk', async () => {
    const path = join(folder, 'deep', 'note.json');
    await writeDurably(path, 'old', { mode: 0o600 });
    const seen: string[] = [];
    await ofFileHandles((prototype) => {
      const sync = prototype.sync;
      jest.spyOn(prototype, 'sync').mockImplementation(async function (this: FileHandle) {
        seen.push(readFileSync(path, 'utf8'));
        await sync.call(this);
      });
    });
    await writeDurably(path, 'new', { mode: 0o600 });
    // The bytes, then the folder that has the new name.
    expect(seen).toEqual(['old', 'new']);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(folder, 'deep'))).toEqual(['note.json']);
  });

  test.each([
    ['written anew', writeDurably],
    ['made', createDurably],
  ])('a full disk leaves what was there, and no part, of a file that is %s', async (_what, write) => {
    writeFileSync(join(folder, 'other'), 'old');
    await ofFileHandles((prototype) =>
      jest
        .spyOn(prototype, 'writeFile')
        .mockRejectedValue(Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })),
    );
    await expect(write(join(folder, write === createDurably ? 'new' : 'other'), 'new')).rejects.toThrow(
      /no space/,
    );
    expect(readdirSync(folder)).toEqual(['other']);
    expect(readFileSync(join(folder, 'other'), 'utf8')).toBe('old');
  });

  test('of many that make a file at once one succeeds, and nobody sees a part of it', async () => {
    const path = join(folder, 'keys.json');
    const texts = Array.from({ length: 16 }, (_, index) => String(index).repeat(100_000));
    const made = await Promise.all(texts.map((text) => createDurably(path, text)));
    expect(made.filter(Boolean)).toHaveLength(1);
    expect(readFileSync(path, 'utf8')).toBe(texts[made.indexOf(true)]);
    expect(readdirSync(folder)).toEqual(['keys.json']);
  });

  test('a folder is on the disk, with all that is in it, before it gets its name', async () => {
    await writeDurably(join(folder, 'draft', 'a', 'b'), 'b');
    await writeDurably(join(folder, 'draft', 'c'), 'c');
    let synced = 0;
    await ofFileHandles((prototype) => {
      const sync = prototype.sync;
      jest.spyOn(prototype, 'sync').mockImplementation(async function (this: FileHandle) {
        synced += 1;
        await sync.call(this);
      });
    });
    await syncTree(join(folder, 'draft'));
    expect(synced).toBe(4);
    await renameDurably(join(folder, 'draft'), join(folder, 'model'));
    expect(synced).toBe(5);
    expect(readFileSync(join(folder, 'model', 'a', 'b'), 'utf8')).toBe('b');
  });
});

const FILE: DataFile = { kind: 'pricing_data', variantId: 'variant_a/b?c', region: 'EU-UK' };
const EXPIRES = new Date('2026-03-01T13:00:00.900Z');
const BEFORE = new Date('2026-03-01T12:59:59.999Z');
const OLD: SigningKey = { id: 'old', secret: 'a secret of some length' };
const NEW: SigningKey = { id: 'new', secret: 'another secret, as long' };

const queryOf = (path: string | null) =>
  Object.fromEntries(new URL(path ?? '', 'https://loupe').searchParams);

describe('a data-file address', () => {
  const signer = new HmacDataFileSigner([NEW, OLD]);
  const path = signer.sign(FILE, EXPIRES);
  const query = queryOf(path);

  test('names kind, variant and region in its path and is signed by the first key', () => {
    expect(path).toMatch(
      /^\/files\/pricing_data\/variant_a%2Fb%3Fc\/EU-UK\.csv\?expires=1772370000&key=new&signature=[\w-]{43}$/,
    );
    expect(signer.verify(FILE, query, BEFORE)).toBe(true);
  });

  test('is refused with any other letter anywhere in its signature', () => {
    const signature = query['signature'] ?? '';
    for (let index = 0; index < signature.length; index++) {
      const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_='.replace(
        signature.charAt(index),
        '',
      );
      for (const letter of letters) {
        const tampered = signature.slice(0, index) + letter + signature.slice(index + 1);
        expect(signer.verify(FILE, { ...query, signature: tampered }, BEFORE)).toBe(false);
      }
    }
  });
});

describe('the folder of images', () => {
  const folder = temporaryFolder();
  const store = new LocalImageStore(folder);
  const bytes = Buffer.from('a picture');
  const digest = createHash('sha256').update(bytes).digest('hex');
  const stored = join(folder, digest.slice(0, 2), digest.slice(2, 4));

  test('mends a file that a crash left short, and leaves nothing beside it', async () => {
    await store.put(bytes, 'jpg');
    truncateSync(join(stored, `${digest}.jpg`), 3);
    await store.put(bytes, 'jpg');
    expect(await store.get(`/images/${digest}.jpg`)).toEqual(bytes);
    expect(readdirSync(stored)).toEqual([`${digest}.jpg`]);
  });

  test('answers 503 where it can not write, and leaves nothing half written', async () => {
    const blocked = join(folder, 'no-folder');
    writeFileSync(blocked, '');
    await expect(new LocalImageStore(blocked).put(bytes, 'jpg')).rejects.toMatchObject({ status: 503 });
  });
});

describe('signing keys', () => {
  /** contract 14: keys that nobody gave are made at the first start and kept in DATA_DIR. */
  let DATA_DIR: string;
  let file: string;
  beforeEach(() => {
    DATA_DIR = temporaryFolder();
    file = join(DATA_DIR, 'signing-keys.json');
  });

  const keysOf = (settings: Record<string, string> = {}) =>
    signingKeys(readConfig({ DATA_DIR, ...settings }));

  test('keys are made once, for processes that start at once too, and only their owner can read them', async () => {
    const all = await Promise.all(Array.from({ length: 8 }, () => keysOf()));
    expect(new Set(all.map((keys) => JSON.stringify(keys))).size).toBe(1);
    expect(all[0]).toEqual([{ id: 'k1', secret: expect.stringMatching(/^[\w-]{43}$/) }]);
    expect(await keysOf()).toEqual(all[0]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test.each([
    ['empty', ''],
    ['torn', '[{"id":"k1","secret":"hunter2hunter2hun'],
    ['without keys', '[]'],
    ['with a short secret', '[{"id":"k1","secret":"hunter2"}]'],
    ['with an id that can not stand in a link', '[{"id":"","secret":"hunter2hunter2hunter2"}]'],
  ])(
    'a file of keys that is %s is named with what to do, left as it is, and not shown',
    async (_what, text) => {
      writeFileSync(file, text);
      const failure = await keysOf().catch(String);
      expect(failure).toContain(file);
      expect(failure).toMatch(/backup.*SIGNING_KEYS.*delete it/);
      expect(failure).not.toMatch(/SyntaxError|hunter2/);
      expect(readFileSync(file, 'utf8')).toBe(text);
      const SIGNING_KEYS = 'mine:0123456789abcdef';
      expect(await keysOf({ SIGNING_KEYS })).toEqual([{ id: 'mine', secret: '0123456789abcdef' }]);
    },
  );
});

describe('the check of the data folder', () => {
  let folder: string;

  beforeEach(() => {
    folder = temporaryFolder();
  });

  test('passes where a file can be written, and leaves none', async () => {
    await checkStorage(folder, 1);
    expect(readdirSync(folder)).toEqual([]);
  });

  test('fails when less than the minimum is free, and says how much is wanted', async () => {
    await expect(checkStorage(folder, Number.MAX_SAFE_INTEGER)).rejects.toMatchObject({
      status: 503,
      message: expect.stringContaining(String(Number.MAX_SAFE_INTEGER)),
    });
  });

  test('fails with the reason, and without the path, where nothing can be written', async () => {
    const file = join(folder, 'file');
    writeFileSync(file, '');
    for (const place of [file, join(folder, 'missing')]) {
      const failure: unknown = await checkStorage(place, 0).catch((error: unknown) => error);
      expect(failure).toMatchObject({ status: 503, message: expect.stringMatching(/ENOTDIR|ENOENT/) });
      expect(String(failure)).not.toContain(place);
    }
  });
});
