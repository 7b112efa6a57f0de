import type { RowPosition } from '../../../../models/catalog/catalog-query';
import type { Window } from '../page-of-ids';
import { Bitset } from './bitset';
import type { Slice } from './ordered-members';

/**
 * The ordinals that match a word of a query in each of the three ways, null where none does; one that matches in several
 * counts for the first.
 */
export interface TermOrdinals {
  readonly exact: Bitset | null;
  readonly longer: Bitset | null;
  readonly misspelt: Bitset | null;
}

/** A window of an answer, and what is told of all of it. */
export interface SlicedAnswer {
  readonly slices: readonly Slice[];
  readonly all: Bitset;
  /** Words matched by the best ordinal of all. */
  readonly wordsMatched: number;
}

/**
 * A window of the ordinals that match at least one term, ranked as contract 5.4 says: words matched, then those matched
 * exactly, then those matched by prefix. Within a slice they rank equally.
 */
export function rankedOrdinals(terms: readonly TermOrdinals[], among: Bitset, window: Window): SlicedAnswer {
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
    if (!page.skips(count)) page.take(tier, count, [number], [exact, prefix]);
  }
  return { slices: page.slices, all: anything, wordsMatched };
}

/** The slices of a window, filled from tiers that come best first. */
class Page {
  readonly slices: Slice[] = [];
  private offset: number;
  private left: number;
  private readonly after: RowPosition | null;

  constructor({ offset, limit, after = null }: Window) {
    this.offset = offset;
    this.left = limit;
    this.after = after;
  }

  get isFull(): boolean {
    return this.left <= 0;
  }

  /** Whether a tier of so many ordinals lies before the window, which is then nearer by them. */
  skips(count: number): boolean {
    if (count > this.offset) return false;
    this.offset -= count;
    return true;
  }

  /** Takes what the window wants of a tier of so many ordinals, whose rank is known that far, by falling tallies. */
  take(tier: Bitset, count: number, rank: readonly number[], [tally, ...further]: readonly Tally[]): void {
    const begins = this.beginsWithin(rank);
    if (begins === 'later') return;
    if (!tally) {
      const isCut = this.after !== null && begins === 'here';
      const limit = Math.min(this.left, count - this.offset);
      this.slices.push({ set: tier, start: isCut && this.after ? this.after : this.offset, limit });
      this.offset = 0;
      // How many of them are behind the row is not known yet.
      if (!isCut) this.left -= limit;
      return;
    }
    for (let number = tally.most; number >= 0 && !this.isFull; number--) {
      const inner = tally.exactly(number, tier);
      const innerCount = inner.count();
      if (innerCount > 0 && !this.skips(innerCount)) this.take(inner, innerCount, [...rank, number], further);
    }
  }

  /** Whether the row behind which the window begins ranks so, better or worse. */
  private beginsWithin(rank: readonly number[]): 'here' | 'later' | 'earlier' {
    const differs = rank.findIndex((number, at) => number !== this.after?.rank[at]);
    if (!this.after || differs === -1) return 'here';
    return (rank[differs] ?? 0) > (this.after.rank[differs] ?? 0) ? 'later' : 'earlier';
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
