import type { Knex } from 'knex';
import { makeSearchSnapshot } from '../search-snapshot/make-snapshot';
import { rowsOf, sql } from '../sql';
import { countDeferredIndexes, deferIndexes, makeIndexes } from './deferred-indexes';
import { areNewEstimates, EstimateLoad } from './estimate-load';
import { ImportLock } from './import-lock';
import type {
  EntityReference,
  ImportTarget,
  Load,
  StoredImage,
  VariantOwner,
  WrittenLoad,
} from './import-target';
import { type LoadSurroundings, loadOf } from './load-parts';
import { entityIds, loadEntityRecords } from './load-sources';
import { areNewProducts, hasProducts, ProductLoad } from './product-load';
import { ProductRows } from './product-rows';
import {
  type CategoryRecord,
  type Deletion,
  type EntityRecord,
  type EstimateRecord,
  type HistoryRecord,
  isDeletion,
  type ListingRecord,
  type ProductRecord,
  type TagRecord,
} from './records';
import { Remembered } from './remembered';
import { ShownBest } from './shown-best';
import { countStale, projectStale } from './stale-rows';
import { mergeCounts, tidyTables } from './tidy-tables';
import { Vocabulary } from './vocabulary';
import { writeEstimates, writeHistory, writeListings } from './write-prices';
import { writeProducts } from './write-products';
import { writeCategories, writeEntities, writeTags } from './write-taxonomy';

/** As many rows are derived again in the transaction that made them stale; more wait, so that it stays short. */
const STALE_AT_ONCE = 500;
/** So long in all; then the rest of a large import leaves it to its end, where each row comes once. */
const DERIVING_AT_ONCE_MS = 2_000;

/** Those of a million products; about 50 MB. */
const ENTITIES_MAX = 60_000;
const ENTITIES_AT_ONCE = 2_000;
/** An import whose products come to so many loads has thousands of them. */
const LOADS_OF_MANY_PRODUCTS = 6;

/** The catalog itself, changed under the lock of its one import. */
export class LiveTarget implements ImportTarget {
  private derivingMs = 0;
  private productLoads = 0;
  /** Before the first load. */
  private hadProducts = false;
  private readonly knownEntities = new Remembered((ids) => loadEntityRecords(this.knex, ids), ENTITIES_MAX);
  private readonly knownVariants = new Remembered((ids) => this.variantsById(ids));
  readonly productRows = new ProductRows(this.knownEntities);
  readonly vocabulary = new Vocabulary();
  readonly shownBest = new ShownBest();
  private readonly around: LoadSurroundings;

  private constructor(
    private readonly knex: Knex,
    private readonly lock: ImportLock,
    readonly lanes: number,
  ) {
    this.around = { lock, forget: () => this.forgetWritten() };
  }

  /** Begins an import. @throws ImportRunningError when another import is alive */
  static async open(knex: Knex, lanes: number): Promise<LiveTarget> {
    return new LiveTarget(knex, await ImportLock.acquire(knex), lanes);
  }

  async categoryIds(): Promise<string[]> {
    return await this.knex('categories').pluck('id');
  }

  async tagIds(): Promise<string[]> {
    return await this.knex('tags').pluck('id');
  }

  async entities(ids: readonly string[]): Promise<Map<string, EntityReference>> {
    return await this.knownEntities.get(ids);
  }

  async variants(ids: readonly string[], productIds: readonly string[]): Promise<VariantOwner[]> {
    const owners = await this.knownVariants.get(ids);
    if (productIds.length > 0) {
      for (const owner of await this.variantsOf(productIds)) owners.set(owner.id, owner);
    }
    return [...owners.values()];
  }

  async storedImage(digest: string): Promise<StoredImage | null> {
    const row = await this.knex<StoredImage & { digest: string }>('catalog_stored_images')
      .where({ digest })
      .first('address', 'thumbnail');
    return row ?? null;
  }

  async rememberImage(digest: string, { address, thumbnail }: StoredImage): Promise<void> {
    await this.knex('catalog_stored_images')
      .insert({ digest, address, thumbnail })
      .onConflict('digest')
      .merge();
  }

  async prepareProducts(records: readonly (ProductRecord | Deletion)[]): Promise<void> {
    await this.productRows.prepare(
      this.knex,
      records.flatMap((record) => (isDeletion(record) ? [] : [record])),
    );
  }

  async areNewProducts(ids: readonly string[]): Promise<boolean> {
    return await areNewProducts(this.knex, ids);
  }

  async areNewEstimates(records: readonly EstimateRecord[]): Promise<boolean> {
    return await areNewEstimates(this.knex, records);
  }

  async beginProducts(): Promise<Load<ProductRecord>> {
    this.knownVariants.forget();
    if (this.productLoads === 0) this.hadProducts = await hasProducts(this.knex);
    this.productLoads += 1;
    if (this.productLoads === LOADS_OF_MANY_PRODUCTS) await this.expectManyProducts();
    return loadOf(
      new ProductLoad(this.vocabulary, (products) => this.productRows.around(this.knex, products)),
      this.around,
    );
  }

  async missingIndexes(): Promise<number> {
    return await countDeferredIndexes(this.knex);
  }

  async makeIndexes(onMade: () => void): Promise<void> {
    await makeIndexes(this.knex, this.lock, this.lanes, onMade);
  }

