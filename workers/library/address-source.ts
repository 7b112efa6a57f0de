import { createHash } from 'node:crypto';
import { copyFile, link } from 'node:fs/promises';
import type { Progress } from '../../models/ports';
import { download } from './download';
import type { ModelSource } from './model-source';
import { type WorkFolder, workFolder } from './work-folder';

/** A model whose files lie beside its manifest on a web server. */
export class AddressSource implements ModelSource {
  readonly named = 'manifest';
  readonly #works: WorkFolder[] = [];

  /** @param work where downloads lie until the model is installed */
  constructor(
    private readonly manifest: URL,
    private readonly work: string,
    private readonly progress: Progress,
  ) {}

  async bring(name: string, target: string, digest: string | null, bytesMax: number): Promise<void> {
    const url = name === 'manifest.json' ? this.manifest : new URL(name, this.manifest);
    const folder = await downloadFolder(this.work, url);
    this.#works.push(folder);
    const file = await download(url, { folder: folder.path, digest, bytesMax, progress: this.progress });
    // The download stays until all of the model is here, so that nothing is fetched twice after a kill.
    await link(file, target).catch(() => copyFile(file, target));
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
