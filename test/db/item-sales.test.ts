import { randomUUID } from 'node:crypto';
import { PostgresAccountRepository } from '../../db/accounts/account-repository';
import { PostgresCreditLedger } from '../../db/accounts/credit-ledger';
import { PostgresItemSales } from '../../db/catalog/item-sales';
import { STATE } from '../../db/catalog/search/catalog-state';
import { rowsOf, sql } from '../../db/core/sql';
import type { CatalogState, ItemSales, Sale } from '../../models/ports';
import { deleteCatalogRows, writeCatalogRows } from '../support/catalog-rows';
import { useDatabase } from '../support/database';

const clock = { now: () => new Date('2026-03-01T12:00:00Z') };
const PRICE = { product: 6, other: 1 };

describe('rows that are booked as they are read', () => {
  const database = useDatabase();
  let here: ItemSales;
  let there: ItemSales;

  beforeAll(async () => {
    here = new PostgresItemSales(database.knex, clock);
    there = new PostgresItemSales(await database.connect(), clock);
    const row = { category: 'handbags', popularity: 0, facets: [], words: [] };
    await writeCatalogRows(
      database.knex,
      ['product_a', 'product_b', 'brand_a'].map((id) => ({
        ...row,
        id,
        kind: id.split('_')[0] ?? '',
        name: id,
      })),
    );
  });
  const accountWith = (credits: number | null) =>
    new PostgresAccountRepository(database.knex, { next: () => randomUUID() }, clock).createAccount(
      'test',
      credits,
    );
  const saleOf = (account: { id: string }, ids: readonly string[]): Sale => ({
    charge: {
      chargeId: randomUUID(),
      accountId: account.id,
      keyId: 'key_1',
      endpoint: 'v3.catalog.item',
      requestId: 'request-1',
    },
    rows: ids,
    price: PRICE,
    pricing: false,
  });
  const standing = async ({ id }: { id: string }) => {
    const ledger = new PostgresCreditLedger(database.knex, clock);
    const lines = await ledger.usage(id, null, null);
    const [account] = await database.knex('accounts').where({ id }).select('credits');
    return { credits: account?.credits, booked: lines.reduce((sum, { credits }) => sum + credits, 0) };
  };

  test('come in the order that was asked for, and cost what each is worth', async () => {
    const account = await accountWith(20);
    const sold = await here.sell(saleOf(account, ['brand_a', 'product_unknown', 'product_b']));
    expect(sold?.items.map(({ id }) => id)).toEqual(['brand_a', 'product_b']);
    expect(sold).toMatchObject({ creditsUsed: 7, creditsRemaining: 13 });
    expect(await standing(account)).toEqual({ credits: 13, booked: 7 });
  });

  test('cost nothing where there is none', async () => {
    const account = await accountWith(20);
    expect(await here.sell(saleOf(account, ['product_unknown']))).toEqual({
      items: [],
      creditsUsed: 0,
      creditsRemaining: 20,
    });
    expect(await standing(account)).toEqual({ credits: 20, booked: 0 });
  });

  test('of an unlimited account are booked, and leave no balance', async () => {
    const account = await accountWith(null);
    expect(await here.sell(saleOf(account, ['product_a']))).toMatchObject({ creditsRemaining: null });
    expect(await standing(account)).toEqual({ credits: null, booked: 6 });
  });

  test('of a page cost together what one of them does, and nothing when the catalog has changed since', async () => {
    const account = await accountWith(20);
    const [state] = await rowsOf<CatalogState>(database.knex, sql`SELECT ${STATE}`);
    const page = (): Sale => ({
      ...saleOf(account, ['product_b', 'product_a']),
      ...(state && { together: true, state }),
    });
    const sold = await here.sell(page());
    expect(sold?.items.map(({ id }) => id)).toEqual(['product_b', 'product_a']);
    expect(sold).toMatchObject({ creditsUsed: 6, creditsRemaining: 14 });
    await deleteCatalogRows(database.knex, ['brand_a']);
    const outcomes = await Promise.all([here.sell(page()), here.sell(saleOf(account, ['product_a']))]);
    expect(outcomes).toMatchObject([null, { creditsUsed: 6, creditsRemaining: 8 }]);
    expect(await standing(account)).toEqual({ credits: 8, booked: 12 });
  });

  test('are booked once, and not at all when the charge was taken back before', async () => {
    const account = await accountWith(20);
    const sale = saleOf(account, ['product_a']);
    await here.sell(sale);
    await there.sell(sale);
    expect(await standing(account)).toEqual({ credits: 14, booked: 6 });
    const late = saleOf(account, ['product_a']);
    await new PostgresCreditLedger(database.knex, clock).takeBack(late.charge);
    await here.sell(late);
    expect(await standing(account)).toEqual({ credits: 14, booked: 6 });
  });

  test('never cost more than an account has, whoever asks, and nobody is refused for another', async () => {
    const account = await accountWith(30);
    const outcomes = await Promise.allSettled(
      Array.from({ length: 40 }, (_, index) =>
        (index % 2 === 0 ? here : there).sell(
          saleOf(account, index % 4 === 0 ? ['product_a', 'product_b', 'brand_a'] : ['product_a']),
        ),
      ),
    );
    const used = outcomes.map((outcome) =>
      outcome.status === 'fulfilled' ? (outcome.value?.creditsUsed ?? 0) : 0,
    );
    const sum = used.reduce((total, each) => total + each, 0);
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ status: 402 });
    }
    expect(30 - sum).toBeGreaterThanOrEqual(0);
    expect(30 - sum).toBeLessThan(PRICE.product);
    expect(await standing(account)).toEqual({ credits: 30 - sum, booked: sum });
  });
});
