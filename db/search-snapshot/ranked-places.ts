import type { Window } from '../page-of-ids';
import { Bitset } from './bitset';

/** The places that match a word of a query in each of the three ways; one that matches in several counts for the first. */
export interface TermPlaces {
  readonly exact: Bitset;
  readonly longer: Bitset;
  readonly misspelt: Bitset;
}

export interface RankedPlaces {
  readonly places: readonly number[];
  readonly total: number;
  /** Words matched by the best place of all. */
  readonly wordsMatched: number;
}

/**
 * A window of the places that match at least one term, ranked as decisions.md 7 says: words matched, then those matched
 * exactly, then those matched by prefix, then rising place.
 */
export function rankedPlaces(terms: readonly TermPlaces[], among: Bitset, window: Window): RankedPlaces {
  const exact = terms.map((term) => term.exact.and(among));
  const prefix = terms.map((term, at) => term.longer.and(among).without(exact[at] ?? among));
  const matched = terms.map((term, at) =>
    term.misspelt
      .and(among)
      .or(exact[at] ?? among)
      .or(prefix[at] ?? among),
  );
  const tally = { matched: Tally.of(matched), exact: Tally.of(exact), prefix: Tally.of(prefix) };
  const anything = tally.matched.atLeastOne(among.size);
  const places: number[] = [];
  let { offset } = window;
  let wordsMatched = 0;
  const take = (tier: Bitset, inner: readonly Tally[]): void => {
    const count = tier.count();
    if (count === 0 || places.length >= window.limit) return;
    if (count <= offset) {
      offset -= count;
      return;
    }
    const [next, ...rest] = inner;
    if (!next) {
      places.push(...tier.places(offset, window.limit - places.length));
      offset = 0;
    } else {
      for (let number = terms.length; number >= 0; number--)
        take(tier.and(next.exactly(number, among)), rest);
    }
  };
  for (let number = terms.length; number >= 1; number--) {
    const tier = anything.and(tally.matched.exactly(number, among));
    if (wordsMatched === 0 && tier.count() > 0) wordsMatched = number;
    take(tier, [tally.exact, tally.prefix]);
  }
  return { places, total: anything.count(), wordsMatched };
}

/** For every place in how many of some sets it is, as binary digits, the lowest first: one set for each digit. */
class Tally {
  private constructor(private readonly digits: readonly Bitset[]) {}

  static of(sets: readonly Bitset[]): Tally {
    const digits: Bitset[] = [];
    for (const set of sets) {
      let carry: Bitset | null = set;
      for (let at = 0; carry !== null; at++) {
        const digit: Bitset | undefined = digits[at];
        digits[at] = digit ? digit.xor(carry) : carry;
        carry = digit ? digit.and(carry) : null;
      }
    }
    return new Tally(digits);
  }

  atLeastOne(size: number): Bitset {
    return this.digits.reduce((any, digit) => any.or(digit), Bitset.empty(size));
  }

  /** The places of `among` that are in so many sets. */
  exactly(number: number, among: Bitset): Bitset {
    if (number >= 2 ** this.digits.length) return Bitset.empty(among.size);
    return this.digits.reduce(
      (left, digit, at) => ((number >>> at) & 1 ? left.and(digit) : left.without(digit)),
      among,
    );
  }
}
