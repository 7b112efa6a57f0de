import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkStorage } from '../../db/files/durable-files';
import { temporaryFolder } from '../support/temporary-folder';

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
