import { type SearchTerm, wordsAlone, wordsListed } from './term-expansion';

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
  /** So many are, if words are spread independently of each other. */
  readonly rowsLikely: number;
}

/** What tells the rows of a mixed tier apart: how many expressions of each list a row satisfies, first list first. */
export type Scores = readonly (readonly string[])[];

/** Words up to which an index is taken for an expression, whatever the words are. */
const SELECTIVE_WORDS_MAX = 50;
/** Rows that are quickly scored. */
const SCORED_ROWS_MAX = 10_000;
/** Terms up to which an answer is found in tiers: beyond, the combinations of them are too many. */
const LEVELS_MAX = 12;
/** Letters of an expression that matches all terms, times the terms; beyond, expressions for the tiers grow too long. */
const TIERS_LETTERS_MAX = 6_000;

/** The rows that match at least one of the terms. */
export const matchingAny = (terms: readonly SearchTerm[]): Expression => someOf(terms.map(anyhow));

/** The rows that match every one of the terms. */
export const matchingAll = (terms: readonly SearchTerm[]): Expression => everyOf(terms.map(anyhow));

/** A row that satisfies the expression matches a term in the way of this rank: 3 exactly, 2 by prefix, or 1 misspelt. */
export interface Way {
  readonly expression: string;
  readonly term: number;
  readonly rank: 1 | 2 | 3;
}

/** All ways in which a row may match the terms; of each term its best counts. */
export const waysOf = (terms: readonly SearchTerm[]): Way[] =>
  terms.flatMap((each, term) => [
    ...[quoted(each.word), ...readings(each)]
      .filter(isGiven)
      .map((expression) => ({ expression, term, rank: 3 as const })),
    ...[...each.longer.map(quoted), anyBeginning(each)]
      .filter(isGiven)
      .map((expression) => ({ expression, term, rank: 2 as const })),
    ...each.misspelt.map((word) => ({ expression: quoted(word), term, rank: 1 as const })),
  ]);

/** Those of them that don't have one word. */
export function matchingAnyWithout(terms: readonly SearchTerm[], word: string): Expression {
  const others = new Set(terms.flatMap(wordsAlone).filter((each) => each !== word));
  const expressions = [...[...others].map(quoted), ...terms.map(anyBeginning), ...terms.flatMap(readings)];
  return without(someOf(expressions), quoted(word));
}

/** Ranks within a mixed tier: words matched, then those matched exactly, then those matched by prefix. */
export const scoresOf = (terms: readonly SearchTerm[]): Scores =>
  [terms.map(anyhow), terms.map(exactly), terms.map(asPrefix)].map((list) => list.filter(isGiven));

/**
 * An answer in tiers, best first, by the ranking of contract 5.4: more matched words first, then exact before prefix
 * before misspelt. Tiers are disjoint and hold every row that matches at least one term. The first is usually enough
 * for a page, and most have no inner order but popularity, so a frequent word need not have all its rows sorted. Null
 * where scoring every row costs less: many words of few rows, or terms that stand for so much that tiers grow too long.
 *
 * @param scopeRows rows among which the terms were counted
 * @param termRows rows of all their words
 */
export function tiersOf(terms: readonly SearchTerm[], scopeRows: number, termRows: number): Tier[] | null {
  const words = terms.flatMap(wordsListed).length;
  if (words > SELECTIVE_WORDS_MAX && termRows <= SCORED_ROWS_MAX) return null;
  if (terms.length > LEVELS_MAX || (matchingAny(terms)?.length ?? 0) * terms.length > TIERS_LETTERS_MAX)
    return null;
  const tierOf = tierMaker(terms, scopeRows);
  if (terms.length < 2) return singles(terms, null, tierOf);
  const known = terms.filter(({ rows }) => rows > 0);
  const best = [tierOf(everyOf(terms.map(atBest)), known.length)];
  const last = terms.find((term) => term.rows > 0 && asPrefix(term) !== null);
  if (last) best.push(tierOf(everyOf(terms.map((term) => (term === last ? asPrefix(term) : atBest(term))))));
  const above = someOf(best.map(({ expression }) => expression));
  return [
    ...best.filter(isTier),
    ...levels(terms, above, tierOf),
    ...singles(terms, atLeast(2, terms), tierOf),
  ];
}

