import type { Knex } from 'knex';
import type { ResolvedQuery, SearchPage } from '../../models/catalog/catalog-query';
import type { CatalogItem } from '../../models/catalog/item';
import type { SuggestedRow, SuggestionQuery } from '../../models/catalog/suggestion';
import type { CatalogState, FoundRows, SellRows } from '../../models/ports';
import { inOneState } from '../core/sql';
import { readFound } from './found-rows';
import { facetValues } from './search/facet-values';
import { CatalogChanged } from './search/opening';
import { rankProducts, wantedSets } from './search/rank-products';
import { type FoundPage, scoredRows, type Window } from './search/scored-rows';
import { SnapshotCache } from './search/snapshot-cache';
import { expandTerms, type TermExpansion } from './search/term-expansion';
import { suggestedRows } from './suggestions';

/** In which state an answer is looked for: the one that this process saw last, then twice the one that there is. */
const ATTEMPTS = ['known', 'newest', 'newest'] as const;
type From = (typeof ATTEMPTS)[number];

/** Reads rows that were found; null when the catalog has changed since. */
type ReadRows = (knex: Knex, found: FoundRows) => Promise<readonly CatalogItem[] | null>;

/**
 * Answers queries, each from one state of the catalog, without a transaction: the last statement, which reads the rows,
 * tells whether that state still stands. If it does not, the answer is made again, at last in a transaction.
 */
export class CatalogSearch {
  readonly #snapshots: SnapshotCache;

  constructor(private readonly knex: Knex) {
    this.#snapshots = new SnapshotCache(knex);
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
    for (const from of ATTEMPTS) {
      try {
        return await this.#answer(this.knex, query, readOrSell, from);
      } catch (failure) {
        if (!(failure instanceof CatalogChanged)) throw failure;
      }
    }
    return inOneState(this.knex, (trx) => this.#answer(trx, query, read, 'newest'));
  }

  /** As `CatalogRepository.suggest`. */
  suggest(query: SuggestionQuery): Promise<readonly SuggestedRow[]> {
    return suggestedRows(this.knex, query, async (trx, products, expansions, window) => {
      const { rows } = await this.#find(trx, products, expansions, window, { order: 'popularity' });
      return rows.map(({ id }) => id);
    });
  }

  /** @throws CatalogChanged when it would not be of one state */
  async #answer(
    knex: Knex,
    query: ResolvedQuery,
    readRows: ReadRows,
    from: From,
  ): Promise<SearchPage<CatalogItem>> {
    const { after, facets, pageSize, words } = query;
    const expanded = words && (await expandTerms(knex, words));
    const found = await this.#find(knex, query, expanded?.expansions ?? null, windowOf(query), { from });
    // Whichever was seen first: if it still stands, so does the other.
    const state = found.isKnown ? found.state : (expanded?.state ?? found.state);
    if (state.snapshot !== found.state.snapshot) throw new CatalogChanged();
    const rows = found.rows.slice(0, pageSize);
    const told = {
      total: found.total,
      wordsMatched: found.wordsMatched,
      // A page without rows is free, and tells nothing that others pay for (contract 4.15).
      ...(facets && { facets: await facetValues(knex, facets, rows.length > 0 ? found.facets : new Map()) }),
      ...(after !== undefined && { last: (found.rows.length > pageSize && rows.at(-1)) || null }),
    };
    const items = await readRows(knex, { rows: rows.map(({ id }) => id), state });
    if (!items) throw new CatalogChanged();
    return { rows: items, ...told };
  }

  /** Products in the snapshot and what has changed since, if that can answer; all else among the rows. */
  async #find(
    knex: Knex,
    query: ResolvedQuery,
    expansions: readonly TermExpansion[] | null,
    window: Window,
    { order = 'relevance', from = 'newest' }: { order?: 'relevance' | 'popularity'; from?: From },
  ): Promise<FoundPage & { readonly state: CatalogState; readonly isKnown: boolean }> {
    const wanted = wantedSets(query, expansions);
    const known = wanted && from === 'known' ? this.#snapshots.openAsKnown(wanted) : null;
    const opened = known ?? (wanted && (await this.#snapshots.open(knex, wanted)));
    const { state, ...page } = opened?.view
      ? { ...(await rankProducts(knex, opened.view, query, expansions, window, order)), state: opened.state }
      : await scoredRows(knex, query, expansions, window, order);
    return { ...page, state: opened?.state ?? state, isKnown: known !== null };
  }
}

/** The part of a query's rows that a page has; with a cursor one more, which tells whether any follow. */
const windowOf = ({ after, page, pageSize }: ResolvedQuery): Window =>
  after === undefined
    ? { offset: page * pageSize, limit: pageSize }
    : { offset: 0, limit: pageSize + 1, after };
