import type { CatalogImage } from '../../models/indexing/embedding-version';
import { type EmbeddingRepository, type IndexQueue, PORTS } from '../../models/ports';
import { gate } from './gate';
import type { TestService } from './service';

/** Workers of pictures that compute nothing: what they are let do is stored, and what they can't fetch is listed. */
export class StoredVectors implements IndexQueue {
  readonly isShared = false;
  readonly embedded: CatalogImage[] = [];
  readonly unreachable = new Set<string>();
  areRunning = true;
  #held: ReturnType<typeof gate> | null = null;

  constructor(private readonly embeddings: () => EmbeddingRepository) {}

  hold(): void {
    this.#held = gate();
  }

  release(): void {
    this.#held?.open();
    this.#held = null;
  }

  async embed(versionId: number, images: readonly CatalogImage[]) {
    await this.#held?.opened;
    const embeddings = this.embeddings();
    const failed = images.filter(({ address }) => this.unreachable.has(address));
    const done = images.filter((image) => !failed.includes(image));
    this.embedded.push(...done);
    const vectors = [Float32Array.of(1, 0, 0, 0)];
    await embeddings.store(
      versionId,
      done.map(({ id }) => ({ imageId: id, vectors })),
    );
    await embeddings.recordFailures(
      versionId,
      failed.map(({ id }) => ({ imageId: id, reason: 'away' })),
    );
    return { embedded: done.length, failed: failed.length };
  }

  async close(): Promise<void> {}
}

const TWO_PICTURES: Readonly<Record<string, number>> = {
  'https://pictures.example/birkin_croc-30.jpg': 0,
  'https://pictures.example/speedy_epi.jpg': 10,
};

/** Embeds these addresses alone, each as a unit vector at so many degrees from a common direction. */
export function useEmbeddedPictures(service: TestService, degrees = TWO_PICTURES): void {
  beforeAll(async () => {
    const { id, manifest } = await service.liveVersion();
    const images = await service.knex('images').whereIn('address', Object.keys(degrees));
    if (images.length !== Object.keys(degrees).length)
      throw new Error('the fixture lacks some of the pictures');
    const vectorOf = (address: string) => {
      const angle = ((degrees[address] ?? 0) * Math.PI) / 180;
      const given = [Math.cos(angle), Math.sin(angle)];
      return Float32Array.from({ length: manifest.output.dimensions }, (_, at) => given[at] ?? 0);
    };
    const stored = images.map((image) => ({
      imageId: Number(image.id),
      vectors: manifest.views.catalog.map(() => vectorOf(image.address)),
    }));
    await service.resolve(PORTS.EmbeddingRepository).store(id, stored);
  });
}
