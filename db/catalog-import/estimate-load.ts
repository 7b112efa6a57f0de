import type { Knex } from 'knex';
import { rowsOf, sql } from '../sql';
import { type BestEstimate, compareBest } from './best-estimates';
import { CopyBuffer } from './copy-buffer';
import { copyBuffer } from './copy-rows';
import { estimateOf } from './estimate-book';
import type { LoadParts } from './load-parts';
import type { EstimateRecord } from './records';
import type { ShownBest } from './shown-best';
import { SOURCE_TABLES } from './source-tables';

/** Market estimates to be added at once. What is added can only raise the best estimates above. */
export class EstimateLoad implements LoadParts<EstimateRecord> {
  private readonly estimates = new CopyBuffer(SOURCE_TABLES.estimates);
  /** Of each record. */
  private readonly variants: string[] = [];
  private readonly best = new Map<string, BestEstimate>();
  private raised: { readonly facets: readonly string[]; readonly best: BestEstimate }[] = [];

  constructor(private readonly shownBest: ShownBest) {}

  get bytes(): number {
    return this.estimates.bytes;
  }

  add(record: EstimateRecord): void {
    const { variant_id } = record;
    this.estimates.add(record);
    this.variants.push(variant_id);
    const estimate = estimateOf(record);
    const best = this.best.get(variant_id);
    if (!best || compareBest(estimate, best) < 0) this.best.set(variant_id, estimate);
  }

  /** Leaves out estimates of variants that belong to no live product. */
  async copy(trx: Knex): Promise<readonly number[]> {
    const variants = [...this.best.keys()];
    const known = new Set<string>();
    this.raised = [];
    for (const { positions, facets } of await ownersOf(trx, variants)) {
      let best: BestEstimate | undefined;
      for (const position of positions) {
        const variant = variants[position] ?? '';
        known.add(variant);
        const own = this.best.get(variant);
        if (own && (!best || compareBest(own, best) < 0)) best = own;
      }
      if (best) this.raised.push({ facets, best });
    }
    const left = this.variants.flatMap((variant, position) => (known.has(variant) ? [] : [position]));
    await copyBuffer(trx, this.estimates, new Set(left));
    return left;
  }

  async finish(trx: Knex): Promise<void> {
    await this.shownBest.shift(
      trx,
      this.raised.map((after) => ({ before: null, after })),
    );
  }
}

/** Whether none of these estimates is there, by variant, source and region. */
export async function areNewEstimates(knex: Knex, records: readonly EstimateRecord[]): Promise<boolean> {
  const [first] = await rowsOf(
    knex,
    sql`SELECT FROM unnest(${records.map((record) => record.variant_id)}::text[],
          ${records.map((record) => record.source)}::text[], ${records.map((record) => record.region)}::text[])
          AS given (variant_id, source, region)
        WHERE EXISTS (SELECT FROM market_estimates same
          WHERE (same.variant_id, same.source, same.region) = (given.variant_id, given.source, given.region) OFFSET 0)
        LIMIT 1`,
  );
  return first === undefined;
}

/** A live product: its facets, and which of the variants that were asked for are its own. */
interface Owner {
  readonly positions: readonly number[];
  readonly facets: readonly string[];
}

async function ownersOf(trx: Knex, variants: readonly string[]): Promise<Owner[]> {
  // As texts, which are read several times faster than lists; no facet holds a line feed.
  const rows = await rowsOf<{ positions: string; facets: string }>(
    trx,
    sql`SELECT positions, array_to_string(facets, E'\\n') AS facets
        FROM (SELECT owner, string_agg(position::text, ',') AS positions
          FROM unnest(${variants}::text[]) WITH ORDINALITY AS given (id, position)
          CROSS JOIN LATERAL (SELECT product_id AS owner FROM variants WHERE variants.id = given.id OFFSET 0) AS variant
          GROUP BY owner) AS owned
        CROSS JOIN LATERAL (SELECT facets FROM catalog_search WHERE catalog_search.id = owner OFFSET 0) AS row`,
  );
  return rows.map(({ positions, facets }) => ({
    positions: positions.split(',').map((position) => Number(position) - 1),
    facets: facets.split('\n'),
  }));
}
