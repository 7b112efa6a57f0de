import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bundledModel } from '../../../../workers/library/model-library';

/** Installs the bundled model once more under another name: as costly, and with the same vectors. */
export async function copyModel(dataDir: string, id: string): Promise<void> {
  const { folder } = await bundledModel();
  const copy = join(dataDir, 'models', id);
  await cp(folder, copy, { recursive: true });
  const file = join(copy, 'manifest.json');
  const manifest: object = JSON.parse(await readFile(file, 'utf8'));
  await writeFile(file, JSON.stringify({ ...manifest, id }));
}
