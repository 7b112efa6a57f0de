import type { CatalogImage } from '../models/indexing/embedding-version';
import type { EmbeddingRepository, IndexQueue, Logger } from '../models/ports';

const BATCH_IMAGES = 256;

/** How often the catalog is looked over. */
export interface LookSettings {
  readonly everyMs: number;
}

/**
 * Sees to images that nobody embeds: those of an import that did not wait, or that was killed. An image counts as
 * abandoned when it is the first in line at two looks in a row; while an import makes progress, the line moves and is
 * left to it. Several processes may look at once: embedding is safe to repeat.
 */
export class AbandonedImages {
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();
  #stopped = false;
  #lastFirst: number | null = null;

  constructor(
    private readonly embeddings: EmbeddingRepository,
    private readonly queue: IndexQueue,
    private readonly logger: Logger,
    private readonly settings: LookSettings,
  ) {}

  /** Looks now, then from time to time until `stop`. */
  start(): void {
    if (this.#stopped) return;
    this.#running = this.look().catch((failure: unknown) => {
      this.logger.warn({ reason: String(failure) }, 'looking for images to embed failed; trying again');
    });
    void this.#running.then(() => {
      if (this.#stopped) return;
      this.#timer = setTimeout(() => this.start(), this.settings.everyMs).unref();
    });
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#running;
  }

  /** One look; embeds what is abandoned. @throws what a store or the queue throws */
  async look(): Promise<void> {
    const version = await this.embeddings.live();
    if (!version) return;
    const [first] = await this.embeddings.pending(version.id, 1, 0);
    const abandoned = first !== undefined && first.id === this.#lastFirst;
    this.#lastFirst = first?.id ?? null;
    if (!abandoned) return;
    this.logger.info({ version: version.id }, 'embedding images that nobody sees to');
    let after = 0;
    for (let batch = await this.#batch(version.id, after); batch.length > 0; ) {
      if (this.#stopped) return;
      await this.queue.embed(version.id, batch);
      after = batch.at(-1)?.id ?? after;
      batch = await this.#batch(version.id, after);
    }
    await this.embeddings.buildIndex(version.id);
  }

  #batch(versionId: number, after: number): Promise<readonly CatalogImage[]> {
    return this.embeddings.pending(versionId, BATCH_IMAGES, after);
  }
}
