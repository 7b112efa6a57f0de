import type { SearchTerm } from './search-terms';

/**
 * A boolean expression over the words of a row, in the syntax of PostgreSQL's `tsquery`; null matches nothing.
 * Words hold letters and digits only, so quoting them is enough.
 */
type Expression = string | null;

/** Rows that rank equally, or that `scoresOf` tells apart when `mixed`. */
export interface Tier {
  readonly expression: string;
  readonly mixed: boolean;
  /** At most so many rows of the scope are in it. */
  readonly rowsMax: number;
}

/** What tells the rows of a mixed tier apart: how many expressions of each list a row satisfies, first list first. */
export type Scores = readonly (readonly string[])[];

/** Beyond so many words all rows that match at least two are one mixed tier: the expressions would grow too long. */
const LEVELS_MAX = 12;

/** The rows that match at least one of the terms. */
export const matchingAny = (terms: readonly SearchTerm[]): Expression => someOf(terms.map(anyhow));

/** Ranks within a mixed tier: words matched, then those matched exactly, then those matched by prefix. */
export const scoresOf = (terms: readonly SearchTerm[]): Scores =>
  [terms.map(anyhow), terms.map(exactly), terms.map(asPrefix)].map((list) => list.filter(isGiven));

/**
 * An answer in tiers, best first, by the ranking of decisions.md 7: more matched words first, then exact before prefix
 * before misspelt. Tiers are disjoint and hold every row that matches at least one term. The first is usually enough
 * for a page, and most have no inner order but popularity, so a frequent word need not have all its rows sorted.
 */
export function tiersOf(terms: readonly SearchTerm[]): Tier[] {
  if (terms.length < 2) return singles(terms, null);
  const best = [tier(everyOf(terms.map(exactly)), fewest(terms))];
  if (terms.some((term) => term.prefix)) {
    const lastAsPrefix = everyOf(terms.map((term) => (term.prefix ? asPrefix(term) : exactly(term))));
    best.push(tier(lastAsPrefix, fewest(terms.filter((term) => !term.prefix))));
  }
  return [
    ...best.filter(isTier),
    ...levels(terms, someOf(best.map(({ expression }) => expression))),
    ...singles(terms, atLeast(2, terms)),
  ];
}

/** Rows that match all of the terms and are not `above`, then those that match one term fewer, and so on to two. */
function levels(terms: readonly SearchTerm[], above: Expression): Tier[] {
  const last = terms.length > LEVELS_MAX ? terms.length : 2;
  const tiers = [];
  let better = above;
  for (let count = terms.length; count >= last; count--) {
    const level = atLeast(terms.length > LEVELS_MAX ? 2 : count, terms);
    tiers.push({ ...tier(without(level, better)), mixed: true });
    better = level;
  }
  return tiers.filter(isTier);
}

/** Rows that are not `above` and match one term: exactly, then by prefix, then misspelt. */
function singles(terms: readonly SearchTerm[], above: Expression): Tier[] {
  const exact = someOf(terms.map(exactly));
  const prefix = someOf(terms.map(asPrefix));
  const rows = terms.reduce((sum, term) => sum + term.rows, 0);
  return [
    tier(without(exact, above), rows),
    tier(without(prefix, someOf([above, exact]))),
    tier(without(someOf(terms.map(misspelt)), someOf([above, exact, prefix]))),
  ].filter(isTier);
}

const tier = (expression: Expression, rowsMax = Number.POSITIVE_INFINITY) => ({
  expression,
  mixed: false,
  rowsMax,
});

const fewest = (terms: readonly SearchTerm[]): number => Math.min(...terms.map(({ rows }) => rows));

/** At least `count` of the terms match. Halving keeps it short where listing all combinations would not. */
function atLeast(count: number, terms: readonly SearchTerm[]): Expression {
  const [first] = terms;
  if (!first || count > terms.length) return null;
  if (count === 1) return matchingAny(terms);
  if (count === terms.length) return everyOf(terms.map(anyhow));
  const half = Math.ceil(terms.length / 2);
  const [left, right] = [terms.slice(0, half), terms.slice(half)];
  const splits = Array.from({ length: count + 1 }, (_, onLeft) => {
    if (onLeft === 0) return atLeast(count, right);
    if (onLeft === count) return atLeast(count, left);
    return everyOf([atLeast(onLeft, left), atLeast(count - onLeft, right)]);
  });
  return someOf(splits);
}

const quoted = (word: string): string => `'${word}'`;
const beginning = (word: string): string => `'${word}':*`;

const exactly = ({ word, rows }: SearchTerm): Expression => (rows > 0 ? quoted(word) : null);
const misspelt = (term: SearchTerm): Expression => someOf(term.misspelt.map(quoted));

const asPrefix = (term: SearchTerm): Expression =>
  term.prefix ? without(beginning(term.word), exactly(term)) : null;

/** By whichever of the three ways. */
function anyhow(term: SearchTerm): Expression {
  return someOf([term.prefix ? beginning(term.word) : exactly(term), misspelt(term)]);
}

function someOf(expressions: readonly Expression[]): Expression {
  const given = expressions.filter(isGiven);
  return given.length > 1 ? `(${given.join(' | ')})` : (given[0] ?? null);
}

function everyOf(expressions: readonly Expression[]): Expression {
  const given = expressions.filter(isGiven);
  if (given.length < expressions.length) return null;
  return given.length > 1 ? `(${given.join(' & ')})` : (given[0] ?? null);
}

function without(expression: Expression, excluded: Expression): Expression {
  return expression === null || excluded === null ? expression : `(${expression} & !${excluded})`;
}

const isGiven = (expression: Expression): expression is string => expression !== null;
const isTier = (tier: Omit<Tier, 'expression'> & { expression: Expression }): tier is Tier =>
  isGiven(tier.expression);
