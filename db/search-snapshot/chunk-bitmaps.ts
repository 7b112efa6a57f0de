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
  private readonly byMark = new Map<string, Uint8Array>();
  private readonly spare: Uint8Array[] = [];

  /** Of marks that are not `frequent` there is none, but rare words are gathered under their beginnings. */
  constructor(private readonly frequent: ReadonlySet<string>) {}

  /** Notes a product at a place of the chunk, from 0 to `CHUNK` - 1, with its facets and words. */
  add(place: number, category: string, marks: readonly string[]): void {
    this.set(place, categoryMark(category));
    for (const mark of marks) {
      if (this.frequent.has(mark)) this.set(place, mark);
      else if (!mark.includes(FACET_SEPARATOR)) {
        for (const beginning of beginningsOf(mark)) this.set(place, rareBeginningMark(beginning));
      }
    }
  }

  /** What was noted since the last call; it stands until the first `add` after it. */
  *take(): Generator<MarkBits> {
    for (const [mark, bits] of this.byMark) {
      yield { mark, bits };
      this.spare.push(bits);
    }
    this.byMark.clear();
  }

  private set(place: number, mark: string): void {
    let bits = this.byMark.get(mark);
    if (!bits) {
      bits = this.spare.pop()?.fill(0) ?? new Uint8Array(CHUNK / 8);
      this.byMark.set(mark, bits);
    }
    bits[place >>> 3] = (bits[place >>> 3] ?? 0) | (0x80 >>> (place & 7));
  }
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