/** Rows that are not `best`: those that match all of the terms, then those that match one fewer, down to two. */
function levels(terms: readonly SearchTerm[], best: Expression, tierOf: MakeTier): Tier[] {
  const mixed = (expression: Expression) => ({ ...tierOf(expression), mixed: true });
  const tiers = [mixed(without(everyOf(terms.map(anyhow)), best))];
  for (let count = terms.length - 1; count >= 2; count--) {
    const above = someOf([best, atLeast(count + 1, terms)]);
    const exact = atLeast(count, terms, exactly);
    const any = atLeast(count, terms);
    tiers.push(tierOf(without(exact, above), count));
    if (any !== exact) tiers.push(mixed(without(any, someOf([above, exact]))));
  }
  return tiers.filter(isTier);
}

/** Rows that are not `above` and match one term: exactly, then by prefix, then misspelt. */
function singles(terms: readonly SearchTerm[], above: Expression, tierOf: MakeTier): Tier[] {
  const exact = someOf(terms.map(exactly));
  const prefix = someOf(terms.map(asPrefix));
  return [
    tierOf(without(exact, above), 1),
    tierOf(without(prefix, someOf([above, exact]))),
    tierOf(without(someOf(terms.map(misspelt)), someOf([above, exact, prefix]))),
  ].filter(isTier);
}

type MaybeTier = Omit<Tier, 'expression'> & { readonly expression: Expression };
/** `exact`: of how many terms a row of the tier has the words themselves, 0 if that is not known. */
type MakeTier = (expression: Expression, exact?: number) => MaybeTier;

/** Rows with so many of the words have one of the rarest of them; were words independent, most have the frequent ones. */
function tierMaker(terms: readonly SearchTerm[], scopeRows: number): MakeTier {
  const rows = terms.map((term) => term.rows).filter((each) => each > 0);
  const rising = rows.sort((left, right) => left - right);
  return (expression, exact = 0) => {
    const rarest = rising.slice(0, Math.max(0, rising.length - exact + 1));
    const frequent = rising.slice(rising.length - exact);
    const counted = exact > 0;
    return {
      expression,
      mixed: false,
      rowsMax: counted ? rarest.reduce((sum, each) => sum + each, 0) : scopeRows,
      rowsLikely: counted ? frequent.reduce((left, each) => (left * each) / scopeRows, scopeRows) : scopeRows,
    };
  };
}

/** At least `count` of the terms match. Halving keeps it short where listing all combinations would not. */
function atLeast(
  count: number,
  terms: readonly SearchTerm[],
  match: (term: SearchTerm) => Expression = anyhow,
): Expression {
  if (terms.length === 0 || count > terms.length) return null;
  if (count === 1) return someOf(terms.map(match));
  if (count === terms.length) return everyOf(terms.map(match));
  const half = Math.ceil(terms.length / 2);
  const [left, right] = [terms.slice(0, half), terms.slice(half)];
  const splits = Array.from({ length: count + 1 }, (_, onLeft) => {
    if (onLeft === 0) return atLeast(count, right, match);
    if (onLeft === count) return atLeast(count, left, match);
    return everyOf([atLeast(onLeft, left, match), atLeast(count - onLeft, right, match)]);
  });
  return someOf(splits);
}

const quoted = (word: string): string => `'${word}'`;

const readings = ({ synonyms }: SearchTerm): Expression[] =>
  synonyms.map((reading) => everyOf(reading.map(quoted)));
const exactly = (term: SearchTerm): Expression =>
  term.rows > 0 ? someOf([quoted(term.word), ...readings(term)]) : null;
const misspelt = (term: SearchTerm): Expression => someOf(term.misspelt.map(quoted));

const anyBeginning = ({ anyLonger, beginning }: SearchTerm): Expression =>
  anyLonger && beginning !== null ? `${quoted(beginning)}:*` : null;
const longer = (term: SearchTerm): Expression => anyBeginning(term) ?? someOf(term.longer.map(quoted));
const asPrefix = (term: SearchTerm): Expression => without(longer(term), exactly(term));

/** In the best of the ways in which any row matches it. */
const atBest = (term: SearchTerm): Expression => exactly(term) ?? asPrefix(term) ?? misspelt(term);

/** By whichever of the three ways. */
function anyhow(term: SearchTerm): Expression {
  // What begins with a word holds the word itself.
  const exact = term.anyLonger ? someOf(readings(term)) : exactly(term);
  return someOf([exact, longer(term), misspelt(term)]);
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
const isTier = (tier: MaybeTier): tier is Tier => isGiven(tier.expression);
