import type { Knex } from 'knex';
import type { ResolvedQuery, SearchPage } from '../../models/catalog/catalog-query';
import type { CatalogItem } from '../../models/catalog/item';
import type { CatalogState, FoundRows, SellRows } from '../../models/ports';
import { inOneState, type Sql, sql } from '../core/sql';
import { readFound } from './found-rows';
import { CatalogChanged } from './search/catalog-state';
import { facetValues } from './search/facet-values';
import { positionOf } from './search/ranked-rows';
import { searchRows } from './search/search-rows';
import { SnapshotMemory } from './search/snapshot/snapshot-memory';
import { SnapshotReader } from './search/snapshot/snapshot-reader';
import { searchSnapshot } from './search/snapshot/snapshot-search';
import { TermCounts } from './search/term-counts';
import { expandTerms } from './search/term-expansion';

/** Answers that are begun before one is made in a transaction, which no change gets into. */
const ATTEMPTS = 2;

/** Reads rows that were found; null when the catalog has changed since. */
type ReadRows = (knex: Knex, found: FoundRows) => Promise<readonly CatalogItem[] | null>;

/**
 * Answers queries, each from one state of the catalog: without a transaction, the first statement tells its state, and
 * the last one, which reads the rows, whether that still stands. If it does not, the answer is made again.
 */
export class CatalogSearch {
  readonly #memory: SnapshotMemory;

  constructor(private readonly knex: Knex) {
    this.#memory = new SnapshotMemory(knex);
  }

  /** Arguments as those of `CatalogRepository.search`. */
  async page(
    query: ResolvedQuery,
    pricing: boolean,
    sell: SellRows | undefined,
  ): Promise<SearchPage<CatalogItem>> {
    const read: ReadRows = (reader, found) => readFound(reader, found, pricing);
    const readOrSell: ReadRows = async (reader, found) =>
      sell ? ((await sell(found))?.items ?? null) : read(reader, found);
    for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
      try {
        return await answer(this.knex, this.#memory, query, readOrSell);
      } catch (failure) {
        if (!(failure instanceof CatalogChanged)) throw failure;
      }
    }
    return inOneState(this.knex, (trx) => answer(trx, this.#memory, query, read));
  }
}

/** @throws CatalogChanged when it would not be of one state */
async function answer(
  knex: Knex,
  memory: SnapshotMemory,
  query: ResolvedQuery,
  readRows: ReadRows,
): Promise<SearchPage<CatalogItem>> {
  const { after, facets, pageSize, words } = query;
  const expanded = words && (await expandTerms(knex, query, words));
  const expansions = expanded?.expansions ?? null;
  const { source, ...opened } = await memory.open(knex, query, expansions);
  const state = expanded?.state ?? opened.state;
  if (state.snapshot !== opened.state.snapshot) throw new CatalogChanged();
  const window = windowOf(query);
  const found =
    source instanceof TermCounts
      ? await searchRows(knex, source, query, expansions, window)
      : await searchSnapshot(source, query, expansions, window);
  const rows = found.rows.slice(0, pageSize);
  const last = found.rows.length > pageSize ? rows.at(-1) : undefined;
  const told = {
    total: found.total,
    wordsMatched: found.wordsMatched,
    // A page without rows is free, and tells nothing that others pay for (contract 4.15).
    ...(facets && { facets: await facetValues(knex, facets, rows.length > 0 ? found.facets : new Map()) }),
    ...(after !== undefined && {
      last: last === undefined ? null : await positionOf(knex, idOf(last, state), expansions),
    }),
  };
  const isWhole = source instanceof SnapshotReader && expansions === null;
  const items = await readRows(knex, { rows, state, isWhole });
  if (!items) throw new CatalogChanged();
  return { rows: items, ...told };
}

/** The part of a query's rows that a page has; with a cursor one more, which tells whether any follow. */
const windowOf = ({ after, page, pageSize }: ResolvedQuery) =>
  after === undefined
    ? { offset: page * pageSize, limit: pageSize }
    : { offset: 0, limit: pageSize + 1, after };

/** The id of a row that was found. */
const idOf = (row: FoundRows['rows'][number], { snapshot }: CatalogState): Sql =>
  typeof row === 'string'
    ? sql`${row}`
    : sql`(SELECT id FROM search_snapshot_ordinals WHERE snapshot = ${snapshot} AND ordinal = ${row})`;
