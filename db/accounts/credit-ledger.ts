import type { Knex } from 'knex';
import { inject, injectable } from 'tsyringe';
import { RESERVATION_MS } from '../../models/access/billing';
import { CREDITS_MAX } from '../../models/access/credits';
import { NO_FILTER } from '../../models/catalog/catalog-query';
import { isProduct } from '../../models/catalog/item';
import { type AppError, badRequest, insufficientCredits } from '../../models/errors';
import type * as ports from '../../models/ports';
import { PORTS } from '../../models/ports';
import { retryAlways } from '../../models/retries';
import { FOUND, type FoundLine, foundRows, itemsIn } from '../catalog/catalog-items';
import { Batcher } from '../core/batcher';
import { sqlStateOf } from '../core/postgres-faults';
import { insertMessages, isPast } from '../core/shared-clauses';
import { inTransaction, prepared, rowsOf, type Sql, sql } from '../core/sql';
import { usageOf } from './usage';

const UNIQUE_VIOLATION = '23505';

interface Settlement {
  readonly charge: ports.ChargeRequest;
  readonly amount: number;
  readonly answer?: string | undefined;
}

type ChargedSale = ports.Sale & Pick<Settlement, 'charge'>;

const amountOf = ({ amount }: Settlement): number => amount;

/** Retries for ten minutes, in the end once a minute; a longer outage needs an operator. */
const REFUND_TRIES = { retries: 15, minTimeout: 1_000, maxTimeout: 60_000, unref: true } as const;

/**
 * Credits in PostgreSQL (contract 10.5). Every movement is one statement, so it happens whole or not at all, and
 * concurrent ones queue at the account's row; those of one process go together. The constraints of `accounts` keep every
 * balance and every sum of reservations true; an attempt against them fails as a whole.
 *
 * Reservations expire: `expireReservations` is called from time to time, and an account short of credits does not wait for it.
 * Settling a charge whose reservation has expired books all of it if the account's balance less its other reservations still
 * covers it, else nothing; so an answer says `credits_used` exactly when the ledger has it.
 */
