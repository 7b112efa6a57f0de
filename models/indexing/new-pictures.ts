import { inject, injectable } from 'tsyringe';
import { type EmbeddingRepository, type IndexQueue, type Logger, PORTS } from '../ports';
import { maintainedVersions } from './embed-pending';

const PRODUCTS_AT_ONCE = 200;

/** Embeds the pictures of newly written products in the background (contract 15.4); `PendingEmbeddingSweeper` retries failures. */
@injectable()
export class NewPictures {
  readonly #waiting = new Set<string>();
  #works = false;

  constructor(
    @inject(PORTS.EmbeddingRepository) private readonly embeddings: EmbeddingRepository,
    @inject(PORTS.IndexQueue) private readonly queue: IndexQueue,
    @inject(PORTS.Logger) private readonly logger: Logger,
  ) {}

  add(productIds: readonly string[]): void {
    for (const id of productIds) this.#waiting.add(id);
    if (!this.#works) void this.#work();
  }

  async #work(): Promise<void> {
    this.#works = true;
    while (this.#waiting.size > 0) {
      const ids = [...this.#waiting].slice(0, PRODUCTS_AT_ONCE);
      for (const id of ids) this.#waiting.delete(id);
      await this.#embed(ids).catch((failure: unknown) =>
        this.logger.warn({ reason: String(failure) }, 'new pictures are not embedded yet'),
      );
    }
    this.#works = false;
  }

  async #embed(productIds: readonly string[]): Promise<void> {
    for (const { id } of await maintainedVersions(this.embeddings)) {
      const images = await this.embeddings.unembedded(id, productIds);
      if (images.length > 0) await this.queue.embed(id, images);
      // Not while more are waiting: it may take minutes with many vectors.
      if (this.#waiting.size === 0) await this.embeddings.buildIndex(id);
    }
  }
}
