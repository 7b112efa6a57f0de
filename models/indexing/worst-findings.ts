import type { Finding, Verdict } from './identifiability';

/** Two products by their nearest pictures. */
export interface Pair extends Finding {
  readonly nearest: NonNullable<Finding['nearest']>;
  /** Whether each is the other's. */
  readonly isMutual: boolean;
}

/** What kind of finding it is, by what is to be done. */
const CLASS_OF: Readonly<Record<Exclude<Verdict, 'distinct'>, 'pair' | 'single' | 'missing'>> = {
  shares_picture: 'pair',
  confused: 'pair',
  look_alike: 'single',
  one_picture: 'single',
  no_picture: 'missing',
  not_embedded: 'missing',
};

/** Keeps the worst of however many findings: those whose nearest pictures are the nearest, then the most popular products. */
export class WorstFindings {
  readonly #kept = { pair: [] as Finding[], single: [] as Finding[], missing: [] as Finding[] };

  /** @param limit how many of each kind are wanted */
  constructor(private readonly limit: number) {}

  add(finding: Finding): void {
    const kept = this.#kept[CLASS_OF[finding.verdict]];
    kept.push(finding);
    if (kept.length > 2 * this.#room) this.#drop(kept);
  }

  /** Products that can't be told apart by the pictures that they have. */
  get confused(): Pair[] {
    return this.#pairs(this.#kept.pair);
  }

  /** Products of one picture, with what comes nearest to it. */
  get singles(): Pair[] {
    return this.#pairs(this.#kept.single);
  }

  /** Products that no photo can find. */
  get missing(): Finding[] {
    return this.#drop(this.#kept.missing).slice(0, this.limit);
  }

  /** Two products may be each other's, and are one pair then. */
  get #room(): number {
    return 2 * this.limit + 1;
  }

  #drop(kept: Finding[]): Finding[] {
    kept.sort(byWorst);
    kept.length = Math.min(kept.length, this.#room);
    return kept;
  }

  #pairs(kept: Finding[]): Pair[] {
    const pairs = new Map<string, Pair>();
    for (const finding of this.#drop(kept)) {
      const { product, nearest } = finding;
      if (!nearest) continue;
      const key = JSON.stringify([product.id, nearest.product.id].sort());
      const known = pairs.get(key);
      pairs.set(key, known ? { ...known, isMutual: true } : { ...finding, nearest, isMutual: false });
    }
    return [...pairs.values()].slice(0, this.limit);
  }
}

function byWorst(left: Finding, right: Finding): number {
  const [near, far] = [left, right].map(({ nearest }) => nearest?.distance ?? 3) as [number, number];
  return near - far || right.popularity - left.popularity || (left.product.id < right.product.id ? -1 : 1);
}
