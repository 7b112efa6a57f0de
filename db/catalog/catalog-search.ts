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
import { type FoundPage, type RankOrder, scoredRows, type Window } from './search/scored-rows';
import { SnapshotCache } from './search/snapshot-cache';
import { expandTerms, type TermExpansion } from './search/term-expansion';
import { suggestedRows } from './suggestions';

/** The state in which an answer is sought: first the one that this process saw last, then, twice, the current one. */
const ATTEMPTS = ['known', 'newest', 'newest'] as const;

/** The state that this process had seen last when the attempt began; null: the current one. */
type From = CatalogState | null;

/** Reads rows that were found; null when the catalog has changed since. */
type ReadRows = (knex: Knex, found: FoundRows) => Promise<readonly CatalogItem[] | null>;

/**
 * Answers queries, each from one state of the catalog, without a transaction: the last statement, which reads the rows,
 * tells whether that state is still current. If not, the answer is made again, the last time in a transaction.
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
    const read: ReadRows = async (reader, found) =>
      sell && reader === this.knex ? ((await sell(found))?.items ?? null) : readFound(reader, found, pricing);
    return this.#attempt((knex, from) => this.#answer(knex, query, read, from));
  }

  suggest(query: SuggestionQuery): Promise<readonly SuggestedRow[]> {
    return this.#attempt((knex, from) =>
      suggestedRows(knex, query, (products, expansions, before) =>
        this.#find(knex, products, expansions, { before, from, order: 'popularity' }),
      ),
    );
  }

  async #attempt<Answer>(answer: (knex: Knex, from: From) => Promise<Answer>): Promise<Answer> {
    for (const attempt of ATTEMPTS) {
      try {
        return await answer(this.knex, attempt === 'known' ? this.#snapshots.lastSeen() : null);
      } catch (failure) {
        if (!(failure instanceof CatalogChanged)) throw failure;
      }
    }
    return inOneState(this.knex, (trx) => answer(trx, null));
  }

  async #answer(
    knex: Knex,
    query: ResolvedQuery,
    readRows: ReadRows,
    from: From,
  ): Promise<SearchPage<CatalogItem>> {
    const { after, facets, pageSize, words } = query;
    const { expansions = null, state: before = null } = words ? await expandTerms(knex, words) : {};
    const found = await this.#find(knex, query, expansions, { before, from });
    const rows = found.rows.slice(0, pageSize);
    const told = {
      total: found.total,
      wordsMatched: found.wordsMatched,
      // A page without rows is free, and reveals nothing that others pay for (contract 4.15).
      ...(facets && { facets: await facetValues(knex, facets, rows.length > 0 ? found.facets : new Map()) }),
      ...(after !== undefined && { last: (found.rows.length > pageSize && rows.at(-1)) || null }),
    };
    const items = await readRows(knex, { rows: rows.map(({ id }) => id), state: found.state });
    if (!items) throw new CatalogChanged();
    return { rows: items, ...told };
  }

  /**
   * Finds products in the snapshot and the changes since, if these can answer; everything else among the rows. Also returns the
   * state that must still be current when they are read: the first one seen, as another query may see a newer one meanwhile.
   */
  async #find(
    knex: Knex,
    query: ResolvedQuery,
    expansions: readonly TermExpansion[] | null,
    { before, from, order = 'relevance' }: { before: CatalogState | null; from: From; order?: RankOrder },
  ): Promise<FoundPage & Pick<FoundRows, 'state'>> {
    const window = windowOf(query);
    const wanted = wantedSets(query, expansions);
    const known = wanted && from && this.#snapshots.openAsKnown(wanted);
    const opened = known ?? (wanted && (await this.#snapshots.open(knex, wanted)));
    const page = opened?.view
      ? { ...(await rankProducts(knex, opened.view, query, expansions, window, order)), state: opened.state }
      : await scoredRows(knex, query, expansions, window, order);
    if (known && from) return { ...page, state: from };
    const state = opened?.state ?? page.state;
    if (!before) return { ...page, state };
    if (before.snapshot !== state.snapshot) throw new CatalogChanged();
    return { ...page, state: before };
  }
}

/** The part of a query's rows that a page has; with a cursor one more, which tells whether any follow. */
const windowOf = ({ after, page, pageSize }: ResolvedQuery): Window =>
  after === undefined
    ? { offset: page * pageSize, limit: pageSize }
    : { offset: 0, limit: pageSize + 1, after };
