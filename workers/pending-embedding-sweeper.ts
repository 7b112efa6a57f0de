import { embedPending, maintainedVersions } from '../models/indexing/embed-pending';
import type { VersionRecord } from '../models/indexing/embedding-version';
import type { EmbeddingRepository, IndexQueue, Logger } from '../models/ports';

const BATCH_IMAGES = 256;

/**
 * Embeds images that an import did not wait for, or left when it was killed, under every maintained version: when the first
 * pending image is the same at two checks in a row. Several processes may do so at once.
 */
export class PendingEmbeddingSweeper {
  /** By version. */
  readonly #lastFirst = new Map<number, number>();

  constructor(
    private readonly embeddings: EmbeddingRepository,
    private readonly queue: IndexQueue,
    private readonly logger: Logger,
  ) {}

  /** Embeds abandoned images, for the live version first, until `signal`. @throws what a store throws */
  async run(signal: AbortSignal): Promise<void> {
    for (const version of await maintainedVersions(this.embeddings)) {
      if (await this.#isAbandoned(version)) await this.#embed(version, signal);
    }
  }

  async #isAbandoned({ id }: VersionRecord): Promise<boolean> {
    const [first] = await this.embeddings.pending(id, { afterId: 0, limit: 1 });
    const abandoned = first !== undefined && first.id === this.#lastFirst.get(id);
    if (first) this.#lastFirst.set(id, first.id);
    else this.#lastFirst.delete(id);
    return abandoned;
  }

  /** A failure for one version, such as a missing model, does not delay the others. */
  async #embed({ id, model }: VersionRecord, signal: AbortSignal): Promise<void> {
    const { embeddings, queue } = this;
    this.logger.info({ version: id, model }, 'embedding images that were left over');
    try {
      await embedPending({ embeddings, queue }, id, { batch: BATCH_IMAGES, signal });
      await embeddings.buildIndex(id);
    } catch (failure) {
      if (signal.aborted) return;
      const fields = { version: id, model, reason: String(failure) };
      this.logger.warn(fields, 'images are not embedded; trying again');
    }
  }
}
