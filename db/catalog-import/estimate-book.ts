import type { Knex } from 'knex';
import { rowsOf, sql } from '../sql';
import { type BestEstimate, compareBest, estimatedAt } from './best-estimates';
import type { EstimateRecord } from './records';

/** All estimates of some products, as they stand and as records change them. */
export class EstimateBook {
  private readonly byProduct = new Map<string, Map<string, BestEstimate>>();

  private constructor(stored: readonly StoredEstimate[]) {
    for (const { product_id, ...record } of stored) {
      this.estimatesOf(product_id).set(keyOf(record), estimateOf(record));
    }
  }

  /** Reads the estimates of products. */
  static async load(knex: Knex, productIds: readonly string[]): Promise<EstimateBook> {
    // OFFSET 0 keeps each step a look-up by index, however many there are.
    return new EstimateBook(
      await rowsOf(
        knex,
        sql`SELECT product.id AS product_id, variant_id, source, region, a, b, c, d, currency,
              ${estimatedAt} AS estimated_at, confidence
            FROM unnest(${productIds}::text[]) AS product (id)
            CROSS JOIN LATERAL (SELECT id FROM variants WHERE product_id = product.id OFFSET 0) AS variant
            CROSS JOIN LATERAL (SELECT * FROM market_estimates WHERE variant_id = variant.id OFFSET 0) AS estimate`,
      ),
    );
  }

  /** Notes a record about a product; tells whether its key was there, and whether it says anything else. */
  put(productId: string, record: EstimateRecord): 'added' | 'replaced' | 'same' {
    const estimates = this.estimatesOf(productId);
    const key = keyOf(record);
    const estimate = estimateOf(record);
    const before = estimates.get(key);
    if (before && compareBest(before, estimate) === 0) return 'same';
    estimates.set(key, estimate);
    return before ? 'replaced' : 'added';
  }

  /** The best estimate of each product as it stands now; products without are left out. */
  best(): Map<string, BestEstimate> {
    const best = new Map<string, BestEstimate>();
    for (const [product, estimates] of this.byProduct) {
      for (const estimate of estimates.values()) {
        const sofar = best.get(product);
        if (!sofar || compareBest(estimate, sofar) < 0) best.set(product, estimate);
      }
    }
    return best;
  }

  private estimatesOf(product: string): Map<string, BestEstimate> {
    const known = this.byProduct.get(product) ?? new Map<string, BestEstimate>();
    this.byProduct.set(product, known);
    return known;
  }
}

interface StoredEstimate extends EstimateRecord {
  readonly product_id: string;
}

const keyOf = ({ variant_id, source, region }: EstimateRecord): string => `${variant_id} ${source} ${region}`;

/** An estimate as `catalog_rows.max_estimate` holds it. */
export const estimateOf = (record: EstimateRecord): BestEstimate => ({
  source: record.source,
  region: record.region,
  A: record.a,
  B: record.b,
  C: record.c,
  D: record.d,
  currency: record.currency,
  estimated_at: record.estimated_at,
  confidence: record.confidence,
});
