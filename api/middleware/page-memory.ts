import type { Request, RequestHandler } from 'express';
import { callerOf } from './call';
import { onceClosed } from './hang-up';
import './locals';
import type { MemoryBudget } from './memory-budget';

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

/**
 * Has a call for a page wait, before anything is done for it, until there is memory for its answer; by the size of the rows
 * that were answered lately. 503 for who waits too long. The memory is given back when the answer has been taken.
 *
 * @param pageOf the page that a call asks for, of parameters that are not validated yet
 */
export class PageMemory {
  readonly #rowBytes = { ...ROW_BYTES };

  constructor(private readonly budget: MemoryBudget) {}

  gate(pageOf: (req: Request) => PageAsked): RequestHandler {
    return async (req, res, next) => {
      const { rows, priced } = pageOf(req);
      const sort = priced ? 'priced' : 'plain';
      const reservation = this.budget.open(callerOf(res).keyId);
      onceClosed(res, () => reservation.close());
      await reservation.resize(rows * this.#rowBytes[sort] * HEAP_PER_BYTE);
      res.locals.answerMade = (made, bytes) => {
        if (made > 0) this.#learn(sort, bytes / made);
      };
      next();
    };
  }

  #learn(sort: keyof typeof ROW_BYTES, bytes: number): void {
    const known = this.#rowBytes[sort];
    this.#rowBytes[sort] = Math.max(bytes, known + (bytes - known) * FORGOTTEN);
  }
}

/** The page of unvalidated parameters: what is malformed is refused later, and asks for nothing. */
export function pageAsked(size: unknown, priced: boolean, pageSizeMax: number): PageAsked {
  const rows = size === undefined || size === null ? PAGE_SIZE : Number(size);
  return { rows: rows >= 1 ? Math.min(rows, pageSizeMax) : 1, priced };
}

/** Of a call that does not say. */
const PAGE_SIZE = 20;
