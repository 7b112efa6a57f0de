import { rowsOf, sql } from '../../../../db/core/sql';
import type { Filter, RowPosition } from '../../../../models/catalog/catalog-query';
import { TAGS_FIELD } from '../../../../models/catalog/taxonomy';
import type { Random } from '../../../../models/random';
import type { Knex } from '../installation';

/** A product as queries are drawn from it. */
export interface SampledProduct {
  readonly id: string;
  /** Its attributes but the category, as filters that it passes. */
  readonly filters: readonly Filter[];
  readonly words: readonly string[];
  /** Where it stands in a listing. */
  readonly position: RowPosition;
}

const SAMPLE_SIZE = 3_000;

/**
 * What the questions of a benchmark are drawn from: products of the catalog itself, chosen by their hashed ids. A term
 * is drawn as often as products carry it, so frequent ones come often, as they do in practice.
 */
export class CatalogSample {
  private constructor(
    /** Live products of the catalog. */
    readonly size: number,
    readonly products: readonly SampledProduct[],
    readonly tags: readonly string[],
    /** Of rows of the taxonomy. */
    readonly names: readonly string[],
    private readonly rowsByTerm: ReadonlyMap<string, number>,
  ) {}

  static async read(knex: Knex, seed: number): Promise<CatalogSample> {
    const rows = await rowsOf<SampledRow>(
      knex,
      sql`SELECT id, popularity, sort_key AS "sortKey", facets, tsvector_to_array(words) AS words FROM catalog_search
          WHERE kind = 'product' ORDER BY hashtextextended(id, ${seed}), id LIMIT ${SAMPLE_SIZE}`,
    );
    const nodes = await rowsOf<{ name: string }>(
      knex,
      sql`SELECT name FROM catalog_rows WHERE kind <> 'product'
          ORDER BY hashtextextended(id, ${seed}), id LIMIT ${SAMPLE_SIZE}`,
    );
    const terms = [...new Set(rows.flatMap(({ facets, words }) => [...facets, ...words]))];
    const counted = await rowsOf<{ term: string; rows: number }>(
      knex,
      sql`SELECT term, count(*) AS rows
          FROM catalog_search CROSS JOIN LATERAL unnest(ARRAY[''] || facets || tsvector_to_array(words)) AS term
          WHERE kind = 'product' AND term = ANY(${['', ...terms]}::text[]) GROUP BY term`,
    );
    const rowsByTerm = new Map(counted.map(({ term, rows: count }) => [term, count]));
    const tags = await rowsOf<{ id: string }>(knex, sql`SELECT id FROM tags ORDER BY id`);
    return new CatalogSample(
      rowsByTerm.get('') ?? 0,
      rows.map(({ facets, words, ...position }) => ({
        ...{ id: position.id, words, filters: filtersOf(facets) },
        position: { ...position, rank: [] },
      })),
      tags.map((tag) => tag.id),
      nodes.map(({ name }) => name),
      rowsByTerm,
    );
  }

  product(random: Random): SampledProduct {
    return random.pick(this.products);
  }

  /** A word that some product has, among those that `suits` takes. */
  word(random: Random, suits: (word: string) => boolean = () => true): string {
    return drawn(random, () => this.product(random).words.filter(suits));
  }

  /** So many different words of one product. */
  wordsTogether(random: Random, count: number, suits: (word: string) => boolean = () => true): string[] {
    return several(random, count, () => this.product(random).words.filter(suits));
  }

  /** So many different filters that one product passes. */
  filtersTogether(random: Random, count: number, suits: (filter: Filter) => boolean = () => true): Filter[] {
    return several(random, count, () => this.product(random).filters.filter(suits));
  }

  /** The share of the catalog that has a word. */
  shareOfWord(word: string): number {
    return (this.rowsByTerm.get(word) ?? 0) / this.size;
  }

  /** The share of the catalog that passes a filter for one value. */
  shareOfFilter({ field, include: [id] }: Filter): number {
    return (this.rowsByTerm.get(`${field}:${id}`) ?? 0) / this.size;
  }
}

type SampledRow = Omit<RowPosition, 'rank'> & { readonly facets: string[]; readonly words: string[] };

function filtersOf(facets: readonly string[]): Filter[] {
  return facets
    .map((facet) => ({ field: facet.slice(0, facet.indexOf(':')), id: facet.slice(facet.indexOf(':') + 1) }))
    .filter(({ field }) => field !== 'category' && field !== TAGS_FIELD)
    .map(({ field, id }) => ({ field, include: [id], exclude: [] }));
}

const DRAWS_MAX = 10_000;

function drawn<Entry>(random: Random, draw: () => readonly Entry[]): Entry {
  for (let tried = 0; tried < DRAWS_MAX; tried++) {
    const entries = draw();
    if (entries.length > 0) return random.pick(entries);
  }
  throw new Error('the catalog has nothing of the kind that a benchmark asks for');
}

function several<Entry>(random: Random, count: number, draw: () => readonly Entry[]): Entry[] {
  const entries = drawn(random, () => {
    const list = draw();
    return list.length < count ? [] : [list];
  });
  const rest = [...entries];
  return Array.from({ length: count }, () => rest.splice(random.integer(0, rest.length - 1), 1)).flat();
}
