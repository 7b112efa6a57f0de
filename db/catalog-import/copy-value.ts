/** The types of columns that an import writes, as PostgreSQL names them. */
export type ColumnType =
  | 'text'
  | 'text[]'
  | 'jsonb'
  | 'float8'
  | 'int4'
  | 'boolean'
  | 'timestamptz'
  | 'date'
  | 'tsvector';

const NULL = '\\N';
const SPECIAL = /[\\\n\r\t]/;
const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/**
 * A value in the text format of COPY. Arrays are lists of text; the value of a tsvector is its list of words.
 *
 * @see https://www.postgresql.org/docs/current/sql-copy.html
 */
export function copyValue(value: unknown, type: ColumnType): string {
  if (value === null || value === undefined) return NULL;
  switch (type) {
    case 'text[]':
      return escaped(arrayLiteral(value as readonly string[]));
    case 'tsvector':
      return escaped(wordsLiteral(value as readonly string[]));
    case 'jsonb':
      return escaped(JSON.stringify(value));
    default:
      return typeof value === 'string' ? escaped(value) : String(value);
  }
}

const escaped = (text: string): string =>
  SPECIAL.test(text) ? text.replace(/[\\\n\r\t]/g, (character) => ESCAPES[character] ?? character) : text;

const arrayLiteral = (elements: readonly string[]): string =>
  elements.length === 0 ? '{}' : `{${elements.map(quotedElement).join(',')}}`;

const quotedElement = (element: string): string => `"${element.replace(/["\\]/g, '\\$&')}"`;

const wordsLiteral = (words: readonly string[]): string =>
  words.map((word) => `'${word.replace(/['\\]/g, '$&$&')}'`).join(' ');
