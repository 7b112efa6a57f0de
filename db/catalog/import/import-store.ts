import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import type { Knex } from 'knex';
import { isDeletion, type RecordKind, type WrittenRecords } from '../../../models/catalog/import/records';
import type { CatalogImportStore, FeedRun, RecordTransaction } from '../../../models/ports';
import type { OpenAuditEntry } from '../../core/audit-log';
import { writtenTable } from '../../core/copy-rows';
import { insertMessages } from '../../core/shared-clauses';
import { disableTimeout, rowsOf, type Sql, sql } from '../../core/sql';
import { upsert } from '../../core/staging';
import { makeSearchSnapshot } from '../search/make-snapshot';
import { countOf } from './catalog-tables';
import { PostgresRecordStore, STOPPED_IMPORT } from './record-store';
import { countDeferredIndexes, deferIndexes, makeIndexes, tidyTables } from './search-upkeep';

const BEAT_MS = 2_000;
const POLL_MS = 250;
const LOST = 'This import stood still and another one took its place.';

/**
 * Acquires the right to import, which only one import holds at a time: a row that it renews, rather than an advisory lock,
 * because all clients of the embedded database share one session. Waits for a holder that seems to have died, whose row has not
 * been renewed for 10 s. Resolves to the name of the new holder.
 * @throws Error when another import is alive
 */
export async function acquireImport(knex: Knex): Promise<string> {
  const holder = randomUUID();
  for (let last: string | undefined; ; await delay(POLL_MS)) {
    await rowsOf(knex)`DELETE FROM catalog_import_lock WHERE ${STOPPED_IMPORT}`;
    const taken = await rowsOf(knex)`INSERT INTO catalog_import_lock (holder, host, process_id)
      VALUES (${holder}, ${hostname()}, ${process.pid}) ON CONFLICT DO NOTHING RETURNING holder`;
    if (taken.length > 0) return holder;
    const [other] = await rowsOf<{ host: string; process_id: number; started_at: Date; beat: string }>(knex)`
      SELECT host, process_id, started_at, holder || heartbeat_at AS beat FROM catalog_import_lock`;
    if (other && last !== undefined && other.beat !== last) {
      const holder = `process ${other.process_id} on ${other.host}`;
      throw new Error(
        `Another import has been running since ${other.started_at.toISOString()} (${holder}). Start this one again when it is done.`,
      );
    }
    last = other?.beat;
  }
}

/** From this many first products on, it pays to make the indexes at the end. */
const MANY_PRODUCTS = 2_000;
/** After fewer records the tables are practically unchanged. */
const RECORDS_WORTH_TIDYING = 1_000;

export class PostgresImportStore extends PostgresRecordStore implements CatalogImportStore {
  private readonly heartbeat: NodeJS.Timeout;
  /** Whether this is a first load, which may make its indexes at its end; null until that was checked. */
  private isFirstLoad: boolean | null;
  private snapshot: Promise<unknown> = Promise.resolve();
  readonly connections: number;
  readonly worksInParallel: boolean;

  /** @param holder by `acquireImport` @param connections how many may work at the same time; the embedded database has one */
  constructor(
    knex: Knex,
    private readonly holder: string,
    connections: number,
    entry: OpenAuditEntry | null,
  ) {
    super(knex, entry);
    // The snapshot, a transaction that writes and the heartbeat need one each.
    this.worksInParallel = connections > 1 && knex.client.pool.max >= connections + 3;
    this.connections = this.worksInParallel ? connections : 1;
    const beat = sql`UPDATE catalog_import_lock SET heartbeat_at = clock_timestamp() WHERE holder = ${holder}`;
    this.heartbeat = setInterval(() => void rowsOf(knex, beat).catch(() => undefined), BEAT_MS).unref();
    // Making an index would keep all others from the one session of the embedded database.
    this.isFirstLoad = connections === 1 ? false : null;
  }

