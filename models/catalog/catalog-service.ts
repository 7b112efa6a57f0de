import { inject, injectable } from 'tsyringe';
import type { Caller } from '../access/api-key';
import { Billing, type CallContext, type Priced } from '../access/billing';
import { catalogPrice } from '../access/credits';
import { badRequest, itemNotFound } from '../errors';
import { type CatalogRepository, PORTS, type SellRows } from '../ports';
import { type CatalogQuery, NO_FILTER, type ResolvedQuery, type SearchPage } from './catalog-query';
import { cursorOf, rowBefore } from './cursor';
import { queryWords } from './fold-text';
import { type CatalogItem, isProduct } from './item';
import { categorySlug, checkFilters, sandboxScope } from './resolve-scope';
import { SearchMisses } from './search-misses';
import type { Taxonomy } from './taxonomy';

/** One answered page (contract 4.10). */
export interface CatalogPage extends Omit<SearchPage<CatalogItem>, 'last'> {
  readonly page: number;
  readonly totalPages: number;
  /** The ordering actually applied: the sort, or `relevance` for a text query. */
  readonly sortApplied: string;
  readonly resolvedTaxonomy: ResolvedTaxonomy;
  /** For a query with a cursor: the cursor of the next rows, or null. */
  readonly nextCursor?: string | null;
}

/** What the answer is about (contract 1.9). */
export interface ResolvedTaxonomy {
  readonly node: string;
  readonly level: number | null;
}

export interface FoundItems {
  readonly items: readonly CatalogItem[];
  readonly notFound: readonly string[];
  readonly resolvedTaxonomy: ResolvedTaxonomy | null;
}

/** How strictly a query's categories are checked: v3 refuses an unknown one, v1 and v2 return no rows (contract 4.2, 8.2). */
export type CategoryRule = 'refuse-unknown' | 'unknown-is-empty';

@injectable()
export class CatalogService {
  constructor(
    @inject(PORTS.CatalogRepository) private readonly catalog: CatalogRepository,
    @inject(Billing) private readonly billing: Billing,
    @inject(SearchMisses) private readonly misses: SearchMisses,
  ) {}

  /** Categories and their hierarchies as they were when a call came, or later. */
  taxonomy({ taxonomyVersion }: Caller): Promise<Taxonomy> {
    return this.catalog.taxonomy(taxonomyVersion);
  }

  /** Every field that some row of the catalog may have besides its category; as recent as `taxonomy`. */
  facetFields({ taxonomyVersion }: Caller): Promise<readonly string[]> {
    return this.catalog.facetFields(taxonomyVersion);
  }

  /** One page of a query; free without rows. @throws AppError 400 for an unknown node, category, tag or cursor; 402 */
  async search(
    call: CallContext,
    query: CatalogQuery,
    { pricing, categoryRule }: { pricing: boolean; categoryRule: CategoryRule },
  ): Promise<Priced<CatalogPage>> {
    const taxonomy = await this.taxonomy(call.caller);
    const resolved = { ...this.resolve(query, taxonomy, categoryRule), ...sandboxScope(call.caller) };
    await checkFilters(query.filters, this.catalog, call.caller);
    const price = catalogPrice({ product: query.node === 'product', pricing });
    await this.billing.assertAffordable(call, price);
    const sale = { price: { product: price, other: price }, together: true, pricing } as const;
    const sell: SellRows = (found) => this.billing.sell(call, { ...found, ...sale });
    const { rows, total, wordsMatched, facets, last } = await this.catalog.search(
      resolved,
      pricing,
      this.billing.sells(call) ? sell : undefined,
    );
    const { words, filters, categories, sandbox } = resolved;
    // Filters, an unknown category or a sandbox may be why nothing was found (contract 5.13).
    const isNarrowed = filters.length > 0 || categories?.length === 0 || sandbox;
    if (total === 0 && words?.length && !isNarrowed) this.misses.note(query.text ?? '', words);
    // Taken from the category filter when one is set, else from the first row; null with neither (contract 1.9).
    const category = categories?.[0] ?? rows[0]?.category;
    const page: CatalogPage = {
      rows,
      total,
      page: query.page,
      totalPages: Math.ceil(total / query.pageSize),
      wordsMatched,
      sortApplied: words === null ? query.sort : 'relevance',
      resolvedTaxonomy: {
        node: query.node,
        level: category === undefined ? null : taxonomy.levelOf({ kind: query.node, category }),
      },
      ...(facets && { facets }),
      ...(last !== undefined && { nextCursor: last && cursorOf(resolved, last) }),
    };
    return { value: page, price: rows.length > 0 ? price : 0 };
  }

  /** One row by id (contract 6.1, 6.2). @throws AppError 404, free of charge, for an id that is no live row */
  async item(call: CallContext, id: string, options: { pricing: boolean }): Promise<Priced<FoundItems>> {
    const found = await this.items(call, [id], options);
    if (found.value.items.length === 0) throw itemNotFound();
    return found;
  }

  /** In the order of the ids, each once (contract 6.7). @throws AppError 402 when the balance does not cover all of them */
  async items(
    call: CallContext,
    ids: readonly string[],
    { pricing }: { pricing: boolean },
  ): Promise<Priced<FoundItems>> {
    const asked = [...new Set(ids)];
    const maxPrice = sumOf(asked.map((id) => catalogPrice({ product: id.startsWith('product_'), pricing })));
    await this.billing.assertAffordable(call, maxPrice);
    const taxonomy = await this.taxonomy(call.caller);
    const price = {
      product: catalogPrice({ product: true, pricing }),
      other: catalogPrice({ product: false, pricing }),
    };
    const seen = sandboxScope(call.caller);
    const sold = await this.billing.sell(call, { rows: asked, price, pricing, ...seen });
    const items = sold?.items ?? (await this.catalog.itemsById(asked, pricing, { ...NO_FILTER, ...seen }));
    const known = new Set(items.map(({ id }) => id));
    const value = {
      items,
      notFound: asked.filter((id) => !known.has(id)),
      resolvedTaxonomy: taxonomy.resolvedBy(items[0]),
    };
    return { value, price: sumOf(items.map((item) => (isProduct(item) ? price.product : price.other))) };
  }

  private resolve(query: CatalogQuery, taxonomy: Taxonomy, rule: CategoryRule): ResolvedQuery {
    const slugsOf = (name: string) =>
      rule === 'refuse-unknown' ? categorySlug(name, query.node, taxonomy) : (taxonomy.find(name)?.id ?? []);
    const categories = query.categories?.flatMap(slugsOf) ?? null;
    if (!taxonomy.nodes.has(query.node)) {
      throw badRequest(`"${query.node}" is no taxonomy node.`, {
        field: 'taxonomy_node',
        allowed_taxonomy_nodes: [...taxonomy.nodes],
      });
    }
    const { cursor, ...asked } = query;
    const resolved = { ...asked, categories, words: queryWords(query.text) };
    return cursor === undefined ? resolved : { ...resolved, after: rowBefore(resolved, cursor) };
  }
}

const sumOf = (prices: readonly number[]): number => prices.reduce((sum, price) => sum + price, 0);