@injectable()
export class PostgresCreditLedger implements ports.CreditLedger {
  readonly #settlements = new Batcher((settlements: readonly Settlement[]) =>
    bookedTogether(settlements, amountOf, (each) => this.settleAll(each)),
  );
  readonly #sales = new Batcher((sales: readonly ChargedSale[]) =>
    bookedTogether(sales, maxPriceOf, (each) => this.sellAll(each)),
  );

  constructor(
    @inject(PORTS.Knex) private readonly knex: Knex,
    @inject(PORTS.Clock) private readonly clock: ports.Clock,
  ) {}

  /** Always true for an unlimited account, which reserves nothing. A repeated call changes nothing. */
  async reserve(charge: ports.ChargeRequest, amount: number, expiresAt: Date): Promise<boolean> {
    if (await this.hold(charge, amount, expiresAt)) return true;
    // Tried again even if nothing had expired: another process may have swept just before.
    await this.sweep(charge.accountId);
    return this.hold(charge, amount, expiresAt);
  }

  /** @throws AppError 402 when the balance does not cover the amount, or no longer does because the reservation has expired */
  async settle(charge: ports.ChargeRequest, amount: number, answer?: string): Promise<ports.Booking> {
    if (charge.idempotencyKey === undefined)
      return this.#settlements.submit({ charge, amount }, charge.accountId);
    // Not by the batcher, which keeps its last items: answers may be large.
    const alone = [{ charge, amount, answer }];
    const [booking] = await bookedTogether(alone, amountOf, (each) => this.settleAll(each));
    if (booking === undefined || booking instanceof Error) throw booking;
    return booking;
  }

  /** Settles charges of one account together, or that of an idempotent call: one update of the account, one commit. */
  private async settleAll(settlements: readonly Settlement[]): Promise<ports.Booking[]> {
    const charges = settlements.map(({ charge }) => charge);
    const { idempotencyKey, accountId = null, chargeId = null } = charges[0] ?? {};
    const answer = settlements[0]?.answer ?? null;
    const kept =
      idempotencyKey === undefined
        ? sql`SELECT true`
        : sql`UPDATE idempotent_calls SET answer = ${answer}
            WHERE account_id = ${accountId} AND key = ${idempotencyKey} AND charge_id = ${chargeId}
              AND (answer IS NULL OR answer = ${answer}) RETURNING true`;
    const owed = sql`SELECT * FROM unnest(${charges.map((each) => each.chargeId)}::text[],
      ${settlements.map(amountOf)}::bigint[]) AS owed (charge_id, amount) WHERE EXISTS (SELECT FROM kept)`;
    const [account] = await rowsOf<{ credits: number | null; current: boolean }>(
      this.knex,
      prepared(
        sql`WITH kept AS (${kept}), ${bookings(charges, owed, this.clock.now())}
            SELECT ${creditsLeft(charges[0])} AS credits, EXISTS (SELECT FROM kept) AS current`,
      ),
    );
    return settlements.map(() => (account?.current ? { creditsRemaining: account.credits } : 'superseded'));
  }

  /** One statement serves concurrent sales of an account. */
  sell(charge: ports.ChargeRequest, sale: ports.Sale): Promise<ports.Sold | null> {
    return this.#sales.submit({ ...sale, charge }, `${charge.accountId} ${sale.pricing} ${sale.sandbox}`);
  }

  private async sellAll(sales: readonly ChargedSale[]): Promise<(ports.Sold | null)[]> {
    const charges = sales.map(({ charge }) => charge);
    const [first] = sales;
    const scope = first?.sandbox && { ...NO_FILTER, sandbox: first.sandbox };
    const wanted = sales.map(({ charge, ...sale }) => ({ ...sale, owner: charge.chargeId }));
    const found = await rowsOf<FoundLine & { readonly credits: number | null }>(
      this.knex,
      prepared(
        sql`WITH ${foundRows(wanted, first?.pricing ?? false, scope)},
              ${bookings(charges, owedFor(sales), this.clock.now())}
            SELECT ${creditsLeft(first?.charge)} AS credits, ${FOUND}`,
      ),
    );
    const itemsOf = itemsIn(found);
    return sales.map(({ charge, rows, price, together, free = [] }) => {
      if (found[0]?.gone?.includes(charge.chargeId)) return null;
      const items = itemsOf(rows);
      const paid = items.filter(({ id }) => !free.includes(id));
      const prices = paid.map((item) => (isProduct(item) ? price.product : price.other));
      return { items, creditsUsed: costOf(prices, together), creditsRemaining: found[0]?.credits ?? null };
    });
  }

  refund(charge: ports.ChargeRequest): Promise<void> {
    return retryAlways(() => this.undo(charge), REFUND_TRIES);
  }

  async expireReservations(): Promise<void> {
    const holders = await rowsOf<{ id: string }>(this.knex)`
      SELECT DISTINCT account_id AS id FROM credit_reservations WHERE ${this.isExpired()}`;
    for (const { id } of holders) await this.sweep(id);
  }

  async topUp(accountId: string, amount: number, note: string | null): Promise<number | null> {
    await this.sweep(accountId);
    const [account] = await rowsOf<{ credits: number | null; held: number; added: boolean }>(this.knex)`
      WITH account AS (
        UPDATE accounts SET credits = credits + ${amount}::bigint
        WHERE id = ${accountId} AND credits + ${amount}::bigint BETWEEN held AND ${CREDITS_MAX}::bigint
        RETURNING id, credits
      ), noted AS (
        INSERT INTO credit_top_ups (account_id, amount, added_at, note)
        SELECT id, ${amount}::bigint, ${this.clock.now()}::timestamptz, ${note}::text
        FROM account WHERE ${amount}::bigint <> 0
      )
      SELECT coalesce(account.credits, accounts.credits) AS credits, held, account.id IS NOT NULL AS added
      FROM accounts LEFT JOIN account USING (id) WHERE accounts.id = ${accountId}`;
    if (!account || account.credits === null) return null;
    if (!account.added) throw outOfRange(account.credits, account.held, amount);
    return account.credits;
  }

  async topUps(accountId: string): Promise<readonly ports.TopUp[]> {
    return rowsOf<ports.TopUp>(this.knex)`
      SELECT added_at AS at, amount, note FROM credit_top_ups WHERE account_id = ${accountId} ORDER BY id`;
  }

  /** From `since` on, before `until`; by day (UTC), then endpoint. */
  usage(accountId: string, since: Date | null, until: Date | null, test?: boolean) {
    return usageOf(this.knex, accountId, since, until, test);
  }

  /** A crash may lose a reservation, which then counts as expired: not worth waiting for the disk. */
  private async hold(charge: ports.ChargeRequest, amount: number, expiresAt: Date): Promise<boolean> {
    try {
      const [outcome] = await rowsOf<{ covered: boolean }>(this.knex)`
        WITH account AS (
          UPDATE accounts SET held = held + ${amount}::bigint
          WHERE id = ${charge.accountId} AND credits - held >= ${amount}::bigint
            AND NOT EXISTS (SELECT FROM credit_reservations WHERE charge_id = ${charge.chargeId}) RETURNING id
        ), reservation AS (
          INSERT INTO credit_reservations (charge_id, account_id, amount, expires_at)
          SELECT ${charge.chargeId}, id, ${amount}::bigint, ${expiresAt}::timestamptz FROM account
          RETURNING charge_id
        )
        SELECT EXISTS (SELECT FROM accounts WHERE id = ${charge.accountId} AND credits IS NULL)
          OR EXISTS (SELECT FROM credit_reservations WHERE charge_id = ${charge.chargeId})
          OR EXISTS (SELECT FROM reservation) AS covered,
          set_config('synchronous_commit', 'off', true)`;
      return outcome?.covered === true;
    } catch (error) {
      // The same charge was reserved concurrently; this statement failed as a whole and reserved nothing.
      if (sqlStateOf(error) === UNIQUE_VIOLATION) return true;
      throw error;
    }
  }

  /**
   * Undoes a charge, even one that is being booked: it stays in the ledger with amount 0, so that it can't be booked again. An answer
   * that a repetition has received stays with its charge. Locks in the order of `settle`: call, ledger, reservation, account.
   */
  private undo(charge: ports.ChargeRequest): Promise<void> {
    const { chargeId, accountId, idempotencyKey = null } = charge;
    return inTransaction(this.knex, async (transaction) => {
      const [call] = await rowsOf<{ replayed: boolean }>(transaction)`SELECT replayed FROM idempotent_calls
        WHERE account_id = ${accountId} AND key = ${idempotencyKey} AND charge_id = ${chargeId} FOR UPDATE`;
      if (call?.replayed) return;
      await rowsOf(transaction)`DELETE FROM idempotent_calls
        WHERE account_id = ${accountId} AND key = ${idempotencyKey} AND charge_id = ${chargeId}`;
      await rowsOf(transaction)`
        INSERT INTO credit_ledger (charge_id, account_id, key_id, endpoint, request_id, amount, booked_at)
        VALUES (${chargeId}, ${accountId}, ${charge.keyId}, ${charge.endpoint}, ${charge.requestId}, 0,
          ${this.clock.now()})
        ON CONFLICT (charge_id) DO NOTHING`;
      // A booking that was under way has ended by now and is visible; nobody else can refund it meanwhile.
      const [entry] = await rowsOf<{ amount: number }>(transaction)`
        SELECT amount FROM credit_ledger WHERE charge_id = ${chargeId} FOR UPDATE`;
      await rowsOf(transaction)`
        WITH freed AS (DELETE FROM credit_reservations WHERE charge_id = ${chargeId} RETURNING amount),
        emptied AS (UPDATE credit_ledger SET amount = 0 WHERE charge_id = ${chargeId})
        UPDATE accounts SET held = held - coalesce((SELECT amount FROM freed), 0),
          credits = credits + ${entry?.amount ?? 0}::bigint
        WHERE id = ${accountId}`;
    });
  }

  private isExpired(): Sql {
    return isPast(sql`expires_at`, this.clock.now(), RESERVATION_MS);
  }

  private async sweep(accountId: string): Promise<void> {
    await rowsOf(this.knex)`
      WITH expired AS (
        DELETE FROM credit_reservations
        WHERE account_id = ${accountId} AND ${this.isExpired()} RETURNING amount
      )
      UPDATE accounts SET held = held - (SELECT coalesce(sum(amount), 0) FROM expired) WHERE id = ${accountId}`;
  }
}