  async beginEstimates(): Promise<Load<EstimateRecord>> {
    return loadOf(new EstimateLoad(this.shownBest), this.around);
  }

  async writeLoad(load: Pick<Load<never>, 'write'>, turn: Promise<boolean>): Promise<WrittenLoad> {
    return await load.write(turn);
  }

  async writeCategories(records: readonly CategoryRecord[]): Promise<void> {
    this.productRows.forgetCategories();
    await this.write((trx) => writeCategories(trx, records));
    this.shownBest.forget();
  }

  async writeTags(records: readonly TagRecord[]): Promise<void> {
    await this.lock.transaction((trx) => writeTags(trx, records));
  }

  async writeEntities(records: readonly (EntityRecord | Deletion)[]): Promise<void> {
    this.knownEntities.forget();
    await this.write((trx) => writeEntities(trx, records));
    this.shownBest.forget();
  }

  async writeProducts(records: readonly (ProductRecord | Deletion)[]): Promise<void> {
    this.knownVariants.forget();
    await this.write((trx) => writeProducts(trx, records, this));
  }

  async writeEstimates(records: readonly EstimateRecord[]): Promise<void> {
    const variants = await this.knownVariants.get(distinct(records.map((record) => record.variant_id)));
    await this.write((trx) => writeEstimates(trx, records, variants, this.shownBest));
  }

  async writeHistory(records: readonly HistoryRecord[]): Promise<void> {
    await this.lock.transaction((trx) => writeHistory(trx, records));
  }

  async writeListings(records: readonly ListingRecord[]): Promise<void> {
    await this.lock.transaction((trx) => writeListings(trx, records));
  }

  async staleRows(): Promise<number> {
    return await countStale(this.knex, Number.MAX_SAFE_INTEGER);
  }

  async projectStaleRows(limit: number): Promise<number> {
    this.shownBest.forget();
    return await this.lock.transaction((trx) => projectStale(trx, limit));
  }

  async tidy(): Promise<void> {
    await this.lock.transaction(mergeCounts);
    await tidyTables(this.knex, this.lock, this.lanes);
  }

  async refreshSearch(): Promise<void> {
    await makeSearchSnapshot(this.knex);
  }

  async close(): Promise<void> {
    await this.lock.release();
  }

  private async variantsById(ids: readonly string[]): Promise<Map<string, VariantOwner>> {
    // One look-up for each key: the planner else reads the whole table for a few thousand of them.
    const owners = await rowsOf<VariantOwner>(
      this.knex,
      sql`WITH owned AS MATERIALIZED (
            SELECT variant.* FROM unnest(${ids}::text[]) AS given (id) CROSS JOIN LATERAL (
              SELECT id, product_id FROM variants WHERE variants.id = given.id LIMIT 1) AS variant),
          gone AS (
            SELECT id FROM (SELECT DISTINCT product_id AS id FROM owned) AS owner
            WHERE (SELECT deleted FROM products WHERE products.id = owner.id))
          SELECT id, product_id, product_id IN (SELECT id FROM gone) AS deleted FROM owned`,
    );
    return new Map(owners.map((owner) => [owner.id, owner]));
  }

  private async variantsOf(productIds: readonly string[]): Promise<VariantOwner[]> {
    return await rowsOf(
      this.knex,
      sql`SELECT variants.id, product_id, deleted
          FROM unnest(${productIds}::text[]) AS given (id)
          CROSS JOIN LATERAL (SELECT id, deleted FROM products WHERE products.id = given.id LIMIT 1) AS product
          CROSS JOIN LATERAL (SELECT id, product_id FROM variants WHERE product_id = product.id OFFSET 0) AS variants`,
    );
  }

  private async write(work: (trx: Knex) => Promise<void>): Promise<void> {
    try {
      await this.lock.transaction(async (trx) => {
        await work(trx);
        if (this.derivingMs < DERIVING_AT_ONCE_MS) await this.deriveAtOnce(trx);
      });
    } catch (failure) {
      this.forgetWritten();
      throw failure;
    }
  }

  private async expectManyProducts(): Promise<void> {
    // The one session of the embedded database would be kept from all others while it makes an index.
    if (!this.hadProducts && this.lanes > 1) await deferIndexes(this.lock);
    await this.readEntitiesAhead();
  }

  /** Many products name most entities, and each few hundred of them a few new ones. */
  private async readEntitiesAhead(): Promise<void> {
    const ids = await entityIds(this.knex, ENTITIES_MAX + 1);
    if (ids.length > ENTITIES_MAX) return;
    for (let start = 0; start < ids.length; start += ENTITIES_AT_ONCE) {
      await this.knownEntities.among(ids.slice(start, start + ENTITIES_AT_ONCE));
    }
  }

  private forgetWritten(): void {
    this.vocabulary.forget();
    this.shownBest.forget();
  }

  private async deriveAtOnce(trx: Knex): Promise<void> {
    const stale = await countStale(trx, STALE_AT_ONCE + 1);
    if (stale === 0 || stale > STALE_AT_ONCE) return;
    this.shownBest.forget();
    const startedAt = performance.now();
    await projectStale(trx, STALE_AT_ONCE);
    this.derivingMs += performance.now() - startedAt;
  }
}

const distinct = (ids: readonly string[]): string[] => [...new Set(ids)];
