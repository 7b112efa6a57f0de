import type { ColumnType } from './copy-value';

/** A table that an import writes: its columns with their types, and which of them are the key. */
export interface WrittenTable {
  readonly name: string;
  readonly key: readonly string[];
  readonly columns: Readonly<Record<string, ColumnType>>;
  /** Whether it has `updated_at`, the time of the last change, which is `now()` by default. */
  readonly dated: boolean;
}

/** The names of columns as they stand in a statement. */
export const quotedNames = (columns: WrittenTable['columns']): string[] =>
  Object.keys(columns).map((column) => `"${column}"`);
