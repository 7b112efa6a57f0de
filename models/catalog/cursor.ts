import { createHash } from 'node:crypto';
import { badRequest } from '../errors';
import type { ResolvedQuery, RowPosition } from './catalog-query';

const DIGEST_BYTES = 9;

/** Length of a rank, and a bound on its numbers, which count words of a text. */
const RANKED_BY = 3;
const RANK_MAX = 1_000;

/** The caller's reference to the position after a row in the answers to a query, independent of page size. */
export function cursorOf(query: ResolvedQuery, { id, popularity, sortKey, rank }: RowPosition): string {
  const content = Buffer.from(JSON.stringify([id, isByName(query) ? sortKey : popularity, ...rank]));
  return Buffer.concat([digestOf(query, content), content]).toString('base64url');
}

/** Null for the empty cursor. @throws AppError 400 for a text that is not a cursor of this query (contract 4.17) */
export function rowBefore(query: ResolvedQuery, cursor: string): RowPosition | null {
  if (cursor === '') return null;
  const bytes = Buffer.from(cursor, 'base64url');
  const content = bytes.subarray(DIGEST_BYTES);
  const isWhole =
    bytes.toString('base64url') === cursor &&
    digestOf(query, content).equals(bytes.subarray(0, DIGEST_BYTES));
  const row = isWhole ? rowIn(content.toString(), query) : null;
  if (!row) throw badRequest('cursor: is not one of an answer to this query.', { field: 'cursor' });
  return row;
}

/** The row of a cursor. Anybody can make one with a valid digest, so its content is checked; null if that is not a row. */
function rowIn(content: string, query: ResolvedQuery): RowPosition | null {
  const [id, value, ...rank] = listIn(content);
  const key = isByName(query) ? { sortKey: value, popularity: 0 } : { sortKey: '', popularity: value };
  const isRank = (number: unknown): number is number =>
    Number.isInteger(number) && Math.abs(Number(number)) <= RANK_MAX;
  if (!isText(id) || !isText(key.sortKey) || !Number.isFinite(key.popularity)) return null;
  if (!rank.every(isRank) || rank.length !== (query.words === null ? 0 : RANKED_BY)) return null;
  return { id, sortKey: key.sortKey, popularity: Number(key.popularity), rank };
}

function listIn(json: string): unknown[] {
  try {
    const list: unknown = JSON.parse(json);
    return Array.isArray(list) ? list : [];
  } catch {
    return [];
  }
}

const isText = (value: unknown): value is string =>
  typeof value === 'string' && !/\0|\p{Surrogate}/u.test(value);

const isByName = ({ sort, words }: ResolvedQuery): boolean => words === null && sort.startsWith('name');

/** Detects cursors that belong to another query or are damaged; it contains nothing secret. */
function digestOf({ node, categories, filters, words, match, sort }: ResolvedQuery, content: Buffer): Buffer {
  const order = words === null ? sort : null;
  const conditions = filters.map(({ field, include, exclude }) => [field, include, exclude]);
  const query = JSON.stringify([
    node,
    categories,
    conditions,
    words,
    order,
    ...(match === 'all' && words ? [match] : []),
  ]);
  return createHash('sha256').update(query).update('\n').update(content).digest().subarray(0, DIGEST_BYTES);
}
