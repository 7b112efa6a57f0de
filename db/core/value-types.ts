import { types } from 'pg';

type Parser = (text: string) => unknown;

/** node-postgres' own parsers; its declarations name no array types, but it knows them. */
const defaultParser = types.getTypeParser as (typeId: number, format?: string) => Parser;

const TEXT_ARRAY = 1009;
const INT8_ARRAY = 1016;
const parseElements = defaultParser(TEXT_ARRAY) as (text: string) => (string | null)[];

const parsers: ReadonlyMap<number, Parser> = new Map<number, Parser>([
  [types.builtins.INT8, parseInt8],
  [types.builtins.DATE, (text) => text],
  [INT8_ARRAY, (text) => parseElements(text).map((value) => (value === null ? null : parseInt8(value)))],
]);

/**
 * How values come out of PostgreSQL, given to each connection: int8 (counts, sums, identities) as a number; one that a
 * number can't hold exactly is a RangeError, never rounded. numeric stays text, as amounts must be exact; a date
 * without time stays text (YYYY-MM-DD), as it is no moment and no time zone must move it.
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
