import { EventEmitter, once } from 'node:events';
import type { SearchScope } from '../../models/catalog/catalog-query';
import { noWorker, unavailable } from '../../models/errors';
import type { CatalogRepository, NeighbourRequest, VisionQueue } from '../../models/ports';
import type { Neighbour, Neighbourhood, SearchedVersion } from '../../models/vision/neighbours';

type Behaviour = 'answers' | 'holds' | 'fails' | 'never answers';

/** The way to the workers, with workers that see what a test says. */
export class VisionQueueFake implements VisionQueue {
  /** As of a process that looks at photos itself. */
  readonly viewSize = { side: 400, kernel: 'lanczos3' } as const;
  calls = 0;
  /** The last that was asked. */
  request: NeighbourRequest | null = null;
  private behaviour: Behaviour = 'answers';
  private away = false;
  private photosWaiting = 0;
  private workersThere = 1;
  private neighboursSeen: readonly Neighbour[] = [];
  private readonly events = new EventEmitter();

  constructor(
    private readonly version: () => Promise<SearchedVersion>,
    private readonly showing: (
      imageIds: readonly number[],
      scope: SearchScope,
    ) => ReturnType<CatalogRepository['productsShowing']>,
  ) {}

  /** Every photo looks like these catalog images. */
  sees(neighbours: readonly Neighbour[]): void {
    this.neighboursSeen = neighbours;
    this.behaviour = 'answers';
  }

  fails(): void {
    this.behaviour = 'fails';
  }

  neverAnswers(): void {
    this.behaviour = 'never answers';
  }

  /** Answers nothing until the returned function is called. */
  holds(): () => void {
    this.behaviour = 'holds';
    return () => {
      this.behaviour = 'answers';
      this.events.emit('go');
    };
  }

  reset(): void {
    this.behaviour = 'answers';
    this.calls = 0;
    this.away = false;
    this.photosWaiting = 0;
    this.workersThere = 1;
  }

  hasWorkers(workers: number): void {
    this.workersThere = workers;
  }

  /** So many photos wait before the workers. */
  isWaitedFor(photos: number): void {
    this.photosWaiting = photos;
  }

  isAway(away: boolean): void {
    this.away = away;
  }

  /** Resolves once so many calls have come since the last reset. */
  async asked(calls = 1): Promise<void> {
    while (this.calls < calls) await once(this.events, 'asked');
  }

  /** Resolves when a caller that nobody answered gave up. */
  async gaveUp(): Promise<void> {
    if (this.behaviour === 'never answers') await once(this.events, 'gave up');
  }

  async neighbours(request: NeighbourRequest): Promise<Neighbourhood> {
    this.calls += 1;
    this.request = request;
    this.events.emit('asked');
    if (this.behaviour === 'fails') throw unavailable('The workers are away.', 1);
    if (this.behaviour === 'holds') await once(this.events, 'go');
    if (this.behaviour === 'never answers') {
      await once(request.signal ?? new EventTarget(), 'abort');
      this.behaviour = 'answers';
      this.events.emit('gave up');
      throw new DOMException('The caller gave up.', 'AbortError');
    }
    const seen = this.neighboursSeen.slice(0, request.limit);
    const showing = await this.showing(
      seen.map(({ imageId }) => imageId),
      request.scope,
    );
    return {
      version: await this.version(),
      neighbours: seen.map((each) => ({
        byView: request.images.map(() => each.distance),
        ...each,
        products: showing.get(each.imageId) ?? [],
      })),
      timings: { queueMs: 1, embedMs: 2, neighboursMs: 3 },
    };
  }

  async admit(): Promise<void> {
    if (this.workersThere === 0) throw noWorker();
  }

  async enter(): Promise<{ leave(): void }> {
    return { leave: () => undefined };
  }

  async workers(): Promise<number> {
    return this.workersThere;
  }

  async ping(): Promise<void> {
    if (this.away) throw unavailable('The queue is away.', 1);
  }

  async depth(): Promise<{ waiting: number; active: number }> {
    return { waiting: this.photosWaiting, active: 0 };
  }

  async oldestWaitingMs(): Promise<number> {
    return 1_500;
  }

  async close(): Promise<void> {}
}
