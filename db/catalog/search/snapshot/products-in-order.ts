import type { Knex } from 'knex';
import { constant, rowsOf, sql } from '../../../core/sql';

/** What a snapshot needs to know of a product. */
export interface OrderedProduct {
  readonly id: string;
  readonly category: string;
  readonly popularity: number;
  /** Facets and words. */
  readonly terms: readonly string[];
}

/** So many are read at once; a chunk of a snapshot is a multiple of it. */
const PRODUCTS_AT_ONCE = 4_096;

/** Facets and words of a product as one text: arrays take the driver longer to read. Neither holds a line feed. */
const PRODUCT_TERMS = sql`array_to_string(facets || tsvector_to_array(words), E'\\n')`;

/** The facets and words of such a text. */
const termsIn = (text: string): string[] => (text === '' ? [] : text.split('\n'));

interface Line extends Omit<OrderedProduct, 'terms'> {
  readonly terms: string;
}

/**
 * All products by falling popularity, then id, in lists of a power of two, the last one shorter. The next list is on
 * its way while one is worked on. For a transaction, once.
 */
export async function* productsInOrder(trx: Knex): AsyncGenerator<readonly OrderedProduct[]> {
  // All of them are read: the planner else takes a cursor for one that is left early.
  await rowsOf(trx, sql`SET LOCAL cursor_tuple_fraction = 1`);
  await rowsOf(
    trx,
    sql`DECLARE products_in_order NO SCROLL CURSOR FOR
        SELECT id, category, popularity, ${PRODUCT_TERMS} AS terms
        FROM catalog_search WHERE kind = 'product' ORDER BY popularity DESC, catalog_search.id`,
  );
  let coming = fetchLines(trx);
  for (;;) {
    const lines = await coming;
    if (lines.length === 0) break;
    coming = fetchLines(trx);
    coming.catch(() => undefined);
    yield lines.map(({ terms, ...line }) => ({ ...line, terms: termsIn(terms) }));
  }
  await rowsOf(trx, sql`CLOSE products_in_order`);
}

const fetchLines = (trx: Knex): Promise<Line[]> =>
  rowsOf<Line>(trx, sql`FETCH FORWARD ${constant(PRODUCTS_AT_ONCE)} FROM products_in_order`);
