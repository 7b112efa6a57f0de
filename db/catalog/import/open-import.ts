import type { Knex } from 'knex';
import {
  type EntityRecord,
  isDeletion,
  type RecordKind,
  type WrittenRecords,
} from '../../../models/catalog/import/records';
import type { CatalogImportStore, VariantOwner } from '../../../models/ports';
import type { OpenAuditEntry } from '../../accounts/audit-log';
import type { WrittenTable } from '../../core/copy-rows';
import { rowsOf } from '../../core/sql';
import { upsert } from '../../core/staging';
import { acquireImport, PostgresImportStore } from './import-store';

/**
 * Begins an import, or a dry run, as the catalog's one import. `connections` is how many work at once where the work can be
 * split; the embedded database has one session, so one.
 * @param entry the import in the audit log; none for a dry run
 * @throws Error when another import is alive
 */
export async function openImport(
  knex: Knex,
  dryRun: boolean,
  connections = 1,
  entry: OpenAuditEntry | null = null,
): Promise<CatalogImportStore> {
  const holder = await acquireImport(knex);
  if (!dryRun) return new PostgresImportStore(knex, holder, connections, entry);
  await forget(knex);
  return new DryRunStore(knex, holder, connections, null);
}

/** Deletes the notes of a dry run, which may have been killed. */
const forget = (knex: Knex) => rowsOf(knex)`DELETE FROM catalog_import_preview`;

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
  /** Of a variant: its product, null while none names it. */
  readonly product_id: string | null;
  readonly deleted: boolean;
}

/** The fields of a merely noted entity that no check reads. Its id stands in for its name, as a product must have one. */
const UNKNOWN = { parents: {}, tags: [], keywords: [], popularity: 0, images: [], thumbnails: [] };

/** What a dry run would change is noted in a table, as far as later lines refer to it: it may be larger than memory. */
class DryRunStore extends PostgresImportStore {
  /** Reading the catalog anew would not find what was noted. */
  override taxonomyVersion = async () => 0;
  override staleRows = async () => 0;
  override missingIndexes = async () => 0;
  override end = async () => undefined;

  override async close(): Promise<void> {
    await forget(this.knex);
    await super.close();
  }

  protected override async entitiesIn(
    knex: Knex,
    ids: readonly string[],
  ): Promise<ReadonlyMap<string, EntityRecord>> {
    const known = new Map(await super.entitiesIn(knex, ids));
    for (const { id, kind, category } of await noted(knex, ids)) {
      if (category !== null) known.set(id, { ...UNKNOWN, id, name: id, kind, category });
    }
    return known;
  }

  protected override async variantOwners(
    trx: Knex,
    ids: readonly string[],
  ): Promise<readonly VariantOwner[]> {
    const owners = new Map((await super.variantOwners(trx, ids)).map((owner) => [owner.id, owner]));
    for (const row of await noted(trx, ids)) owners.set(row.id, row);
    return [...owners.values()];
  }

  protected override async write<Kind extends RecordKind>(
    trx: Knex,
    kind: Kind,
    records: readonly WrittenRecords[Kind][],
  ): Promise<void> {
    const notes: {
      readonly [Each in RecordKind]?: (given: readonly WrittenRecords[Each][]) => Promise<PreviewRow[]>;
    } = {
      entities: async (entities) =>
        entities.flatMap((record) =>
          isDeletion(record) ? [] : [{ ...record, product_id: null, deleted: false }],
        ),
      products: (products) => variantsAfter(trx, products),
    };
    await upsert(trx, PREVIEW, (await notes[kind]?.(records)) ?? []);
  }
}

/** The variants that these products had, as the records before left them, and then those that they have. */
async function variantsAfter(
  trx: Knex,
  records: readonly WrittenRecords['products'][],
): Promise<PreviewRow[]> {
  const variant = { kind: 'variant', category: null, deleted: false };
  const gone = new Set(records.filter(isDeletion).map(({ id }) => id));
  const products = records.map(({ id }) => id);
  const had = await rowsOf<{ id: string; product_id: string }>(trx)`
    SELECT id, product_id FROM catalog_import_preview WHERE product_id = ANY(${products}::text[])
    UNION SELECT id, product_id FROM variants WHERE product_id = ANY(${products}::text[])
      AND NOT EXISTS (SELECT FROM catalog_import_preview AS later WHERE later.id = variants.id)`;
  return [
    ...had.map(({ id, product_id }) => {
      const deleted = gone.has(product_id);
      return { ...variant, id, product_id: deleted ? product_id : null, deleted };
    }),
    ...records.flatMap((record) =>
      isDeletion(record) ? [] : record.variants.map(({ id }) => ({ ...variant, id, product_id: record.id })),
    ),
  ];
}

const noted = (knex: Knex, ids: readonly string[]): Promise<PreviewRow[]> =>
  rowsOf<PreviewRow>(knex)`SELECT * FROM catalog_import_preview WHERE id = ANY(${ids}::text[])`;
