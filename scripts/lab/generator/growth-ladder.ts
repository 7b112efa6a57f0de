import { at, hash } from '../../../models/random';

/** Where a child stands: under which parent, and as the how-manieth child of it (0 = the one it was born with). */
export interface Place {
  readonly parent: number;
  readonly ordinal: number;
}

/**
 * Shares out children (products) among parents (styles) so that the number of parents grows slower than the number
 * of children, older parents have more children, and the place of child k depends on k alone: a larger catalog
 * starts with the whole of a smaller one, and any row can be computed without computing those before it.
 *
 * It works in rounds. After round r there are `scale * r ** power` parents; in a round each parent that stood before
 * it gets one more child, and the new ones are born with their first. Births are spread evenly over a round.
 */
export class GrowthLadder {
  private readonly childrenBefore: number[] = [0];
  private readonly parentsBefore: number[] = [0];

  constructor(
    private readonly seed: number,
    private readonly scale: number,
    private readonly power: number,
  ) {}

  /** The place of a child, for any child number from 0 on. */
  place(child: number): Place {
    const round = this.roundOf(child);
    const known = at(this.parentsBefore, round);
    const length = at(this.childrenBefore, round + 1) - at(this.childrenBefore, round);
    const born = length - known;
    const position = child - at(this.childrenBefore, round);
    const bornBefore = Math.floor((position * born) / length);
    if (Math.floor(((position + 1) * born) / length) > bornBefore) {
      return { parent: known + bornBefore, ordinal: 0 };
    }
    const parent = this.scattered(position - bornBefore, known, round);
    return { parent, ordinal: round - this.birthRound(parent) };
  }

  /** How many parents the first so many children have between them. */
  parentsAmong(children: number): number {
    if (children === 0) return 0;
    const round = this.roundOf(children - 1);
    const known = at(this.parentsBefore, round);
    const length = at(this.childrenBefore, round + 1) - at(this.childrenBefore, round);
    const position = children - at(this.childrenBefore, round);
    return known + Math.floor((position * (length - known)) / length);
  }

  private roundOf(child: number): number {
    while (at(this.childrenBefore, this.childrenBefore.length - 1) <= child) this.addRound();
    return lastNotAbove(this.childrenBefore, child);
  }

  private birthRound(parent: number): number {
    return lastNotAbove(this.parentsBefore, parent);
  }

  private addRound(): void {
    const round = this.parentsBefore.length;
    const parents = Math.max(
      at(this.parentsBefore, round - 1) + 1,
      Math.round(this.scale * round ** this.power),
    );
    this.parentsBefore.push(parents);
    this.childrenBefore.push(at(this.childrenBefore, round - 1) + parents);
  }

  /** A one-to-one shuffle of 0..count-1, different in each round. */
  private scattered(index: number, count: number, round: number): number {
    let step = (hash(this.seed, round) % count) | 1;
    while (greatestCommonDivisor(step, count) !== 1) step += 1;
    return (index * step + (hash(this.seed, round, 'offset') % count)) % count;
  }
}

function lastNotAbove(ascending: readonly number[], value: number): number {
  let low = 0;
  let high = ascending.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (at(ascending, middle) <= value) low = middle;
    else high = middle - 1;
  }
  return low;
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}
