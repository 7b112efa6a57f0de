import { inject, injectable } from 'tsyringe';
import { type Clock, PORTS, type SearchMissStore } from '../ports';
import { visibleText } from './fold-text';

/** Injection token: whether queries that found nothing are counted at all. */
export const SEARCH_MISSES_COUNTED = Symbol.for('SearchMissesCounted');

/** Below this count a text may be personal. */
const SEEN_MIN = 3;
const LENGTH_MAX = 100;
const TEXTS_MAX = 10_000;
/** Digits with only separators between them: telephone, card and other personal numbers. */
const LONG_NUMBER = /(?:\p{Nd}[\s().+/-]*){7}/u;

interface Count {
  seen: number;
  written: number;
}

/** Counts queries that found nothing, in memory until they are written, so that no query waits (contract 5.13, 5.14). */
@injectable()
export class SearchMisses {
  readonly #days = new Map<string, Map<string, Count>>();

  constructor(
    @inject(PORTS.SearchMissStore) private readonly store: SearchMissStore,
    @inject(PORTS.Clock) private readonly clock: Clock,
    @inject(SEARCH_MISSES_COUNTED) private readonly counted: boolean,
  ) {}

  /** @param words of the text, folded */
  note(text: string, words: readonly string[]): void {
    const query = words.join(' ');
    const plain = visibleText(text).normalize('NFKC');
    if (!this.counted || query.length > LENGTH_MAX || plain.includes('@') || LONG_NUMBER.test(plain)) return;
    const day = this.#today();
    const counts = this.#days.get(day) ?? new Map<string, Count>();
    this.#days.set(day, counts);
    const count = counts.get(query) ?? { seen: 0, written: 0 };
    count.seen += 1;
    counts.set(query, count);
    if (counts.size > TEXTS_MAX) forgetRare(counts);
  }

  /** Writes the texts seen often enough since the last time; never twice at the same time. */
  async write(): Promise<void> {
    for (const [day, counts] of this.#days) {
      const due = [...counts]
        .filter(([, { seen, written }]) => seen >= SEEN_MIN && seen > written)
        .map(([query, count]) => ({ query, count, seen: count.seen, misses: count.seen - count.written }));
      if (due.length > 0) await this.store.add(day, due);
      for (const { count, seen } of due) count.written = seen;
      if (day !== this.#today()) this.#days.delete(day);
    }
  }

  #today(): string {
    return this.clock.now().toISOString().slice(0, 'YYYY-MM-DD'.length);
  }
}

/** Forgets all of them if none is rare. */
function forgetRare(counts: Map<string, Count>): void {
  const frequent = [...counts].filter(([, { seen }]) => seen >= SEEN_MIN);
  counts.clear();
  if (frequent.length < TEXTS_MAX) for (const [query, count] of frequent) counts.set(query, count);
}