  /**
   * Only for the holder: one that was replaced writes nothing more. Statements have no time limit, as a large catalog takes long.
   * A commit does not wait for the disk: after a crash of the server, starting the import again redoes what was lost, and the end
   * of the import waits for all of it.
   * @throws Error when another import has replaced this one
   */
  override readonly inTransaction = <Result>(work: (trx: Knex) => Promise<Result>): Promise<Result> =>
    super.inTransaction(async (trx) => {
      // Replacing the holder deletes the row, and so waits for the end of this; a heartbeat does not.
      const held = await rowsOf(trx)`
        SELECT set_config('synchronous_commit', 'off', true)
        FROM catalog_import_lock WHERE holder = ${this.holder} FOR KEY SHARE`;
      if (held.length === 0) throw new Error(LOST);
      await disableTimeout(trx);
      return await work(trx);
    });

  override async transaction<Result>(
    work: (transaction: RecordTransaction) => Promise<Result>,
  ): Promise<Result> {
    if (this.isFirstLoad !== false) await this.deferIndexesOfFirstLoad();
    return await super.transaction(work);
  }

  /** A large load into a catalog without products is written without the search indexes, which are made at its end. */
  private async deferIndexesOfFirstLoad(): Promise<void> {
    const products = await countOf(
      this.knex,
      sql`FROM (SELECT FROM products LIMIT ${MANY_PRODUCTS}) AS first`,
    );
    this.isFirstLoad ??= products === 0;
    if (products < MANY_PRODUCTS) return;
    if (this.isFirstLoad) await deferIndexes(this);
    this.isFirstLoad = false;
  }

  async openFeed(feed: string): Promise<FeedRun> {
    const run = randomUUID();
    return {
      ...(await readFeed(this.knex, feed, sql`run <> ${run}`)),
      note: async (productIds) => {
        if (productIds.length === 0) return;
        const noted = sql`INSERT INTO product_feeds (feed, product_id, run)
          SELECT ${feed}, id, ${run} FROM unnest(${[...new Set(productIds)]}::text[]) AS given (id) ORDER BY id
          ON CONFLICT (feed, product_id) DO UPDATE SET run = excluded.run`;
        await this.inTransaction((trx) => rowsOf(trx, noted));
      },
      forgetMissing: async () => {
        const gone = sql`DELETE FROM product_feeds WHERE feed = ${feed} AND run <> ${run}`;
        await this.inTransaction((trx) => rowsOf(trx, gone));
      },
    };
  }

  async staleRows(): Promise<number> {
    return await countOf(this.knex, sql`FROM catalog_stale_rows`);
  }

  async missingIndexes(): Promise<number> {
    return await countDeferredIndexes(this.knex);
  }

  productsWritten(): void {
    this.isFirstLoad = false;
    // Prices are in no snapshot. If this one fails, the end of the import makes it.
    if (this.worksInParallel) this.snapshot = makeSearchSnapshot(this.knex).catch(() => undefined);
  }

  async makeIndexes(onMade: () => void): Promise<void> {
    this.derivesLater = true;
    await makeIndexes(this, onMade);
    this.derivesLater = false;
  }

  async end(counts: { readonly accepted: number; readonly rejected: number }, now: Date): Promise<void> {
    await this.snapshot;
    if (counts.accepted >= RECORDS_WORTH_TIDYING) await tidyTables(this);
    await makeSearchSnapshot(this.knex);
    const message = { data: sql`${JSON.stringify(counts)}::json`, whose: sql`true` };
    await this.inTransaction((trx) => rowsOf(trx, insertMessages('catalog.import.done', now, message)));
  }

  /** Resolves once the disk has everything that this import wrote. */
  async close(): Promise<void> {
    await this.snapshot;
    clearInterval(this.heartbeat);
    await rowsOf(this.knex)`DELETE FROM catalog_import_lock WHERE holder = ${this.holder}`;
  }
}

