import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { verifyArchive } from '../../db/backup/archive';
import * as durable from '../../db/files/durable-files';
import { LocalImageStore } from '../../db/files/local-image-store';
import { DRAFT, sweepFiles } from '../../scripts/composition/housekeeping';
import { signingKeys } from '../../scripts/composition/signing-keys';
import { readConfig } from '../../scripts/config';
import { temporaryFolder } from '../support/temporary-folder';

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});

test.each(['SIGINT', 'SIGTERM', null] as const)(
  'work folders end with %s, or when they are closed',
  async (signal) => {
    const exit = jest.spyOn(process, 'exit').mockImplementation(() => process.emit('exit', 0) as never);
    const works = [1, 2].map(() => durable.openWorkFolder(join(folder, 'deep', '.work-')));
    for (const { path } of works) writeFileSync(join(path, 'part'), '');
    if (signal) process.emit(signal, signal);
    else for (const work of works) await work.close();
    expect(readdirSync(join(folder, 'deep'))).toEqual([]);
    expect([process.listenerCount('SIGINT'), process.listenerCount('SIGTERM')]).toEqual([0, 0]);
    expect(exit.mock.calls).toEqual(signal ? [[{ SIGINT: 130, SIGTERM: 143 }[signal]]] : []);
  },
);

describe('files that must outlive a crash', () => {
  /** The prototype of file handles, whose class is not exported. */
  async function fileHandles(): Promise<FileHandle> {
    const handle = await open(__filename);
    await handle.close();
    return Object.getPrototypeOf(handle);
  }

  async function atEachSync<Note>(note: () => Note): Promise<Note[]> {
    const prototype = await fileHandles();
    const sync = prototype.sync;
    const notes: Note[] = [];
    jest.spyOn(prototype, 'sync').mockImplementation(async function (this: FileHandle) {
      notes.push(note());
      await sync.call(this);
    });
    return notes;
  }

  test('a rewritten file stays the old one until all of the new one is on the disk', async () => {
    const path = join(folder, 'deep', 'note.json');
    await durable.writeDurably(path, 'old', 0o600);
    const seen = await atEachSync(() => readFileSync(path, 'utf8'));
    await durable.writeDurably(path, 'new', 0o600);
    // First the file is synced, then its folder.
    expect(seen).toEqual(['old', 'new']);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(folder, 'deep'))).toEqual(['note.json']);
  });

  test.each([
    ['written anew', durable.writeDurably, 'other'],
    ['made', durable.createDurably, 'new'],
  ])('a full disk leaves what was there, and no part, of a file that is %s', async (_what, write, name) => {
    writeFileSync(join(folder, 'other'), 'old');
    const full = Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
    jest.spyOn(await fileHandles(), 'writeFile').mockRejectedValue(full);
    await expect(write(join(folder, name), 'new')).rejects.toThrow(/no space/);
    expect(readdirSync(folder)).toEqual(['other']);
    expect(readFileSync(join(folder, 'other'), 'utf8')).toBe('old');
  });

  test('of many processes that create a file at once one succeeds, and nobody sees a partial file', async () => {
    const path = join(folder, 'keys.json');
    const texts = Array.from({ length: 16 }, (_, index) => String(index).repeat(100_000));
    const made = await Promise.all(texts.map((text) => durable.createDurably(path, text)));
    expect(made.filter(Boolean)).toHaveLength(1);
    expect(readFileSync(path, 'utf8')).toBe(texts[made.indexOf(true)]);
    expect(readdirSync(folder)).toEqual(['keys.json']);
  });

  test('the draft of a picture is above the folders of pictures, where it is removed after its process was killed', async () => {
    const drafts = () => readdirSync(folder).filter((name) => name.endsWith('.part'));
    const seen = await atEachSync(() => drafts().length);
    await new LocalImageStore(folder).put(Buffer.from('a picture'), 'jpg');
    expect(seen).toEqual([1, 0]);
    writeFileSync(join(folder, '.a.part'), '');
    const sweep = (before: number) => sweepFiles([join(folder, 'none'), folder], DRAFT, new Date(before));
    expect([await sweep(0), drafts().length]).toEqual([0, 1]);
    expect([await sweep(Date.now() + 60_000), drafts().length]).toEqual([1, 0]);
  });

  test('a folder is on the disk, with everything in it, before it gets its name', async () => {
    await durable.writeDurably(join(folder, 'draft', 'a', 'b'), 'b');
    await durable.writeDurably(join(folder, 'draft', 'c'), 'c');
    const syncs = await atEachSync(() => null);
    await durable.syncTree(join(folder, 'draft'));
    expect(syncs).toHaveLength(4);
    await durable.renameDurably(join(folder, 'draft'), join(folder, 'model'));
    expect(syncs).toHaveLength(5);
    expect(readFileSync(join(folder, 'model', 'a', 'b'), 'utf8')).toBe('b');
  });
});

