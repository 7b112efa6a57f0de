import { type EmbeddingRepository, type IndexQueue, PORTS } from '../../models/ports';
import type { TestService } from './service';

/** Workers of pictures that compute nothing: what they are let do is stored, and what they can't fetch is listed. */
export class StoredVectors implements IndexQueue {
  readonly isShared = false;
  /** Addresses that can't be fetched. */
  readonly unreachable = new Set<string>();
  #letGo: (() => void)[] | null = null;

  constructor(private readonly service: () => TestService) {}

  /** From now on they wait. */
  hold(): void {
    this.#letGo = [];
  }

  release(): void {
    for (const go of this.#letGo ?? []) go();
    this.#letGo = null;
  }

  async embed(...[versionId, images]: Parameters<IndexQueue['embed']>) {
    await new Promise<void>((resolve) => (this.#letGo ? void this.#letGo.push(resolve) : resolve()));
    const repository = this.service().resolve<EmbeddingRepository>(PORTS.EmbeddingRepository);
    const failed = images.filter(({ address }) => this.unreachable.has(address));
    const done = images.filter(({ address }) => !this.unreachable.has(address));
    await repository.store(
      versionId,
      done.map(({ id }) => ({ imageId: id, vectors: [Float32Array.of(1, 0, 0, 0)] })),
    );
    await repository.recordFailures(
      versionId,
      failed.map(({ id }) => ({ imageId: id, reason: 'away' })),
    );
    return { embedded: done.length, failed: failed.length };
  }

  async close(): Promise<void> {}
}