/** What a feed has lost. @param isMissing tells rows of `product_feeds`, as `own`, that this import did not mark */
async function readFeed(knex: Knex, feed: string, isMissing: Sql) {
  const live = sql`FROM product_feeds AS own JOIN products ON id = product_id WHERE feed = ${feed} AND NOT deleted`;
  const missing = sql`${live} AND ${isMissing}
    AND NOT EXISTS (SELECT FROM product_feeds AS other WHERE other.product_id = own.product_id AND other.feed <> own.feed)`;
  return {
    known: await countOf(knex, live),
    hasAny: async (ids: readonly string[]) =>
      (await countOf(knex, sql`${live} AND product_id = ANY(${[...ids]}::text[])`)) > 0,
    missingCount: () => countOf(knex, missing),
    async missing(after: string, limit: number) {
      const rows = await rowsOf<{ id: string }>(knex)`
        SELECT product_id AS id ${missing} AND product_id > ${after} ORDER BY product_id LIMIT ${limit}`;
      return rows.map(({ id }) => id);
    },
  };
}

/**
 * @param connections how many work at once where the work can be split; the embedded database has one session, so one
 * @param entry the import in the audit log; none for a dry run
 * @throws Error when another import is alive; a dry run works beside others
 */
export async function openImport(
  knex: Knex,
  dryRun: boolean,
  connections = 1,
  entry: OpenAuditEntry | null = null,
): Promise<CatalogImportStore> {
  if (!dryRun) return new PostgresImportStore(knex, await acquireImport(knex), connections, entry);
  // Those of dry runs that were killed.
  const after = (ms: number) => new Date(Date.now() + ms).toISOString();
  await rowsOf(
    knex,
  )`DELETE FROM catalog_import_preview WHERE id NOT BETWEEN ${after(-DAY_MS)} AND ${after(DAY_MS)}`;
  return new DryRunStore(knex, null);
}

const DAY_MS = 86_400_000;

const PREVIEW = writtenTable(
  'catalog_import_preview',
  'id',
  'id text, kind text, category text, product_id text, deleted boolean',
);

interface PreviewRow {
  readonly id: string;
  readonly kind: string;
  readonly category: string | null;
  /** Of a variant: its product, null while none names it. */
  readonly product_id: string | null;
  readonly deleted: boolean;
}

/** The fields of a merely noted entity that no check reads. Its id stands in for its name, as a product must have one. */
const UNKNOWN = { parents: {}, tags: [], keywords: [], popularity: 0, images: [], thumbnails: [] };

/** What a dry run would change is noted in a table, as far as later lines refer to it: it may be larger than memory. */
class DryRunStore extends PostgresRecordStore implements CatalogImportStore {
  /** Its notes have this before their ids, as other dry runs may write theirs. */
  private readonly run = `${new Date().toISOString()} ${randomUUID()} `;
  private readonly noted = sql`SELECT substr(id, ${this.run.length + 1}) AS id, kind, category,
    substr(product_id, ${this.run.length + 1}) AS product_id, deleted FROM catalog_import_preview`;
  /** Reading the catalog anew would not find what was noted. */
  override taxonomyVersion = async () => 0;
  readonly worksInParallel = false;
  staleRows = async () => 0;
  missingIndexes = async () => 0;
  makeIndexes = async () => undefined;
  productsWritten = () => undefined;
  end = async () => undefined;

  override readonly inTransaction = <Result>(work: (trx: Knex) => Promise<Result>): Promise<Result> =>
    super.inTransaction(async (trx) => {
      await disableTimeout(trx);
      return await work(trx);
    });

  async openFeed(feed: string): Promise<FeedRun> {
    const isMissing = sql`NOT EXISTS (SELECT FROM catalog_import_preview AS seen WHERE seen.id = ${this.run}::text || own.product_id)`;
    return {
      ...(await readFeed(this.knex, feed, isMissing)),
      note: (productIds) => {
        const noted = { kind: 'product', category: null, product_id: null, deleted: false };
        const rows = this.owned([...new Set(productIds)]).map((id) => ({ ...noted, id }));
        return this.inTransaction((trx) => upsert(trx, PREVIEW, rows));
      },
      forgetMissing: async () => undefined,
    };
  }