describe('the folder of images', () => {
  const bytes = Buffer.from('a picture');
  const digest = createHash('sha256').update(bytes).digest('hex');

  test('repairs a file that a crash left short, and leaves nothing beside it', async () => {
    const store = new LocalImageStore(folder);
    const stored = join(folder, digest.slice(0, 2), digest.slice(2, 4));
    await store.put(bytes, 'jpg');
    truncateSync(join(stored, `${digest}.jpg`), 3);
    await store.put(bytes, 'jpg');
    expect(await store.get(`/images/${digest}.jpg`)).toEqual(bytes);
    expect(readdirSync(stored)).toEqual([`${digest}.jpg`]);
  });

  test('answers 503 where it cannot write', async () => {
    const blocked = join(folder, 'no-folder');
    writeFileSync(blocked, '');
    await expect(new LocalImageStore(blocked).put(bytes, 'jpg')).rejects.toMatchObject({ status: 503 });
  });
});

/** contract 14: keys that nobody set are made at the first start and kept in DATA_DIR. */
describe('signing keys', () => {
  const keysOf = (settings: Record<string, string> = {}) =>
    signingKeys(readConfig({ DATA_DIR: folder, ...settings }));

  test('are made once, even by processes that start together, and only their owner can read them', async () => {
    const all = await Promise.all(Array.from({ length: 8 }, () => keysOf()));
    expect(new Set(all.map((keys) => JSON.stringify(keys))).size).toBe(1);
    expect(all[0]).toEqual([{ id: 'k1', secret: expect.stringMatching(/^[\w-]{43}$/) }]);
    expect(await keysOf()).toEqual(all[0]);
    expect(statSync(join(folder, 'signing-keys.json')).mode & 0o777).toBe(0o600);
  });

  test.each([
    ['empty', ''],
    ['torn', '[{"id":"k1","secret":"hunter2hunter2hun'],
    ['without keys', '[]'],
    ['with a short secret', '[{"id":"k1","secret":"hunter2"}]'],
    ['with an id that cannot stand in a link', '[{"id":"","secret":"hunter2hunter2hunter2"}]'],
  ])('of a file that is %s are named with what to do, and neither changed nor shown', async (_, text) => {
    const file = join(folder, 'signing-keys.json');
    writeFileSync(file, text);
    const failure = await keysOf().catch(String);
    expect(failure).toContain(file);
    expect(failure).toMatch(/backup.*SIGNING_KEYS.*delete it/);
    expect(failure).not.toMatch(/SyntaxError|hunter2/);
    expect(readFileSync(file, 'utf8')).toBe(text);
    const SIGNING_KEYS = 'mine:0123456789abcdef';
    expect(await keysOf({ SIGNING_KEYS })).toEqual([{ id: 'mine', secret: '0123456789abcdef' }]);
  });
});

test('the check of the data folder leaves no file, and says how much space is needed when less is free', async () => {
  await durable.checkStorage(folder, 1);
  expect(readdirSync(folder)).toEqual([]);
  const message = expect.stringContaining(String(Number.MAX_SAFE_INTEGER));
  await expect(durable.checkStorage(folder, Number.MAX_SAFE_INTEGER)).rejects.toMatchObject({
    status: 503,
    message,
  });
});

test('the check of the data folder fails with the reason, and without the path, where nothing can be written', async () => {
  writeFileSync(join(folder, 'file'), '');
  for (const place of [join(folder, 'file'), join(folder, 'missing')]) {
    const failure: unknown = await durable.checkStorage(place, 0).catch((error: unknown) => error);
    expect(failure).toMatchObject({ status: 503, message: expect.stringMatching(/ENOTDIR|ENOENT/) });
    expect(String(failure)).not.toContain(place);
  }
});

test.each([
  ['missing', join(__dirname, 'no-such-file.tar')],
  ['a folder', __dirname],
])('a backup that is %s cannot be read, which is not called damage', async (_what, file) => {
  await expect(verifyArchive(file)).rejects.toThrow(new RegExp(`^${file} cannot be read: E(NOENT|ISDIR)`));
});
