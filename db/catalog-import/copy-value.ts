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
const SPECIAL = /[\\\n\r\t]/;
const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };

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
      return escaped(wordsLiteral(value as readonly string[]));
    case 'bit':
      return `x${hexOf(value as Uint8Array)}`;
    case 'jsonb':
      return escaped(JSON.stringify(value));
    default:
      return typeof value === 'string' ? escaped(value) : String(value);
  }
}

const hexOf = ({ buffer, byteOffset, byteLength }: Uint8Array): string =>
  Buffer.from(buffer, byteOffset, byteLength).toString('hex');

const escaped = (text: string): string =>
  SPECIAL.test(text) ? text.replace(/[\\\n\r\t]/g, (character) => ESCAPES[character] ?? character) : text;

const QUOTED_SPECIAL = /["\\]/;

function arrayLiteral(elements: readonly string[]): string {
  if (elements.length === 0) return '{}';
  let literal = '';
  for (const element of elements) {
    const text = QUOTED_SPECIAL.test(element) ? element.replace(/["\\]/g, '\\$&') : element;
    literal += literal === '' ? `{"${text}"` : `,"${text}"`;
  }
  return `${literal}}`;
}

const WORD_SPECIAL = /['\\]/;

function wordsLiteral(words: readonly string[]): string {
  let literal = '';
  for (const word of words) {
    literal += WORD_SPECIAL.test(word) ? `'${word.replace(/['\\]/g, '$&$&')}' ` : `'${word}' `;
  }
  return literal;
}
