import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { createDurably, renameDurably, syncTree, writeDurably } from '../../db/files/durable-files';
import { temporaryFolder } from '../support/temporary-folder';

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
