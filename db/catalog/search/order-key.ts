import type { Sort } from '../../../models/catalog/catalog-query';

/** What decides where a row stands in a listing. */
export interface OrderKey {
  readonly id: string;
  readonly popularity: number;
  /** Of the name. */
  readonly sortKey: string;
}

const byCodePoint = (left: string, right: string): number =>
  left === right ? 0 : Buffer.compare(Buffer.from(left), Buffer.from(right));
const byId = (left: OrderKey, right: OrderKey) => byCodePoint(left.id, right.id);
const byName = (left: OrderKey, right: OrderKey) => byCodePoint(left.sortKey, right.sortKey);

/** Whether a row comes before another (negative) or after it, as `inOrder` says it to the database. */
export const compareKeys: Readonly<Record<Sort, (left: OrderKey, right: OrderKey) => number>> = {
  popularity_desc: (left, right) => right.popularity - left.popularity || byId(left, right),
  popularity_asc: (left, right) => left.popularity - right.popularity || byId(left, right),
  name_asc: (left, right) => byName(left, right) || byId(left, right),
  name_desc: (left, right) => byName(right, left) || byId(left, right),
};