function outOfRange(credits: number, held: number, amount: number): AppError {
  if (amount > 0)
    return badRequest(`An account has at most ${CREDITS_MAX} credits; this one has ${credits}.`);
  const running = held === 0 ? '' : `, and calls that run hold ${held} of them`;
  return badRequest(`The account has ${credits} credits${running}; no more can be taken off.`);
}

/** SQLSTATE of a violated constraint, such as a balance below zero. */
const CHECK_VIOLATION = '23514';

/** The bookings that take the balance below an address's threshold (contract 16.16): one of several concurrent statements. */
const LOW_CREDITS = {
  data: sql`json_build_object('credits', a.credits, 'credits_below', e.credits_below)`,
  whose: sql`e.account_id = a.id AND a.credits < e.credits_below
    AND a.credits + (SELECT coalesce(sum(amount), 0) FROM booked) >= e.credits_below`,
  from: sql`, account a`,
};

/**
 * The part of a statement that books charges of one account and frees what was held for them: common table expressions,
 * of which `account` has the credits left of a limited account that was changed; an unlimited one has only the ledger. A charge
 * is booked once. Locks are taken in one order everywhere: ledger, reservations (so they ask what was booked), account.
 * @param owed a query for `charge_id` and `amount`; a charge that is missing or 0 is not booked
 */
