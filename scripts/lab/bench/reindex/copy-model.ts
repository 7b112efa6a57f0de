import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bundledModel } from '../../../../workers/library/model-library';

/** Installs the bundled model once more under another name: as costly, and with the same vectors. */
export async function copyModel(dataDir: string, id: string): Promise<void> {
  const { folder, manifest } = await bundledModel();
  const copy = join(dataDir, 'models', `${id}@${manifest.version}`);
  await cp(folder, copy, { recursive: true });
  await writeFile(join(copy, 'manifest.json'), JSON.stringify({ ...manifest, id }));
}
