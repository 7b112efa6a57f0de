import type { Window } from '../page-of-ids';
import { Bitset } from './bitset';

/**
 * The ordinals that match a word of a query in each of the three ways, null where none does; one that matches in several
 * counts for the first.
 */
export interface TermOrdinals {
  readonly exact: Bitset | null;
  readonly longer: Bitset | null;
  readonly misspelt: Bitset | null;
}

export interface RankedOrdinals {
  readonly ordinals: readonly number[];
  readonly total: number;
  /** Words matched by the best ordinal of all. */
  readonly wordsMatched: number;
}

/**
 * A window of the ordinals that match at least one term, ranked as contract 5.4 says: words matched, then those matched
 * exactly, then those matched by prefix, then rising ordinal.
 */
export function rankedOrdinals(
  terms: readonly TermOrdinals[],
  among: Bitset,
  window: Window,
): RankedOrdinals {
  const matched = Tally.of(terms.map((term) => union([term.exact, term.longer, term.misspelt])));
  const exact = Tally.of(terms.map((term) => term.exact));
  const prefix = Tally.of(
    terms.map(({ exact: own, longer }) => (own && longer ? longer.without(own) : longer)),
  );
  const anything = matched.atLeastOne(among);
  const page = new Page(window);
  let wordsMatched = 0;
  for (let number = matched.most; number >= 1; number--) {
    if (page.isFull && wordsMatched > 0) break;
    const tier = matched.exactly(number, anything);
    const count = tier.count();
    if (wordsMatched === 0 && count > 0) wordsMatched = number;
    if (!page.skips(count)) page.takeInOrder(tier, [exact, prefix]);
  }
  return { ordinals: page.ordinals, total: anything.count(), wordsMatched };
}

/** The ordinals of a window, filled from tiers that come best first. */
class Page {
  readonly ordinals: number[] = [];
  private offset: number;
  private readonly limit: number;

  constructor({ offset, limit }: Window) {
    this.offset = offset;
    this.limit = limit;
  }

  get isFull(): boolean {
    return this.ordinals.length >= this.limit;
  }

  /** Whether a tier of so many ordinals lies before the window, which is then nearer by them. */
  skips(count: number): boolean {
    if (count > this.offset) return false;
    this.offset -= count;
    return true;
  }

  /** Takes what the window wants of a tier, by falling tallies and then by rising ordinal. */
  takeInOrder(tier: Bitset, [tally, ...further]: readonly Tally[]): void {
    if (!tally) {
      this.ordinals.push(...tier.ordinals(this.offset, this.limit - this.ordinals.length));
      this.offset = 0;
      return;
    }
    for (let number = tally.most; number >= 0 && !this.isFull; number--) {
      const inner = tally.exactly(number, tier);
      const count = inner.count();
      if (count > 0 && !this.skips(count)) this.takeInOrder(inner, further);
    }
  }
}

/** For every ordinal in how many of some sets it is, as binary digits, the lowest first: one set for each digit. */
class Tally {
  private constructor(
    private readonly digits: readonly Bitset[],
    /** In no more than so many. */
    readonly most: number,
  ) {}

  static of(sets: readonly (Bitset | null)[]): Tally {
    const given = sets.filter((set) => set !== null);
    const digits: Bitset[] = [];
    for (const set of given) {
      let carry = set;
      for (let at = 0; at <= digits.length; at++) {
        const digit = digits[at];
        if (!digit) {
          // Nothing can be carried beyond the digits of the number of sets.
          if (2 ** at <= given.length) digits.push(carry);
          break;
        }
        digits[at] = digit.xor(carry);
        carry = digit.and(carry);
      }
    }
    return new Tally(digits, given.length);
  }

  /** The ordinals of `among` that are in any set. */
  atLeastOne(among: Bitset): Bitset {
    return (union(this.digits) ?? Bitset.empty(among.size)).and(among);
  }

  /** The ordinals of `among` that are in so many sets. */
  exactly(number: number, among: Bitset): Bitset {
    return this.digits.reduce(
      (left, digit, at) => ((number >>> at) & 1 ? left.and(digit) : left.without(digit)),
      among,
    );
  }
}

/** What any of the sets has; null where none is. */
export function union(sets: readonly (Bitset | null)[]): Bitset | null {
  return sets.reduce((all, set) => (all && set ? all.or(set) : (all ?? set)), null);
}
