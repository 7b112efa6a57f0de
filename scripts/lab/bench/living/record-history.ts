import type { Violation } from './promises';

/** Between two moments, in ms of one clock: what was done took effect, and what was seen stood, somewhere in between. */
export interface Span {
  readonly from: number;
  readonly until: number;
}

/** What is known of the time in which a version stood. */
interface Life {
  readonly version: number;
  /** The call that wrote it; null while none is known. */
  written: Span | null;
  /** By then it stood: the first call that wrote or saw it has ended. */
  first: number;
  /** Then it still stood: the last call that wrote or saw it began. */
  last: number;
}

/** A call that did not see any version of which `matches` is true; null for one that saw none at all. */
interface Miss {
  readonly span: Span;
  readonly matches: ((version: number) => boolean) | null;
}

/** Before anything was written there was nothing. */
const NOTHING_YET: Span = { from: Number.NEGATIVE_INFINITY, until: Number.NEGATIVE_INFINITY };

/**
 * What became of one record: which versions were written and seen, and when. Each version is written once, so a version
 * stands without a gap, and all that was seen fits into one order of the writes, or it does not (Gibbons and Korach, Testing
 * Shared Memories, 1997).
 */
export class RecordHistory {
  readonly #lives = new Map<number, Life>();
  readonly #deletions: Span[] = [NOTHING_YET];
  readonly #misses: Miss[] = [];

  constructor(readonly id: string) {}

  /** @param span ends never for a call whose outcome is not known */
  wrote(version: number, span: Span): void {
    this.#life(version).written = span;
    this.#stood(version, span);
  }

  deleted(span: Span): void {
    this.#deletions.push(span);
  }

  saw(version: number, span: Span): void {
    this.#stood(version, span);
  }

  /** @param matches the versions that would have been seen; without it any */
  missed(span: Span, matches: Miss['matches'] = null): void {
    this.#misses.push({ span, matches });
  }

  /** When a version began to stand at the earliest. */
  bornAfter(version: number): number {
    return this.#lives.get(version)?.written?.from ?? Number.NEGATIVE_INFINITY;
  }

  /** When a version had ceased to stand at the latest: something that was surely later had taken effect. */
  goneBy(version: number): number {
    const first = this.#lives.get(version)?.first ?? Number.POSITIVE_INFINITY;
    const later = [...this.#lives.values()]
      .filter(({ written }) => written !== null && written.from > first)
      .map((life) => life.first);
    const deletions = this.#deletions.filter(({ from }) => from > first).map(({ until }) => until);
    return Math.min(...later, ...deletions);
  }

  /** Whether one version stood from the begin to the end of a span. */
  stoodStill({ from, until }: Span): boolean {
    return [...this.#lives.values()].some((life) => life.first <= from && life.last >= until);
  }

  /** All that does not fit. Ask when nothing more is to come. */
  *violations(): Generator<Violation> {
    const lives = [...this.#lives.values()];
    yield* this.#unwritten(lives);
    const lasting = lives
      .filter(({ first, last }) => first < last)
      .sort((left, right) => left.first - right.first);
    yield* this.#overlaps(lasting);
    for (const life of lasting) yield* this.#during(life, lives);
    for (const { span, matches } of this.#misses) {
      if (matches === null && !this.#mayBeMissing(span)) {
        yield this.#violation('present', `was not there ${told(span)}, although nobody had deleted it`);
      }
    }
  }

  *#unwritten(lives: readonly Life[]): Generator<Violation> {
    for (const { version, written, first } of lives) {
      if (!written) yield this.#violation('written', `was seen as ${version}, which nobody wrote`);
      else if (first < written.from) yield this.#violation('written', `was seen as ${version} before that`);
    }
  }

  /** Two versions, each of which surely stood at a time at which the other one did. */
  *#overlaps(lasting: readonly Life[]): Generator<Violation> {
    let longest: Life | undefined;
    for (const life of lasting) {
      if (longest && life.first < longest.last) {
        yield this.#violation('current', `was ${longest.version} again after it had been ${life.version}`);
      }
      if (!longest || life.last > longest.last) longest = life;
    }
  }

  /** What happened while a version surely stood. */
  *#during(standing: Life, lives: readonly Life[]): Generator<Violation> {
    const surely = ({ from, until }: Span) => standing.first < from && until < standing.last;
    for (const { version, first, last } of lives) {
      if (first >= last && surely({ from: last, until: first })) {
        yield this.#violation('current', `was still ${standing.version} after it had been ${version}`);
      }
    }
    for (const span of this.#deletions) {
      if (surely(span)) {
        yield this.#violation('gone', `was still ${standing.version} after it was deleted ${told(span)}`);
      }
    }
    for (const { span, matches } of this.#misses) {
      if (surely(span) && (matches?.(standing.version) ?? true)) {
        yield this.#violation('present', `was not there ${told(span)}, while it was ${standing.version}`);
      }
    }
  }

  /** Whether it may have been deleted, or not yet written, at some moment of the span. */
  #mayBeMissing({ from, until }: Span): boolean {
    const lives = [...this.#lives.values()];
    return this.#deletions.some(
      (deletion) =>
        deletion.from < until &&
        !lives.some(({ written, first }) => written && written.from > deletion.until && first < from),
    );
  }

  #life(version: number): Life {
    const life = this.#lives.get(version) ?? {
      version,
      written: null,
      first: Number.POSITIVE_INFINITY,
      last: Number.NEGATIVE_INFINITY,
    };
    this.#lives.set(version, life);
    return life;
  }

  #stood(version: number, { from, until }: Span): void {
    const life = this.#life(version);
    life.first = Math.min(life.first, until);
    life.last = Math.max(life.last, from);
  }

  #violation(promise: Violation['promise'], detail: string): Violation {
    return { promise, detail: `${this.id} ${detail}` };
  }
}

const told = ({ from, until }: Span): string => `between ${from.toFixed(1)} and ${until.toFixed(1)} ms`;
