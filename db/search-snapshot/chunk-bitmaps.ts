import { CHUNK, categoryMark, RARE_BEGINNING_MAX, rareBeginningMark } from './snapshot-marks';

/** The places of one chunk that carry a mark: a bit each, as `bit` has them, the first place in the highest bit. */
export interface MarkBits {
  readonly mark: string;
  readonly bits: Uint8Array;
}

/** Only facets hold one: words are letters and digits. */
const FACET_SEPARATOR = ':';

/**
 * The bitmaps of one chunk of a snapshot after the other. It needs as much memory as one chunk has marks, however many
 * products there are.
 */
export class ChunkBitmaps {
  private readonly frequent: ReadonlyMap<string, Places>;
  /** Of categories, and of rare words by their beginnings. */
  private readonly gathered = new Map<string, Places>();
  private readonly spare: Uint8Array[] = [];

  /** Of marks that are not `frequent` there is none, but rare words are gathered under their beginnings. */
  constructor(frequent: Iterable<string>) {
    this.frequent = new Map(Array.from(frequent, (mark) => [mark, { bits: null }]));
  }

  /** Notes a product at a place of the chunk, from 0 to `CHUNK` - 1, with its facets and words. */
  add(place: number, category: string, marks: readonly string[]): void {
    this.gather(place, categoryMark(category));
    for (const mark of marks) {
      const places = this.frequent.get(mark);
      if (places) this.note(place, places);
      else if (!mark.includes(FACET_SEPARATOR)) {
        for (const beginning of beginningsOf(mark)) this.gather(place, rareBeginningMark(beginning));
      }
    }
  }

  /** What was noted since the last call; it stands until the first `add` after it. */
  *take(): Generator<MarkBits> {
    for (const marked of [this.frequent, this.gathered]) {
      for (const [mark, places] of marked) {
        if (!places.bits) continue;
        yield { mark, bits: places.bits };
        this.spare.push(places.bits);
        places.bits = null;
      }
    }
  }

  private gather(place: number, mark: string): void {
    const places = this.gathered.get(mark) ?? { bits: null };
    this.gathered.set(mark, places);
    this.note(place, places);
  }

  private note(place: number, places: Places): void {
    places.bits ??= this.spare.pop()?.fill(0) ?? new Uint8Array(CHUNK / 8);
    places.bits[place >>> 3] = (places.bits[place >>> 3] ?? 0) | (0x80 >>> (place & 7));
  }
}

/** The places that carry a mark; null while there are none. */
interface Places {
  bits: Uint8Array | null;
}

/** The proper beginnings of a word, up to the longest that has a mark. */
function beginningsOf(word: string): string[] {
  const beginnings: string[] = [];
  let beginning = '';
  for (const letter of word) {
    if (beginning !== '') beginnings.push(beginning);
    if (beginnings.length === RARE_BEGINNING_MAX) break;
    beginning += letter;
  }
  return beginnings;
}