function bookings(charges: readonly ports.ChargeRequest[], owed: Sql, now: Date): Sql {
  const ids = charges.map(({ chargeId }) => chargeId);
  const { accountId = null, isUnlimited } = charges[0] ?? {};
  const booked = sql`booked AS (
      INSERT INTO credit_ledger (charge_id, account_id, key_id, endpoint, request_id, amount, booked_at)
      SELECT charge_id, ${accountId}::text, key_id, endpoint, request_id, amount, ${now}::timestamptz
      FROM unnest(${ids}::text[], ${charges.map(({ keyId }) => keyId)}::text[],
          ${charges.map(({ endpoint }) => endpoint)}::text[], ${charges.map(({ requestId }) => requestId)}::text[])
        AS charge (charge_id, key_id, endpoint, request_id)
      JOIN (${owed}) AS owed USING (charge_id)
      WHERE amount > 0 ON CONFLICT (charge_id) DO NOTHING RETURNING amount
    )`;
  if (isUnlimited) return booked;
  return sql`${booked}, freed AS (
      DELETE FROM credit_reservations
      WHERE charge_id = ANY(${ids}::text[]) AND (SELECT count(*) FROM booked) >= 0 RETURNING amount
    ), account AS (
      UPDATE accounts SET held = held - coalesce((SELECT sum(amount) FROM freed), 0)::bigint,
        credits = credits - coalesce((SELECT sum(amount) FROM booked), 0)::bigint
      WHERE id = ${accountId} AND credits IS NOT NULL AND (EXISTS (SELECT FROM freed) OR EXISTS (SELECT FROM booked))
      RETURNING id, credits
    ), notified AS (${insertMessages('account.credits.low', now, LOW_CREDITS)})`;
}

/** The balance after `bookings`; null if unlimited. Reads under the lock, as another process may just have booked the same. */
const creditsLeft = (charge?: ports.ChargeRequest): Sql =>
  charge?.isUnlimited
    ? sql`NULL::bigint`
    : sql`coalesce((SELECT credits FROM account),
        (SELECT credits FROM accounts WHERE id = ${charge?.accountId ?? null} AND credits IS NOT NULL FOR NO KEY UPDATE))`;

const maxPriceOf = ({ rows, price, together }: ChargedSale): number =>
  Math.max(price.product, price.other) * (together ? 1 : rows.length);

const costOf = (prices: readonly number[], together = false): number =>
  together ? Math.max(0, ...prices) : prices.reduce((sum, price) => sum + price, 0);

function owedFor(sales: readonly ChargedSale[]): Sql {
  const wanted = sales.flatMap(({ charge, rows, price, together = false, free = [] }) =>
    rows
      .filter((id) => !free.includes(id))
      .map((id) => ({ charge_id: charge.chargeId, id, ...price, together })),
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

/**
 * Runs booking work for all items together or, if their account does not cover all, for each separately, so that none is refused
 * because of another. @returns in the order of the items; a 402 for each that is not covered
 */
async function bookedTogether<Item, Result>(
  items: readonly Item[],
  maxPrice: (item: Item) => number,
  book: (items: readonly Item[]) => Promise<readonly Result[]>,
): Promise<(Result | Error)[]> {
  try {
    return [...(await book(items))];
  } catch (failure) {
    if (sqlStateOf(failure) !== CHECK_VIOLATION) throw failure;
    if (items.length === 1) return items.map((item) => insufficientCredits(maxPrice(item)));
  }
  const results: (Result | Error)[] = [];
  for (const item of items) results.push(...(await bookedTogether([item], maxPrice, book)));
  return results;
}
