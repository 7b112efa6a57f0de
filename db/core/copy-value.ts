import { PreparedJson } from '../../models/catalog/import/records';

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
  | 'tsvector'
  | 'bit';

const NULL = '\\N';

/**
 * A value in the text format of COPY. Arrays are lists of text; the value of a tsvector is its list of words,
 * that of bits their bytes.
 *
 * @see https://www.postgresql.org/docs/current/sql-copy.html
 */
export function copyValue(value: unknown, type: ColumnType): string {
  if (value === null || value === undefined) return NULL;
  switch (type) {
    case 'text[]':
      return escaped(arrayLiteral(value as readonly string[]));
    case 'tsvector':
      return wordsLiteral(value as readonly string[]);
    case 'bit':
      return `x${hexOf(value as Uint8Array)}`;
    case 'jsonb':
      return escapedJson(value instanceof PreparedJson ? value.text : JSON.stringify(value));
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

/** JSON as `JSON.stringify` writes it has no line feeds and tabs. */
const escapedJson = (json: string): string => (json.includes('\\') ? json.replaceAll('\\', '\\\\') : json);

/** What an element must not have to stand between quotes as it is. */
const ELEMENT_SPECIAL = /["\\]/;

/** An array of texts as PostgreSQL writes it. */
export function arrayLiteral(elements: readonly string[]): string {
  if (elements.length === 0) return '{}';
  if (!ELEMENT_SPECIAL.test(elements.join(''))) return `{"${elements.join('","')}"}`;
  return `{${elements.map((element) => `"${element.replace(/["\\]/g, '\\$&')}"`).join(',')}}`;
}

/** What a word must not have to stand between quotes as it is. */
const WORD_SPECIAL = /['\\\n\r\t]/;

function wordsLiteral(words: readonly string[]): string {
  if (words.length === 0) return '';
  if (!WORD_SPECIAL.test(words.join(''))) return `'${words.join("' '")}'`;
  return escaped(words.map((word) => `'${word.replace(/['\\]/g, '$&$&')}'`).join(' '));
}
