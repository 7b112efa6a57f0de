import type { CategoryRecord, EntityRecord, ProductRecord } from '../catalog/import/records';
import type { AuditEntry } from './audit';
import type { RecordSource, RecordStore } from './catalog-import';

/** The body of a call that writes records: a small bundle. */
export interface RecordBody {
  /** The numbers of its lines, without blank ones, and the id of each record if it is readable. */
  readonly lines: readonly { readonly line: number; readonly id: string | null }[];
  readonly source: RecordSource;
}

export interface RecordBodies {
  /** @param now the time for estimates without one @throws AppError 400 without a line, 413 above `RECORDS_MAX` */
  read(body: Uint8Array, now: Date): Promise<RecordBody>;
}

export interface FoundRecord {
  readonly kind: 'products' | 'entities' | 'categories';
  /** Whether it is a row that searches find; an entity of a kind outside the hierarchy is not (contract 13.10). */
  readonly searchable: boolean;
}

export type ReadRecord =
  | { readonly kind: 'products'; readonly record: ProductRecord }
  | { readonly kind: 'entities'; readonly record: EntityRecord }
  | { readonly kind: 'categories'; readonly record: CategoryRecord };

/** The catalog as calls change it, beside an import and beside each other. */
export interface CatalogRecords {
  /** For one call, recorded in the audit log as this entry. */
  open(entry: AuditEntry): RecordStore;
  /** Null when there is no product, entity or category with this id, or when it is deleted. */
  find(id: string): Promise<FoundRecord | null>;
  read(id: string): Promise<ReadRecord | null>;
  /** Derives up to `limit` noted rows; returns how many. None while an import runs, which does it itself. */
  deriveStaleRows(limit: number): Promise<number>;
}
