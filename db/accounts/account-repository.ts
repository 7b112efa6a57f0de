import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { inject, injectable } from 'tsyringe';
import { type Account, type ApiKey, type Caller, DEFAULT_SCOPES } from '../../models/access/api-key';
import { runAsParty } from '../../models/access/fair-budget';
import type { AccountRepository, Clock, KeyRotation, ListPage, NewKeyRecord } from '../../models/ports';
import { PORTS } from '../../models/ports';
import { Batcher } from '../core/batcher';
import { EXPIRY, isOpen } from '../core/shared-clauses';
import { allOf, prepared, rowsOf, type Sql, sql } from '../core/sql';

/** Null when the settings' values apply. */
const LIMITS = sql`json_build_object('perSecond', per_second, 'perMinute', per_minute, 'concurrency', concurrency)
  AS limits`;

const KEY = sql`id, account_id AS "accountId", name, versions, scopes, test, created_at AS "createdAt",
  ${EXPIRY} AS "expiresAt", revoked_at AS "revokedAt", ${LIMITS}`;

/** Nothing is cached, so a revocation or an expiry holds at once in every process (contract 9.4); in a flood one look-up serves many calls. */
@injectable()
export class PostgresAccountRepository implements AccountRepository {
  readonly #callers = new Batcher((hashes: readonly string[]) =>
    runAsParty('key look-ups', () => this.callersByHash(hashes)),
  );

  constructor(
    @inject(PORTS.Knex) private readonly knex: Knex,
    @inject(PORTS.Clock) private readonly clock: Clock,
  ) {}

  callerByKeyHash(hash: Buffer): Promise<Caller | null> {
    return this.#callers.submit(hash.toString('hex'));
  }

  async callerByKeyId(id: string): Promise<Caller | null> {
    return (await this.openKeys(sql`k.id = ${id}`))[0]?.caller ?? null;
  }

  /** The starting credits of an account are its first top-up. */
  async createAccount(name: string, credits: number | null): Promise<Account> {
    const id = `account_${randomUUID()}`;
    await rowsOf(this.knex)`
      WITH account AS (
        INSERT INTO accounts (id, name, credits) VALUES (${id}, ${name}, ${credits}) RETURNING id, credits
      )
      INSERT INTO credit_top_ups (account_id, amount) SELECT id, credits FROM account WHERE credits > 0`;
    return { id, name, credits, keepsPhotos: false };
  }

  async ensureAccount(name: string): Promise<Account> {
    const id = `account_${name}`;
    await rowsOf(this.knex)`
      INSERT INTO accounts (id, name, credits) VALUES (${id}, ${name}, NULL) ON CONFLICT (id) DO NOTHING`;
    return (await this.account(id)) ?? { id, name, credits: null, keepsPhotos: false };
  }

  listAccounts(page?: ListPage): Promise<readonly Account[]> {
    return this.accounts(allOf(following(sql`accounts`, page)), page?.limit);
  }

  async account(id: string): Promise<Account | null> {
    const [account] = await this.accounts(sql`id = ${id}`);
    return account ?? null;
  }

  async keepPhotos(id: string, keep: boolean): Promise<void> {
    await rowsOf(this.knex)`UPDATE accounts SET keep_photos = ${keep} WHERE id = ${id}`;
    if (keep) return;
    await rowsOf(this.knex)`
      DELETE FROM prediction_photos WHERE prediction_id IN (SELECT id FROM predictions WHERE account_id = ${id})`;
  }

  async createKey(wanted: NewKeyRecord): Promise<ApiKey> {
    const { accountId, name, versions, test, limits, hash, ...chosen } = wanted;
    const { scopes = DEFAULT_SCOPES, expiresAt = null } = chosen;
    const [key] = await rowsOf<ApiKey>(this.knex)`
      INSERT INTO api_keys (id, account_id, name, hash, versions, scopes, test, per_second, per_minute, concurrency,
        created_at, expires_at)
      VALUES (${`key_${randomUUID()}`}, ${accountId}, ${name}, ${hash}, ${versions}::text[], ${scopes}::text[],
        ${test}, ${limits.perSecond}, ${limits.perMinute}, ${limits.concurrency}, ${this.clock.now()}, ${expiresAt})
      RETURNING ${KEY}`;
    if (!key) throw new Error('the key was not inserted');
    return key;
  }

  /** One statement, so the old key never ends without the new one existing. Its webhooks go to the new one. */
  async rotateKey(id: string, hash: Buffer, { endsAt, expiresAt }: KeyRotation): Promise<ApiKey | null> {
    const now = this.clock.now();
    const until =
      expiresAt === undefined
        ? sql`${now}::timestamptz + (old.expires_at - old.created_at)`
        : sql`${expiresAt}`;
    const [made] = await rowsOf<ApiKey>(this.knex)`
      WITH old AS (
        SELECT * FROM api_keys WHERE id = ${id} AND ${isOpen(now)} FOR UPDATE
      ), ended AS (
        UPDATE api_keys k SET overlap_ends_at = least(k.overlap_ends_at, ${endsAt}::timestamptz)
        FROM old WHERE k.id = old.id
      ), made AS (
      INSERT INTO api_keys (id, account_id, name, hash, versions, scopes, test, per_second, per_minute, concurrency,
        created_at, expires_at)
      SELECT ${`key_${randomUUID()}`}, account_id, name, ${hash}, versions, scopes, test, per_second, per_minute,
        concurrency, ${now}, ${until} FROM old
      RETURNING ${KEY}
      ), notified AS (
        UPDATE webhook_endpoints SET key_id = made.id FROM made WHERE key_id = ${id}
      )
      SELECT * FROM made`;
    return made ?? null;
  }

  async key(id: string): Promise<ApiKey | null> {
    const [key] = await this.keys([sql`id = ${id}`]);
    return key ?? null;
  }

  listKeys(accountId?: string, page?: ListPage): Promise<readonly ApiKey[]> {
    const ofAccount = accountId === undefined ? [] : [sql`account_id = ${accountId}`];
    return this.keys([...ofAccount, ...following(sql`api_keys`, page)], page?.limit);
  }

  async revokeKey(id: string): Promise<string | null> {
    const [key] = await rowsOf<{ account_id: string }>(this.knex)`
      UPDATE api_keys SET revoked_at = coalesce(revoked_at, ${this.clock.now()}::timestamptz) WHERE id = ${id}
      RETURNING account_id`;
    return key?.account_id ?? null;
  }

  async countTestCalls(keyId: string, calls: number, max: number): Promise<boolean> {
    const month = this.clock.now().toISOString().slice(0, 'YYYY-MM'.length);
    const more = sql`CASE WHEN counted.month = excluded.month THEN counted.calls ELSE 0 END + excluded.calls`;
    const counted = await rowsOf(this.knex)`INSERT INTO test_calls AS counted (key_id, month, calls)
      SELECT ${keyId}, ${month}, ${calls}::integer WHERE ${calls}::integer <= ${max}::bigint
      ON CONFLICT (key_id) DO UPDATE SET month = excluded.month, calls = ${more} WHERE ${more} <= ${max}::bigint
      RETURNING key_id`;
    return counted.length > 0;
  }

  private async callersByHash(hashes: readonly string[]): Promise<(Caller | null)[]> {
    const wanted = hashes.map((hash) => `\\x${hash}`);
    const open = await this.openKeys(sql`k.hash = ANY(${wanted}::bytea[])`);
    const callers = new Map(open.map(({ hex, caller }) => [hex, caller]));
    return hashes.map((hash) => callers.get(hash) ?? null);
  }

  /** Everything that every call needs, in one statement. It reads embedding_versions, which no migration may lock for long. */
  private async openKeys(condition: Sql): Promise<{ readonly hex: string; readonly caller: Caller }[]> {
    const rows = await rowsOf<Caller & { readonly hex: string }>(
      this.knex,
      prepared(
        sql`SELECT k.id AS "keyId", account_id AS "accountId", versions, scopes, test, ${LIMITS}, credits, held,
              keep_photos AS "keepsPhotos", (SELECT version FROM catalog_taxonomy_version) AS "taxonomyVersion",
              (SELECT xmin::text FROM embedding_versions WHERE state = 'live') AS "liveStamp", encode(k.hash, 'hex') AS hex
            FROM api_keys k JOIN accounts a ON a.id = k.account_id
            WHERE ${condition} AND ${isOpen(this.clock.now())}`,
      ),
    );
    return rows.map(({ hex, ...caller }) => ({ hex, caller }));
  }

  private keys(conditions: readonly Sql[], limit: number | null = null): Promise<readonly ApiKey[]> {
    return rowsOf<ApiKey>(this.knex)`
      SELECT ${KEY} FROM api_keys WHERE ${allOf(conditions)} ORDER BY created_at, id LIMIT ${limit}`;
  }

  private accounts(condition: Sql, limit: number | null = null): Promise<Account[]> {
    return rowsOf<Account>(this.knex)`
      SELECT id, name, credits, keep_photos AS "keepsPhotos" FROM accounts WHERE ${condition}
      ORDER BY created_at, id LIMIT ${limit}`;
  }
}

/** The condition for rows after those of the previous page; empty for the first page. */
const following = (table: Sql, page?: ListPage): Sql[] =>
  page?.after == null
    ? []
    : [sql`(created_at, id) > (SELECT created_at, id FROM ${table} WHERE id = ${page.after})`];
