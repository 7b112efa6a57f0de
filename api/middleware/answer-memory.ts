import type { Response } from 'express';
import { FairBudget, type Lease } from '../../models/access/fair-budget';
import { onceClosed } from './call';
import type { SizeReporter } from './send-answer';

/** How large a page a call requests; rows with prices are several times larger than others. */
export type PageRequest = Readonly<{ rows: number; priced: boolean }>;

/** Heap per byte of an answer while it is built: the database's reply, its rows, their text. */
const HEAP_PER_BYTE = 8;
/** Heap per byte of a text in transit from a store to its caller: as received, as sent, compressed. */
const HEAP_PER_TEXT_BYTE = 4;
/** Size of a row of JSON until the first is seen: as large as any of the generated catalogs. */
const ROW_BYTES = { priced: 24 * 1024, plain: 4 * 1024 };
/** A large page counts at once, and its effect fades over the next dozens of pages. */
const FORGOTTEN = 0.05;
/** Answers of this size, such as those with one item, share a second budget just as large. */
const LITTLE_BYTES = 512 * 1024;
/** Most bodies likewise share a second budget just as large. */
const LITTLE_BODY_BYTES = 64 * 1024;
/** Longer than it takes to process a burst, and shorter than callers wait. */
const WAIT_MS = 10_000;

/** Memory for answers (contract 12.7), shared by key, else by address; held until an answer is sent. */
export class AnswerMemory {
  readonly #budget: FairBudget;
  /** By kind of row, or by endpoint if an answer is not a page. */
  readonly #rowBytes = new Map<string, number>(Object.entries(ROW_BYTES));
  readonly #leases = new WeakMap<Response, Lease>();

  constructor(bytes: number) {
    this.#budget = memoryBudget('large answers', bytes, LITTLE_BYTES);
  }

  /**
   * Waits until there is memory for the answer to a call. @throws AppError 503 when it waits too long
   * @param subject the page or, if the answer is not a page, the name of an endpoint, whose answers are assumed to be as large as they were recently
   * @returns a function to call with the final size of the answer
   */
  async reserve(res: Response, subject: PageRequest | string): Promise<SizeReporter> {
    const [kind, rows] =
      typeof subject === 'string' ? [subject, 1] : [subject.priced ? 'priced' : 'plain', subject.rows];
    const known = () => this.#rowBytes.get(kind) ?? ROW_BYTES.plain;
    await this.#leaseOf(res).resize(rows * known() * HEAP_PER_BYTE);
    return (made, bytes) => {
      if (made === 0) return;
      const seen = bytes / made;
      this.#rowBytes.set(kind, Math.max(seen, known() + (seen - known()) * FORGOTTEN));
    };
  }

  /** Likewise waits for memory for a text that is sent in pieces of so many bytes. */
  async hold(res: Response, bytes: number): Promise<void> {
    await this.#leaseOf(res).resize(bytes * HEAP_PER_TEXT_BYTE);
  }

  #leaseOf(res: Response): Lease {
    const known = this.#leases.get(res);
    if (known) return known;
    const lease = this.#budget.open(res.locals.caller?.keyId ?? res.req.ip ?? '');
    this.#leases.set(res, lease);
    onceClosed(res, () => lease.close());
    return lease;
  }
}

/** Memory in bytes that calls share, by key. @param what for, in the refusal: `large bodies` */
export const memoryBudget = (what: string, units: number, littleUnits: number): FairBudget =>
  new FairBudget({
    ...{ units, littleUnits, waitMs: WAIT_MS, mayExceed: true },
    refusal: `Too many ${what} are under way; call again soon.`,
  });

/** Memory of so many bytes, for bodies and what calls fetch. */
export const bodyMemory = (bytes: number): FairBudget =>
  memoryBudget('large bodies', bytes, LITTLE_BODY_BYTES);