  async close(): Promise<void> {
    const after = `${this.run}\u{10ffff}`;
    await rowsOf(this.knex)`DELETE FROM catalog_import_preview WHERE id BETWEEN ${this.run} AND ${after}`;
  }

  protected override async entitiesIn(knex: Knex, ids: readonly string[], onlyLive?: boolean) {
    const known = await super.entitiesIn(knex, ids, onlyLive);
    for (const { id, kind, category, deleted } of await this.notedOf(knex, ids)) {
      if (deleted && onlyLive) known.delete(id);
      else if (category !== null) known.set(id, { ...UNKNOWN, id, name: id, kind, category });
    }
    return known;
  }

  protected override async unpricedVariants(trx: Knex, ids: readonly string[]) {
    const unpriced = new Map((await super.unpricedVariants(trx, ids)).map((each) => [each.id, each]));
    for (const { id, product_id, deleted } of await this.notedOf(trx, ids)) {
      unpriced.delete(id);
      if (product_id === null || deleted) unpriced.set(id, { id, product_id, known: true });
    }
    return [...unpriced.values()];
  }

  protected override async write<Kind extends RecordKind>(
    trx: Knex,
    kind: Kind,
    records: readonly WrittenRecords[Kind][],
  ): Promise<void> {
    const notes: {
      readonly [Each in RecordKind]?: (given: readonly WrittenRecords[Each][]) => Promise<PreviewRow[]>;
    } = {
      entities: async (entities) => {
        const ids = entities.map(({ id }) => id);
        const known = await this.entitiesIn(trx, ids);
        return entities.flatMap((record) => {
          // Records may still name a deleted one.
          const entity = isDeletion(record) ? known.get(record.id) : record;
          return entity ? [{ ...entity, product_id: null, deleted: isDeletion(record) }] : [];
        });
      },
      products: (products) => this.variantsAfter(trx, products),
    };
    const rows = (await notes[kind]?.(records)) ?? [];
    const owned = rows.map((row) => ({
      ...row,
      id: this.run + row.id,
      product_id: row.product_id && this.run + row.product_id,
    }));
    await upsert(trx, PREVIEW, owned);
  }

  /** The variants that these products had, as the records before left them, and then those that they have. */
  private async variantsAfter(
    trx: Knex,
    records: readonly WrittenRecords['products'][],
  ): Promise<PreviewRow[]> {
    const variant = { kind: 'variant', category: null, deleted: false };
    const gone = new Set(records.filter(isDeletion).map(({ id }) => id));
    const products = records.map(({ id }) => id);
    const had = await rowsOf<{ id: string; product_id: string }>(trx)`
      SELECT id, product_id FROM (${this.noted} WHERE product_id = ANY(${this.owned(products)}::text[])) AS noted
      UNION SELECT id, product_id FROM variants WHERE product_id = ANY(${products}::text[])
        AND NOT EXISTS (SELECT FROM catalog_import_preview AS later WHERE later.id = ${this.run}::text || variants.id)`;
    return [
      ...had.map(({ id, product_id }) => {
        const deleted = gone.has(product_id);
        return { ...variant, id, product_id: deleted ? product_id : null, deleted };
      }),
      ...records.flatMap((record) =>
        isDeletion(record)
          ? []
          : record.variants.map(({ id }) => ({ ...variant, id, product_id: record.id })),
      ),
    ];
  }

  private notedOf(knex: Knex, ids: readonly string[]): Promise<PreviewRow[]> {
    return rowsOf<PreviewRow>(knex)`${this.noted} WHERE id = ANY(${this.owned(ids)}::text[])`;
  }

  private owned(ids: readonly string[]): string[] {
    return ids.map((id) => this.run + id);
  }
}
