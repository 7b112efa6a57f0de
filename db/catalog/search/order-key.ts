import type { RowPosition, Sort } from '../../../models/catalog/catalog-query';

/** What decides where a row stands in a listing. */
export type OrderKey = Omit<RowPosition, 'rank'>;

/** Characters whose order differs between code points and UTF-16. */
const HIGH = /[\ud800-\uffff]/;

/** Whether a text comes before another (negative) or after it in the order of the database, by code point. */
export function byCodePoint(left: string, right: string): number {
  if (left === right) return 0;
  if (HIGH.test(left) || HIGH.test(right)) return Buffer.compare(Buffer.from(left), Buffer.from(right));
  return left < right ? -1 : 1;
}

const byId = (left: OrderKey, right: OrderKey) => byCodePoint(left.id, right.id);
const byName = (left: OrderKey, right: OrderKey) => byCodePoint(left.sortKey, right.sortKey);

/** Whether a row comes before another (negative) or after it, as `inOrder` says it to the database. */
export const compareKeys: Readonly<Record<Sort, (left: OrderKey, right: OrderKey) => number>> = {
  popularity_desc: (left, right) => right.popularity - left.popularity || byId(left, right),
  popularity_asc: (left, right) => left.popularity - right.popularity || byId(left, right),
  name_asc: (left, right) => byName(left, right) || byId(left, right),
  name_desc: (left, right) => byName(right, left) || byId(left, right),
};
