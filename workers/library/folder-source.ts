import { constants, copyFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ModelRefused } from '../embedder/manifest';
import { type ModelSource, tooLarge } from './model-source';

/** A model in a folder of this machine. */
export function folderSource(folder: string, named: ModelSource['named'] = 'manifest'): ModelSource {
  return {
    named,
    bring: async (name, target, _digest, bytesMax) => {
      const found = await stat(join(folder, name)).catch(() => null);
      if (!found?.isFile()) throw new ModelRefused(folder, `there is no file ${name}`);
      if (found.size > bytesMax) throw tooLarge(folder, name, bytesMax);
      await copyFile(join(folder, name), target, constants.COPYFILE_EXCL);
    },
    keep: () => undefined,
    discard: async () => undefined,
  };
}
