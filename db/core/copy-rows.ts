import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Knex } from 'knex';
import { type ClientBase, types } from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { arrayLiteral, identifier, joined } from './sql';

/** A table that an import writes: its columns with their types, and which of them are the key. */
export interface WrittenTable {
  readonly name: string;
  readonly key: readonly string[];
  readonly columns: Readonly<Record<string, string>>;
  /** Whether it has `updated_at`, the time of the last change, which is `now()` by default. */
  readonly dated: boolean;
}

/** @param keys with a space between @param columns with their types, as in SQL */
export function writtenTable(name: string, keys: string, columns: string, dated = false): WrittenTable {
  const typed = columns.split(', ').map((column) => column.split(' '));
  return { name, key: keys.split(' '), columns: Object.fromEntries(typed), dated };
}

const NULL = '\\N';

/** A value in the text format of COPY: a tsvector is given as its words, bits as bytes, JSON as a value or as text. */
export function copyValue(value: unknown, type: string): string {
  if (value === null || value === undefined) return NULL;
  switch (type) {
    case 'text[]':
      return escaped(arrayLiteral(value as readonly string[]));
    case 'tsvector':
      return wordsLiteral(value as readonly string[]);
    case 'bit':
      return `x${hexOf(value as Uint8Array)}`;
    case 'jsonb':
      return escapedJson(typeof value === 'string' ? value : JSON.stringify(value));
    default:
      return typeof value === 'string' ? escaped(value) : String(value);
  }
}

const hexOf = ({ buffer, byteOffset, byteLength }: Uint8Array): string =>
  Buffer.from(buffer, byteOffset, byteLength).toString('hex');

const SPECIAL = /[\\\n\r\t]/;
const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };

const escaped = (text: string): string =>
  SPECIAL.test(text) ? text.replace(/[\\\n\r\t]/g, (character) => ESCAPES[character] ?? character) : text;

/** JSON from `JSON.stringify` contains no line feeds or tabs, only backslashes. */
const escapedJson = (json: string): string => (json.includes('\\') ? json.replaceAll('\\', '\\\\') : json);

function wordsLiteral(words: readonly string[]): string {
  if (words.length === 0) return '';
  if (!/['\\\n\r\t]/.test(words.join(''))) return `'${words.join("' '")}'`;
  return escaped(words.map((word) => `'${word.replace(/['\\]/g, '$&$&')}'`).join(' '));
}

type Parser = (text: string) => unknown;

const defaultParser = types.getTypeParser as (typeId: number, format?: string) => Parser;

const parsers: ReadonlyMap<number, Parser> = new Map<number, Parser>([
  [types.builtins.INT8, parseInt8],
  [types.builtins.DATE, (text) => text],
]);

/**
 * How values are read from PostgreSQL: int8 as a number, or a RangeError if a number can't hold it; numeric as text, as
 * amounts must be exact; a date as text (YYYY-MM-DD), so that no time zone can shift it.
 */
export const valueTypes = {
  getTypeParser(typeId: number, format?: string): Parser {
    const parser = format === 'binary' ? undefined : parsers.get(typeId);
    return parser ?? defaultParser(typeId, format);
  },
};

function parseInt8(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`${text} is too large for a number`);
  return value;
}

/** A table, and those of its columns that are copied; by default all that are stored. */
export interface CopiedTable {
  readonly name: string;
  readonly columns?: readonly string[];
}

/** All rows of a table in the text format of COPY. Inside a transaction. */
export async function tableText(trx: Knex, table: CopiedTable): Promise<Readable> {
  return (await connectionOf(trx)).query(copyTo(`COPY ${copied(table)} TO STDOUT`));
}

/** Adds rows in the text format of COPY to a table. Inside a transaction. @throws DatabaseError as an INSERT would */
export async function readTableText(trx: Knex, table: CopiedTable, from: Readable): Promise<void> {
  await pipeline(from, (await connectionOf(trx)).query(copyFrom(`COPY ${copied(table)} FROM STDIN`)));
}

function copied({ name, columns }: CopiedTable): string {
  const named = columns === undefined ? '' : ` (${joined(columns.map(identifier), ', ').text})`;
  return `${identifier(name).text}${named}`;
}

const connectionOf = (trx: Knex): Promise<ClientBase> => trx.client.acquireConnection();

/** Size of a chunk: the database works on one while the next is prepared. */
const CHUNK_LENGTH = 64 * 1024;

/** A third of the work of an INSERT. @throws DatabaseError as an INSERT would, for an existing key too; the transaction is lost then */
export async function copyRows(trx: Knex, table: WrittenTable, rows: Iterable<object>): Promise<void> {
  if (Array.isArray(rows) && rows.length === 0) return;
  const { name, columns } = table;
  await readTableText(trx, { name, columns: Object.keys(columns) }, Readable.from(textOf(rows, table)));
}

function* textOf(rows: Iterable<object>, table: WrittenTable): Generator<string> {
  const columns = Object.entries(table.columns).map(([name, type]) => ({ name, type }));
  let text = '';
  for (const row of rows as Iterable<Readonly<Record<string, unknown>>>) {
    let separator = '';
    for (const { name, type } of columns) {
      text += separator + copyValue(row[name], type);
      separator = '\t';
    }
    text += '\n';
    if (text.length >= CHUNK_LENGTH) {
      yield text;
      text = '';
    }
  }
  if (text !== '') yield text;
}
