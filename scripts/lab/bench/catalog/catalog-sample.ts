import { rowsOf } from '../../../../db/core/sql';
import type { Filter, RowPosition } from '../../../../models/catalog/catalog-query';
import { TAGS_FIELD } from '../../../../models/catalog/taxonomy';
import type { Random } from '../../../../models/random';
import type { Knex } from '../installation';

interface SampledProduct {
  readonly id: string;
  /** Its attributes but the category, as filters that it passes. */
  readonly filters: readonly Filter[];
  readonly words: readonly string[];
  readonly position: RowPosition;
}

const SAMPLE_SIZE = 3_000;

/** Products chosen by their hashed ids. A term is drawn as often as products carry it, so frequent ones come often, as in practice. */
export class CatalogSample {
  private constructor(
    readonly size: number,
    private readonly products: readonly SampledProduct[],
    readonly tags: readonly string[],
    /** Of rows of the taxonomy. */
    readonly names: readonly string[],
    private readonly rowsByTerm: ReadonlyMap<string, number>,
  ) {}

  static async read(knex: Knex, seed: number): Promise<CatalogSample> {
    const rows = await rowsOf<SampledRow>(knex)`
      SELECT id, popularity, sort_key AS "sortKey", facets, tsvector_to_array(words) AS words FROM catalog_search
      WHERE kind = 'product' ORDER BY hashtextextended(id, ${seed}), id LIMIT ${SAMPLE_SIZE}`;
    const nodes = await rowsOf<{ name: string }>(knex)`SELECT name FROM catalog_rows WHERE kind <> 'product'
      ORDER BY hashtextextended(id, ${seed}), id LIMIT ${SAMPLE_SIZE}`;
    const terms = [...new Set(rows.flatMap(({ facets, words }) => [...facets, ...words]))];
    const counted = await rowsOf<{ term: string; rows: number }>(knex)`SELECT term, count(*) AS rows
      FROM catalog_search CROSS JOIN LATERAL unnest(ARRAY[''] || facets || tsvector_to_array(words)) AS term
      WHERE kind = 'product' AND term = ANY(${['', ...terms]}::text[]) GROUP BY term`;
    const rowsByTerm = new Map(counted.map(({ term, rows: count }) => [term, count]));
    const products = rows.map(({ facets, words, ...position }) => ({
      ...{ id: position.id, words, filters: filtersOf(facets) },
      position: { ...position, rank: [] },
    }));
    const tags: string[] = await knex('tags').orderBy('id').pluck('id');
    const names = nodes.map(({ name }) => name);
    return new CatalogSample(rowsByTerm.get('') ?? 0, products, tags, names, rowsByTerm);
  }

  product(random: Random): SampledProduct {
    return random.pick(this.products);
  }

  word(random: Random, suits?: (word: string) => boolean): string {
    return this.words(random, 1, suits).join();
  }

  words(random: Random, count: number, suits: (word: string) => boolean = () => true): string[] {
    return drawn(random, count, () => this.product(random).words.filter(suits));
  }

  filters(random: Random, count: number, suits: (filter: Filter) => boolean = () => true): Filter[] {
    return drawn(random, count, () => this.product(random).filters.filter(suits));
  }

  shareOf(term: string | Filter): number {
    const name = typeof term === 'string' ? term : `${term.field}:${term.include[0]}`;
    return (this.rowsByTerm.get(name) ?? 0) / this.size;
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

function drawn<Entry>(random: Random, count: number, draw: () => readonly Entry[]): Entry[] {
  for (let tried = 0; tried < DRAWS_MAX; tried++) {
    const rest = [...draw()];
    if (rest.length < count) continue;
    return Array.from({ length: count }, () => rest.splice(random.integer(0, rest.length - 1), 1)).flat();
  }
  throw new Error('the catalog has nothing of the kind that a benchmark asks for');
}
