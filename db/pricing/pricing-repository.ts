import type { Knex } from 'knex';
import { inject, injectable } from 'tsyringe';
import { PORTS, type PricingRepository } from '../../models/ports';
import {
  DATA_FILE_KINDS,
  type DataFile,
  type DataFileKind,
  type MarketEstimate,
  REGIONS,
  type Region,
} from '../../models/pricing/estimate';
import { rowsOf, sql } from '../core/sql';
import { type Cell, fileRows } from './data-file-rows';

interface EstimateRow {
  readonly variant_id: string;
  readonly source: string;
  readonly region: Region;
  readonly a: number | null;
  readonly b: number | null;
  readonly c: number | null;
  readonly d: number | null;
  readonly currency: string;
  readonly estimated_at: Date;
  readonly confidence: number | null;
}

/** `catalog_rows.max_estimate`, with the time as JSON has it. */
interface MaxEstimate extends Omit<MarketEstimate, 'estimatedAt'> {
  readonly estimated_at: string;
}

/** Estimates, their history and the listings behind them in PostgreSQL. */
@injectable()
export class PostgresPricingRepository implements PricingRepository {
  constructor(@inject(PORTS.Knex) private readonly knex: Knex) {}

  async estimates(variantIds: readonly string[]): Promise<ReadonlyMap<string, readonly MarketEstimate[]>> {
    const rows = await rowsOf<EstimateRow>(
      this.knex,
      sql`SELECT variant_id, source, region, a, b, c, d, currency, estimated_at, confidence FROM market_estimates
          WHERE variant_id = ANY(${variantIds}::text[]) ORDER BY variant_id, source, region`,
    );
    return grouped(rows.map((row) => [row.variant_id, estimateOf(row)]));
  }

  async dataFiles(variantIds: readonly string[]): Promise<ReadonlyMap<string, readonly DataFile[]>> {
    const rows = await rowsOf<{ variant_id: string; region: Region } & Record<DataFileKind, boolean>>(
      this.knex,
      sql`SELECT v.id AS variant_id, r.region,
            EXISTS (SELECT FROM estimate_history h WHERE h.variant_id = v.id AND h.region = r.region)
              AS historical_estimates,
            EXISTS (SELECT FROM listings l WHERE l.variant_id = v.id AND l.region = r.region) AS pricing_data
          FROM unnest(${variantIds}::text[]) AS v (id)
          CROSS JOIN unnest(${REGIONS}::text[]) WITH ORDINALITY AS r (region, position)
          ORDER BY v.id, r.position`,
    );
    return grouped(
      DATA_FILE_KINDS.flatMap((kind) =>
        rows
          .filter((row) => row[kind])
          .map(({ variant_id: variantId, region }) => [variantId, { kind, variantId, region }] as const),
      ),
    );
  }

  async maxEstimates(rowIds: readonly string[]): Promise<ReadonlyMap<string, MarketEstimate>> {
    const rows = await rowsOf<{ id: string; estimate: MaxEstimate }>(
      this.knex,
      sql`SELECT id, max_estimate AS estimate FROM catalog_rows
          WHERE id = ANY(${rowIds}::text[]) AND kind <> 'product' AND max_estimate IS NOT NULL`,
    );
    return new Map(
      rows.map(({ id, estimate: { estimated_at, ...estimate } }) => [
        id,
        { ...estimate, estimatedAt: new Date(estimated_at) },
      ]),
    );
  }

  fileRows(file: DataFile): AsyncIterable<readonly Cell[]> {
    return fileRows(this.knex, file);
  }
}

function estimateOf(row: EstimateRow): MarketEstimate {
  return {
    source: row.source,
    region: row.region,
    A: row.a,
    B: row.b,
    C: row.c,
    D: row.d,
    currency: row.currency,
    estimatedAt: row.estimated_at,
    confidence: row.confidence,
  };
}

function grouped<Value>(pairs: readonly (readonly [string, Value])[]): Map<string, Value[]> {
  const groups = new Map<string, Value[]>();
  for (const [key, value] of pairs) {
    const group = groups.get(key);
    if (group) group.push(value);
    else groups.set(key, [value]);
  }
  return groups;
}
