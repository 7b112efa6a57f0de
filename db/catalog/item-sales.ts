import type { Knex } from 'knex';
import { inject, injectable } from 'tsyringe';
import { isProduct } from '../../models/catalog/item';
import { type Clock, type ItemSales, PORTS, type Sale, type Sold } from '../../models/ports';
import { bookedTogether, bookings, creditsLeft } from '../accounts/credit-ledger';
import { KeyedBatcher } from '../core/batcher';
import { prepared, rowsOf, type Sql, sql } from '../core/sql';
import { FOUND, type FoundLine, foundRows, itemsIn } from './catalog-items';

/** Reads rows and books their price in one statement, which serves concurrent calls of an account together. */
@injectable()
export class PostgresItemSales implements ItemSales {
  readonly #sales = new KeyedBatcher((sales: readonly Sale[]) =>
    bookedTogether(sales, maxPriceOf, (each) => this.#sellAll(each)),
  );

  constructor(
    @inject(PORTS.Knex) private readonly knex: Knex,
    @inject(PORTS.Clock) private readonly clock: Clock,
  ) {}

  sell(sale: Sale): Promise<Sold | null> {
    return this.#sales.submit(`${sale.charge.accountId} ${sale.pricing}`, sale);
  }

  async #sellAll(sales: readonly Sale[]): Promise<(Sold | null)[]> {
    const charges = sales.map(({ charge }) => charge);
    const [first] = sales;
    const wanted = sales.map(({ charge, ...sale }) => ({ ...sale, owner: charge.chargeId }));
    const found = await rowsOf<FoundLine & { readonly credits: number | null }>(
      this.knex,
      prepared(
        sql`WITH ${foundRows(wanted, first?.pricing ?? false)},
              ${bookings(charges, owedFor(sales), this.clock.now())}
            SELECT ${creditsLeft(first?.charge.accountId)} AS credits, ${FOUND}`,
      ),
    );
    const itemsOf = itemsIn(found);
    const gone = new Set(found[0]?.gone);
    return sales.map(({ charge, rows, price, together }) => {
      if (gone.has(charge.chargeId)) return null;
      const items = itemsOf(rows);
      return {
        items,
        creditsUsed: costOf(
          items.map((item) => (isProduct(item) ? price.product : price.other)),
          together,
        ),
        creditsRemaining: found[0]?.credits ?? null,
      };
    });
  }
}

const maxPriceOf = ({ rows, price, together }: Sale): number =>
  costOf(
    rows.map(() => Math.max(price.product, price.other)),
    together,
  );

const costOf = (prices: readonly number[], together = false): number =>
  together ? Math.max(0, ...prices) : prices.reduce((sum, price) => sum + price, 0);

function owedFor(sales: readonly Sale[]): Sql {
  const wanted = sales.flatMap(({ charge, rows, price, together = false }) =>
    rows.map((id) => ({ charge_id: charge.chargeId, id, ...price, together })),
  );
  return sql`SELECT charge_id, CASE WHEN bool_or(together) THEN max(price) ELSE sum(price) END::bigint AS amount
    FROM (
      SELECT charge_id, together, CASE WHEN found.kind = 'product' THEN product ELSE other END AS price
      FROM json_to_recordset(${JSON.stringify(wanted)}::json)
        AS wanted (charge_id text, id text, product bigint, other bigint, together boolean)
      JOIN found USING (id)
      WHERE charge_id NOT IN (SELECT owner FROM gone)) AS prices
    GROUP BY charge_id`;
}
