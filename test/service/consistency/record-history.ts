/** Between two moments, in ms of one clock: a write took effect, or a row was read, somewhere in between. */
export interface Span {
  readonly from: number;
  readonly until: number;
}

interface Life {
  readonly version: number;
  /** The call that wrote it; null while none is known. */
  written: Span | null;
  /** By then it was current: the first call that wrote or saw it had ended. */
  first: number;
  /** It was still current then: the last call that wrote or saw it began. */
  last: number;
}

/** Null matches every version. */
export type Matches = ((version: number) => boolean) | null;

/** Before the first write there was nothing. */
const BEFORE_ALL: Span = { from: Number.NEGATIVE_INFINITY, until: Number.NEGATIVE_INFINITY };

/**
 * Which versions of one record were written and seen, and when. Each version is written once, so it is current for one unbroken
 * time, and either everything seen fits one order of the writes or it does not (Gibbons and Korach, Testing Shared Memories, 1997).
 */
export class RecordHistory {
  readonly #lives = new Map<number, Life>();
  readonly #deletions: Span[] = [BEFORE_ALL];
  readonly #misses: { readonly span: Span; readonly matches: Matches }[] = [];

  constructor(readonly id: string) {}

  /** Null for a deletion. */
  wrote(version: number | null, span: Span): void {
    if (version === null) this.#deletions.push(span);
    else this.saw(version, span).written = span;
  }

  saw(version: number, { from, until }: Span): Life {
    const life = this.#lives.get(version) ?? { version, written: null, first: Infinity, last: -Infinity };
    this.#lives.set(version, life);
    life.first = Math.min(life.first, until);
    life.last = Math.max(life.last, from);
    return life;
  }

  missed(span: Span, matches: Matches = null): void {
    this.#misses.push({ span, matches });
  }

  bornAfter(version: number): number {
    return this.#lives.get(version)?.written?.from ?? Number.NEGATIVE_INFINITY;
  }

  /** The latest moment at which a version was current: by then something later had taken effect. */
  goneBy(version: number): number {
    const first = this.#lives.get(version)?.first ?? Number.POSITIVE_INFINITY;
    const later = [...this.#lives.values()].filter(({ written }) => written && written.from > first);
    const deletions = this.#deletions.filter(({ from }) => from > first);
    return Math.min(...later.map((life) => life.first), ...deletions.map(({ until }) => until));
  }

  /** Everything that does not fit, each with the promise it breaks as its first word. Call it last. */
  *violations(): Generator<string> {
    const lives = [...this.#lives.values()];
    for (const { version, written, first } of lives) {
      if (!written || first < written.from)
        yield `written: ${this.id} was seen as ${version}, ${written ? 'before that was written' : 'which nobody wrote'}`;
    }
    const lasting = lives
      .filter(({ first, last }) => first < last)
      .sort((left, right) => left.first - right.first);
    let longest: Life | undefined;
    for (const life of lasting) {
      if (longest && life.first < longest.last)
        yield `current: ${this.id} was ${longest.version} again after ${life.version}`;
      if (!longest || life.last > longest.last) longest = life;
      yield* this.#during(life, lives);
    }
    for (const { span, matches } of this.#misses) {
      if (matches === null && !this.#mayBeMissing(span))
        yield `present: ${this.id} was missing ${told(span)}, although nobody had deleted it`;
    }
  }

  /** What can't have happened while a version was current. */
  *#during(current: Life, lives: readonly Life[]): Generator<string> {
    const surely = ({ from, until }: Span) => current.first < from && until < current.last;
    const { version } = current;
    for (const other of lives) {
      if (other.first >= other.last && surely({ from: other.last, until: other.first }))
        yield `current: ${this.id} was still ${version} after ${other.version}`;
    }
    for (const span of this.#deletions)
      if (surely(span)) yield `gone: ${this.id} was still ${version} after its deletion ${told(span)}`;
    for (const { span, matches } of this.#misses) {
      if (surely(span) && (matches?.(version) ?? true))
        yield `present: ${this.id} was missing ${told(span)}, while it was ${version}`;
    }
  }

  /** Whether it may have been deleted, or not written yet, at some moment of the span. */
  #mayBeMissing({ from, until }: Span): boolean {
    const lives = [...this.#lives.values()];
    const isBackBy = (deletion: Span) =>
      lives.some(({ written, first }) => written && written.from > deletion.until && first < from);
    return this.#deletions.some((deletion) => deletion.from < until && !isBackBy(deletion));
  }
}

const told = ({ from, until }: Span): string => `between ${from.toFixed(1)} and ${until.toFixed(1)} ms`;
