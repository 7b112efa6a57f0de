import type { Response } from 'express';
import { callerOf, onceClosed } from './call';
import type { MemoryBudget } from './memory-budget';
import type { AnswerMade } from './send-rows';

/** How large the page is that a call asks for; rows with prices are several times larger than others. */
export interface PageAsked {
  readonly rows: number;
  readonly priced: boolean;
}

/** Heap that a byte of an answer takes while it is made: what the database sent, its rows, their text. */
const HEAP_PER_BYTE = 8;
/** A row of JSON until the first is seen: as large as any of the generated catalogs. */
const ROW_BYTES = { priced: 24 * 1024, plain: 4 * 1024 };
/** Of what was seen last and before: one large page counts at once, and is forgotten over the next dozens. */
const FORGOTTEN = 0.05;

/** Memory for the answers with pages, by the size of the rows that were answered lately. */
export class PageMemory {
  readonly #rowBytes = { ...ROW_BYTES };

  constructor(private readonly budget: MemoryBudget) {}

  /**
   * Waits until there is memory for the answer of a call; it is given back when the answer has been taken.
   *
   * @returns wants to be told how large the answer became
   * @throws AppError 503 for who waits too long
   */
  async reserve(res: Response, { rows, priced }: PageAsked): Promise<AnswerMade> {
    const sort = priced ? 'priced' : 'plain';
    const reservation = this.budget.open(callerOf(res).keyId);
    onceClosed(res, () => reservation.close());
    await reservation.resize(rows * this.#rowBytes[sort] * HEAP_PER_BYTE);
    return (made, bytes) => {
      if (made === 0) return;
      const seen = bytes / made;
      const known = this.#rowBytes[sort];
      this.#rowBytes[sort] = Math.max(seen, known + (seen - known) * FORGOTTEN);
    };
  }
}
