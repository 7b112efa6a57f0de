/** Photos of callers go before pictures of the catalog. */
export const LANES = ['query', 'catalog'] as const;
export type Lane = (typeof LANES)[number];

/** A photo that comes waits for the batch in work: few pictures of the catalog are as quick, view by view, as many. */
const CATALOG_ROWS_MAX = 3;

/** One view of a picture that waits for an engine. */
export interface WaitingView {
  readonly lane: Lane;
  /** Key of the model that it is for. */
  readonly model: string;
  /** Width x height x 3 bytes, red, green and blue. */
  readonly pixels: Uint8Array;
  /** Whether an engine failed with it before: then it runs alone, so that it can harm no other. */
  failedBefore: boolean;
  resolve(vector: Float32Array): void;
  reject(failure: Error): void;
}

/** Views in the order in which they are served. */
export class ViewLanes {
  readonly #lanes: Readonly<Record<Lane, WaitingView[]>> = { query: [], catalog: [] };

  add(view: WaitingView): void {
    this.#lanes[view.lane].push(view);
  }

  /** Back to the head of its lane, for a second try. */
  putBack(view: WaitingView): void {
    this.#lanes[view.lane].unshift(view);
  }

  /**
   * The next batch for one of so many `engines`: views of the first lane that has any, for one model, at most `rowsMax`, and
   * no more than its share of what waits, so that something is left for those that are busy yet, and all end at about the same
   * time. Empty when nothing waits in the lanes that are open.
   */
  take(rowsMax: number, engines: number, open: readonly Lane[] = LANES): WaitingView[] {
    const lane = open.map((each) => this.#lanes[each]).find((each) => each.length > 0);
    const first = lane?.[0];
    if (!lane || !first) return [];
    if (first.failedBefore) return lane.splice(0, 1);
    const share = Math.ceil(lane.length / engines);
    const most = Math.min(rowsMax, share, first.lane === 'catalog' ? CATALOG_ROWS_MAX : share);
    const other = lane.findIndex(({ model, failedBefore }) => failedBefore || model !== first.model);
    return lane.splice(0, other < 0 ? most : Math.min(most, other));
  }

  /** Everything that waits, removed. */
  drain(): WaitingView[] {
    return LANES.flatMap((lane) => this.#lanes[lane].splice(0));
  }
}
