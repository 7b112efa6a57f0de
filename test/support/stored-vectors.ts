import type { Knex } from 'knex';
import { type EmbeddingRepository, type IndexQueue, PORTS } from '../../models/ports';
import type { EmbeddingVersion } from '../../models/vision/embedding-model';
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

/**
 * For the tests of a file the pictures at these addresses are embedded, each as a unit vector at so many degrees from a
 * common direction, and no others; afterwards none is.
 */
export function useEmbeddedPictures(service: TestService, degrees: Readonly<Record<string, number>>): void {
  beforeAll(async () => {
    service.closing.push(() => forget(service));
    await forget(service);
    const { id, manifest } = await live(service);
    const images = await service.resolve<Knex>(PORTS.Knex)('images').whereIn('address', Object.keys(degrees));
    const vectorOf = (address: string) => {
      const angle = ((degrees[address] ?? 0) * Math.PI) / 180;
      const given = [Math.cos(angle), Math.sin(angle)];
      return Float32Array.from({ length: manifest.output.dimensions }, (_, at) => given[at] ?? 0);
    };
    if (images.length !== Object.keys(degrees).length)
      throw new Error('the fixture lacks some of the pictures');
    await service.resolve<EmbeddingRepository>(PORTS.EmbeddingRepository).store(
      id,
      images.map((image) => ({
        imageId: Number(image.id),
        vectors: manifest.views.catalog.map(() => vectorOf(image.address)),
      })),
    );
  });
}

async function forget(service: TestService): Promise<void> {
  const { id } = await live(service);
  await service.resolve<Knex>(PORTS.Knex)(`embeddings_${id}`).delete();
}

async function live(service: TestService): Promise<EmbeddingVersion> {
  const version = await service.resolve<EmbeddingRepository>(PORTS.EmbeddingRepository).live();
  if (version) return version;
  throw new Error('no version is live');
}
