import type { CatalogImage, VersionRecord } from '../models/indexing/embedding-version';
import type { EmbeddingRepository, IndexQueue, Logger } from '../models/ports';

const BATCH_IMAGES = 256;

/** How often the catalog is looked over. */
export interface LookSettings {
  readonly everyMs: number;
}

/**
 * Sees to images that nobody embeds, under every version that is kept up: those of an import that did not wait, or that
 * was killed. An image counts as
 * abandoned when it is the first in line at two looks in a row; while an import makes progress, the line moves and is
 * left to it. Several processes may look at once: embedding is safe to repeat.
 */
export class AbandonedImages {
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();
  #stopped = false;
  /** By version. */
  readonly #lastFirst = new Map<number, number>();

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

  /** One look; embeds what is abandoned, for the live version first. @throws what a store throws */
  async look(): Promise<void> {
    const versions = (await this.embeddings.versions()).filter(({ maintained }) => maintained);
    const live = versions.filter(({ state }) => state === 'live');
    for (const version of [...live, ...versions.filter(({ state }) => state !== 'live')]) {
      if (await this.#isAbandoned(version)) await this.#embed(version);
    }
  }

  async #isAbandoned({ id }: VersionRecord): Promise<boolean> {
    const [first] = await this.embeddings.pending(id, 1, 0);
    const abandoned = first !== undefined && first.id === this.#lastFirst.get(id);
    if (first) this.#lastFirst.set(id, first.id);
    else this.#lastFirst.delete(id);
    return abandoned;
  }

  /** What stops the work for one version (its model is not here) holds up no other. */
  async #embed({ id, model }: VersionRecord): Promise<void> {
    this.logger.info({ version: id, model }, 'embedding images that nobody sees to');
    let after = 0;
    try {
      for (let batch = await this.#batch(id, after); batch.length > 0; ) {
        if (this.#stopped) return;
        await this.queue.embed(id, batch);
        after = batch.at(-1)?.id ?? after;
        batch = await this.#batch(id, after);
      }
      await this.embeddings.buildIndex(id);
    } catch (failure) {
      this.logger.warn(
        { version: id, model, reason: String(failure) },
        'images are not embedded; trying again',
      );
    }
  }

  #batch(versionId: number, after: number): Promise<readonly CatalogImage[]> {
    return this.embeddings.pending(versionId, BATCH_IMAGES, after);
  }
}
