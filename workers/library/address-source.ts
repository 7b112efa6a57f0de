import { createHash } from 'node:crypto';
import { constants, copyFile, link } from 'node:fs/promises';
import type { Progress } from '../../models/ports';
import { MANIFEST_FILE } from '../embedder/manifest';
import { download, type TimeLimit } from './download';
import type { ModelSource } from './model-source';
import { type WorkFolder, workFolder } from './work-folder';

/** A model whose files lie beside its manifest on a web server. */
export class AddressSource implements ModelSource {
  readonly named = 'manifest';
  readonly #works: WorkFolder[] = [];

  /**
   * @param work where downloads lie until the model is installed
   * @param limit of time, for all files together
   */
  constructor(
    private readonly manifest: URL,
    private readonly work: string,
    private readonly progress: Progress,
    private readonly limit: TimeLimit,
  ) {}

  async bring(name: string, target: string, digest: string | null, bytesMax: number): Promise<void> {
    const url = name === MANIFEST_FILE ? this.manifest : new URL(name, this.manifest);
    const folder = await downloadFolder(this.work, url);
    this.#works.push(folder);
    const { progress, limit } = this;
    const file = await download(url, { folder: folder.path, digest, bytesMax, progress, limit });
    // The download stays until all of the model is here, so that nothing is fetched twice after a kill.
    await link(file, target).catch(() => copyFile(file, target, constants.COPYFILE_EXCL));
  }

  keep(): void {
    for (const folder of this.#works) folder.release();
  }

  async discard(): Promise<void> {
    await Promise.all(this.#works.map((folder) => folder.remove()));
  }
}

/** The folder in which what there is of an address is kept. */
export const downloadFolder = (work: string, url: URL): Promise<WorkFolder> =>
  workFolder(work, createHash('sha256').update(url.href).digest('hex').slice(0, 32));
