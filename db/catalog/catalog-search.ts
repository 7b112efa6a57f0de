import type { Knex } from 'knex';
import type { ResolvedQuery, SearchPage } from '../../models/catalog/catalog-query';
import type { CatalogItem } from '../../models/catalog/item';
import type { SuggestedRow, SuggestionQuery } from '../../models/catalog/suggestion';
import type { CatalogState, FoundRows, SellRows } from '../../models/ports';
import { inOneState, type Sql, sql } from '../core/sql';
import { readFound } from './found-rows';
import { CatalogChanged } from './search/catalog-state';
import { facetValues } from './search/facet-values';
import type { FoundPage, Window } from './search/found-page';
import { positionOf, scoredRows } from './search/scored-rows';
import { SnapshotMemory } from './search/snapshot/open-snapshot';
import { searchSnapshot, wantedSets } from './search/snapshot/search-snapshot';
import { expandTerms, type TermExpansion } from './search/term-expansion';
import { suggestedRows } from './suggestions';

/** Answers that are begun before one is made in a transaction, which no change gets into. */
const ATTEMPTS = 2;

/** Reads rows that were found; null when the catalog has changed since. */
type ReadRows = (knex: Knex, found: FoundRows) => Promise<readonly CatalogItem[] | null>;

/** A page that was found, and the state of the catalog in which that began. */
interface FoundInState {
  readonly found: FoundPage;
  readonly state: CatalogState;
  /** Whether it was found in the snapshot. */
  readonly isWhole: boolean;
}

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
        return await this.#answer(this.knex, query, readOrSell);
      } catch (failure) {
        if (!(failure instanceof CatalogChanged)) throw failure;
      }
    }
    return inOneState(this.knex, (trx) => this.#answer(trx, query, read));
  }

  /** As `CatalogRepository.suggest`. */
  suggest(query: SuggestionQuery): Promise<readonly SuggestedRow[]> {
    return suggestedRows(this.knex, query, async (trx, ...asked) => {
      const { found, state } = await this.#find(trx, ...asked, 'popularity');
      return { rows: found.rows, state };
    });
  }

  /** @throws CatalogChanged when it would not be of one state */
  async #answer(knex: Knex, query: ResolvedQuery, readRows: ReadRows): Promise<SearchPage<CatalogItem>> {
    const { after, facets, pageSize, words } = query;
    const expanded = words && (await expandTerms(knex, query, words));
    const expansions = expanded?.expansions ?? null;
    const { found, isWhole, ...began } = await this.#find(knex, query, expansions, windowOf(query));
    const state = expanded?.state ?? began.state;
    if (state.snapshot !== began.state.snapshot) throw new CatalogChanged();
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
    const items = await readRows(knex, { rows, state, isWhole: isWhole && expansions === null });
    if (!items) throw new CatalogChanged();
    return { rows: items, ...told };
  }

  /** Products in the snapshot and what has changed since, if that can answer; all else among the rows. */
  async #find(
    knex: Knex,
    query: ResolvedQuery,
    expansions: readonly TermExpansion[] | null,
    window: Window,
    order: 'relevance' | 'popularity' = 'relevance',
  ): Promise<FoundInState> {
    const wanted = wantedSets(query, expansions);
    const opened = wanted && (await this.#memory.open(knex, wanted));
    if (opened?.snapshot) {
      const found = await searchSnapshot(opened.snapshot, query, expansions, window, order);
      return { found, state: opened.state, isWhole: true };
    }
    const { state, ...found } = await scoredRows(knex, query, expansions, window, order);
    return { found, state: opened?.state ?? state, isWhole: false };
  }
}

/** The part of a query's rows that a page has; with a cursor one more, which tells whether any follow. */
const windowOf = ({ after, page, pageSize }: ResolvedQuery): Window =>
  after === undefined
    ? { offset: page * pageSize, limit: pageSize }
    : { offset: 0, limit: pageSize + 1, after };

/** The id of a row that was found. */
const idOf = (row: FoundRows['rows'][number], { snapshot }: CatalogState): Sql =>
  typeof row === 'string'
    ? sql`${row}`
    : sql`(SELECT id FROM search_snapshot_ordinals WHERE snapshot = ${snapshot} AND ordinal = ${row})`;
