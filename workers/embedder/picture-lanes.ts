/** Photos of callers go before pictures of the catalog. */
export const LANES = ['query', 'catalog'] as const;
export type Lane = (typeof LANES)[number];

/** A picture that waits for an engine: its views, as rows of one inference. */
export interface WaitingPicture {
  readonly lane: Lane;
  /** Key of the model that it is for. */
  readonly model: string;
  readonly rows: readonly Uint8Array[];
  /** Whether an engine failed with it before: then it runs alone, so that it can harm no other. */
  failedBefore: boolean;
  resolve(vectors: readonly Float32Array[]): void;
  reject(failure: Error): void;
}

/** Pictures in the order in which they are served. */
export class PictureLanes {
  readonly #lanes: Readonly<Record<Lane, WaitingPicture[]>> = { query: [], catalog: [] };

  waiting(lane: Lane): number {
    return this.#lanes[lane].length;
  }

  add(picture: WaitingPicture): void {
    this.#lanes[picture.lane].push(picture);
  }

  /** Back to the head of its lane, for a second try. */
  putBack(picture: WaitingPicture): void {
    this.#lanes[picture.lane].unshift(picture);
  }

  /**
   * The next batch for one of `idle` engines: pictures of the first lane that has any, for one model, at most
   * `rowsMax` rows, and no more than this engine's share of what waits. Empty when nothing waits.
   */
  take(rowsMax: number, idle: number): WaitingPicture[] {
    const lane = LANES.map((each) => this.#lanes[each]).find((each) => each.length > 0);
    const first = lane?.shift();
    if (!lane || !first) return [];
    if (first.failedBefore) return [first];
    const batch = [first];
    let rows = first.rows.length;
    const share = Math.ceil((rows + lane.reduce((sum, each) => sum + each.rows.length, 0)) / idle);
    for (let next = lane[0]; next; next = lane[0]) {
      const fits = rows + next.rows.length <= Math.min(rowsMax, share);
      if (!fits || next.model !== first.model || next.failedBefore) break;
      batch.push(next);
      rows += next.rows.length;
      lane.shift();
    }
    return batch;
  }

  /** Everything that waits, removed. */
  drain(): WaitingPicture[] {
    return LANES.flatMap((lane) => this.#lanes[lane].splice(0));
  }
}
