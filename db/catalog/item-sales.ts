import type { Knex } from 'knex';
import { inject, injectable } from 'tsyringe';
import { type CatalogItem, isProduct } from '../../models/catalog/item';
import { type Clock, type ItemSales, PORTS, type Sale, type Sold } from '../../models/ports';
import { bookedTogether, bookings, creditsLeft } from '../accounts/bookings';
import { KeyedBatcher } from '../core/batcher';
import { prepared, rowsOf, type Sql, sql } from '../core/sql';
import { type ItemRow, itemOf, rowsById } from './catalog-items';

/** Reads rows and books what they cost in one statement, which serves the calls of an account that come together. */
@injectable()
export class PostgresItemSales implements ItemSales {
  readonly #sales = new KeyedBatcher((sales: readonly Sale[]) =>
    bookedTogether(sales, dearestOf, (each) => this.#sellAll(each)),
  );

  constructor(
    @inject(PORTS.Knex) private readonly knex: Knex,
    @inject(PORTS.Clock) private readonly clock: Clock,
  ) {}

  sell(sale: Sale): Promise<Sold> {
    return this.#sales.submit(`${sale.charge.accountId} ${sale.pricing}`, sale);
  }

  async #sellAll(sales: readonly Sale[]): Promise<Sold[]> {
    const charges = sales.map(({ charge }) => charge);
    const rows = await rowsOf<Partial<ItemRow> & { readonly credits: number | null }>(
      this.knex,
      prepared(
        sql`WITH found AS MATERIALIZED (${rowsById(
          [...new Set(sales.flatMap(({ ids }) => ids))],
          sales.some(({ pricing }) => pricing),
        )}),
              ${bookings(charges, owedFor(sales), this.clock.now())}
            SELECT found.*, ${creditsLeft(charges[0]?.accountId)} AS credits
            FROM (VALUES (true)) AS always LEFT JOIN found ON true`,
      ),
    );
    const items = new Map(rows.flatMap((row) => (isFound(row) ? [[row.id, itemOf(row)]] : [])));
    const creditsRemaining = rows[0]?.credits ?? null;
    return sales.map(({ ids, price }) => {
      const found = ids.flatMap((id) => items.get(id) ?? []);
      return {
        items: found,
        creditsUsed: sumOf(found.map((item) => priceOf(item, price))),
        creditsRemaining,
      };
    });
  }
}

/** A sale without any row has one line, which is empty. */
const isFound = (row: Partial<ItemRow>): row is ItemRow => row.id != null;

const priceOf = (item: CatalogItem, price: Sale['price']): number =>
  isProduct(item) ? price.product : price.other;

const dearestOf = ({ ids, price }: Sale): number => ids.length * Math.max(price.product, price.other);

const sumOf = (prices: readonly number[]): number => prices.reduce((sum, price) => sum + price, 0);

/** What the rows that are found cost each charge. */
function owedFor(sales: readonly Sale[]): Sql {
  const wanted = sales.flatMap(({ charge, ids, price }) =>
    ids.map((id) => ({ chargeId: charge.chargeId, id, ...price })),
  );
  return sql`SELECT charge_id, sum(CASE kind WHEN 'product' THEN product ELSE other END)::bigint AS amount
    FROM unnest(${wanted.map(({ chargeId }) => chargeId)}::text[], ${wanted.map(({ id }) => id)}::text[],
      ${wanted.map(({ product }) => product)}::bigint[], ${wanted.map(({ other }) => other)}::bigint[])
      AS wanted (charge_id, id, product, other)
    JOIN found USING (id) GROUP BY charge_id`;
}
