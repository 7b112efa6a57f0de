import { EventEmitter, once } from 'node:events';
import type { SearchScope } from '../../models/catalog/catalog-query';
import { noWorker, unavailable } from '../../models/errors';
import type { CatalogRepository, NeighbourRequest, VisionQueue } from '../../models/ports';
import { NEIGHBOURS } from '../../models/vision/candidates';
import type { Neighbour, Neighbourhood, SearchedVersion } from '../../models/vision/neighbours';

/** The queue to the workers, with workers that see what a test says. */
export class VisionQueueFake implements VisionQueue {
  readonly takesPixels = true;
  calls = 0;
  request: NeighbourRequest | null = null;
  behaviour: 'answers' | 'holds' | 'fails' | 'never answers' = 'answers';
  isAway = false;
  photosWaiting = 0;
  workerCount = 1;
  private seen: readonly Neighbour[] = [];
  private readonly events = new EventEmitter();

  constructor(
    private readonly version: () => Promise<SearchedVersion>,
    private readonly showing: (
      imageIds: readonly number[],
      scope: SearchScope,
    ) => ReturnType<CatalogRepository['productsShowing']>,
  ) {}

  reset(): void {
    const { calls, behaviour, isAway, photosWaiting, workerCount } = new VisionQueueFake(
      this.version,
      this.showing,
    );
    Object.assign(this, { calls, behaviour, isAway, photosWaiting, workerCount });
  }

  sees(neighbours: readonly Neighbour[]): void {
    this.seen = neighbours;
    this.behaviour = 'answers';
  }

  holds(): () => void {
    this.behaviour = 'holds';
    return () => {
      this.behaviour = 'answers';
      this.events.emit('go');
    };
  }

  /** Resolves once this many calls have arrived since the last reset. */
  async asked(calls = 1): Promise<void> {
    while (this.calls < calls) await once(this.events, 'asked');
  }

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
    const seen = this.seen.slice(0, NEIGHBOURS);
    const ids = seen.map(({ imageId }) => imageId);
    const showing = await this.showing(ids, request.scope);
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

  async admit() {
    if (this.workerCount === 0) throw noWorker();
    return { release: () => undefined };
  }

  async ping(): Promise<void> {
    if (this.isAway) throw unavailable('The queue is away.', 1);
  }

  readonly workers = async () => this.workerCount;
  readonly depth = async () => ({ waiting: this.photosWaiting, active: 0 });
  readonly oldestWaitingMs = async () => 1_500;
  readonly close = async () => undefined;
}
