import type { Knex } from 'knex';
import { rowsOf, sql } from '../sql';
import type { EntityReference, ImportTarget, StoredImage, VariantOwner } from './import-target';
import type { LiveTarget } from './live-target';
import {
  type CategoryRecord,
  type Deletion,
  type EntityRecord,
  isDeletion,
  type ProductRecord,
  type TagRecord,
} from './records';
import { upsertRows } from './upsert-rows';
import type { WrittenTable } from './written-table';

const PREVIEW: WrittenTable = {
  name: 'catalog_import_preview',
  key: ['id'],
  columns: { id: 'text', kind: 'text', category: 'text', product_id: 'text', deleted: 'boolean' },
  dated: false,
};

interface PreviewRow {
  readonly id: string;
  readonly kind: string;
  readonly category: string | null;
  /** Of a variant: its product, null once it was given up. */
  readonly product_id: string | null;
  readonly deleted: boolean;
}

/**
 * A catalog that a dry run can change: answers as if the writes had happened and changes nothing of the real one. It
 * notes what later lines may refer to in a table of its own, not in memory: a bundle may be larger than that.
 */
export class PreviewTarget implements ImportTarget {
  private readonly categories = new Set<string>();
  private readonly tags = new Set<string>();

  private constructor(
    private readonly knex: Knex,
    private readonly live: LiveTarget,
  ) {}

  /** Begins a dry run under the lock of `live`. */
  static async open(knex: Knex, live: LiveTarget): Promise<PreviewTarget> {
    await knex('catalog_import_preview').delete();
    return new PreviewTarget(knex, live);
  }

  async categoryIds(): Promise<string[]> {
    return [...new Set([...(await this.live.categoryIds()), ...this.categories])];
  }

  async tagIds(): Promise<string[]> {
    return [...new Set([...(await this.live.tagIds()), ...this.tags])];
  }

  async entities(ids: readonly string[]): Promise<Map<string, EntityReference>> {
    const known = await this.live.entities(ids);
    for (const { id, kind, category } of await this.noted(ids, [])) {
      if (category !== null) known.set(id, { kind, category });
    }
    return known;
  }

  async variants(ids: readonly string[], productIds: readonly string[]): Promise<VariantOwner[]> {
    const owners = await this.live.variants(ids, productIds);
    const noted = await this.noted([...ids, ...owners.map((owner) => owner.id)], productIds);
    const byId = new Map(owners.map((owner) => [owner.id, owner]));
    for (const { id, product_id, deleted } of noted) {
      if (product_id === null) byId.delete(id);
      else byId.set(id, { id, product_id, deleted });
    }
    return [...byId.values()];
  }

  storedImage(digest: string): Promise<StoredImage | null> {
    return this.live.storedImage(digest);
  }

  async rememberImage(): Promise<void> {}

  async prepareProducts(): Promise<void> {}

  async missingIndexes(): Promise<number> {
    return 0;
  }

  async makeIndexes(): Promise<void> {}

  async writeCategories(records: readonly CategoryRecord[]): Promise<void> {
    for (const record of records) this.categories.add(record.id);
  }

  async writeTags(records: readonly TagRecord[]): Promise<void> {
    for (const record of records) this.tags.add(record.id);
  }

  async writeEntities(records: readonly (EntityRecord | Deletion)[]): Promise<void> {
    await this.note(
      records.flatMap((record) =>
        isDeletion(record)
          ? []
          : [
              {
                id: record.id,
                kind: record.kind,
                category: record.category,
                product_id: null,
                deleted: false,
              },
            ],
      ),
    );
  }

  async writeProducts(records: readonly (ProductRecord | Deletion)[]): Promise<void> {
    const owners = await this.variants(
      [],
      records.map((record) => record.id),
    );
    const rows = new Map<string, PreviewRow>();
    const noteVariant = (id: string, product_id: string | null, deleted: boolean) =>
      rows.set(id, { id, kind: 'variant', category: null, product_id, deleted });
    const byId = new Map(records.map((record) => [record.id, record]));
    for (const { id, product_id } of owners) {
      const isDeleted = isDeletion(byId.get(product_id) ?? { id: product_id });
      noteVariant(id, isDeleted ? product_id : null, isDeleted);
    }
    for (const record of records) {
      if (!isDeletion(record)) for (const { id } of record.variants) noteVariant(id, record.id, false);
    }
    await this.note([...rows.values()]);
  }

  async writeEstimates(): Promise<void> {}

  async writeHistory(): Promise<void> {}

  async writeListings(): Promise<void> {}

  /** A dry run writes nothing, so there is nothing to be had from writing much at once. */
  readonly lanes = 0;

  async areNewProducts(): Promise<boolean> {
    return false;
  }

  async areNewEstimates(): Promise<boolean> {
    return false;
  }

  async beginProducts(): Promise<never> {
    throw new Error('a dry run loads nothing');
  }

  async beginEstimates(): Promise<never> {
    throw new Error('a dry run loads nothing');
  }

  async writeLoad(): Promise<null> {
    return null;
  }

  async staleRows(): Promise<number> {
    return 0;
  }

  async projectStaleRows(): Promise<number> {
    return 0;
  }

  async tidy(): Promise<void> {}

  async refreshSearch(): Promise<void> {}

  async close(): Promise<void> {
    await this.knex('catalog_import_preview').delete();
    await this.live.close();
  }

  private async note(rows: readonly PreviewRow[]): Promise<void> {
    await upsertRows(this.knex, PREVIEW, rows, 'id');
  }

  private async noted(ids: readonly string[], productIds: readonly string[]): Promise<PreviewRow[]> {
    const rows = await rowsOf<PreviewRow>(
      this.knex,
      sql`SELECT * FROM catalog_import_preview WHERE id = ANY(${ids}::text[])
          UNION SELECT * FROM catalog_import_preview WHERE product_id = ANY(${productIds}::text[])`,
    );
    return rows;
  }
}
