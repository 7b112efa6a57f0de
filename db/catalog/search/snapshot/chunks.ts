import { isReference } from '../../../../models/catalog/index-terms';

/** Ordinals that one bitmap tells about (the schema of `search_snapshot_bitmaps` has the same number). */
export const CHUNK = 32_768;

/** Letters of the beginnings under which rare words are gathered. */
export const RARE_BEGINNING_MAX = 3;

/** The term of the products of a category. */
export const categoryTerm = (category: string): string => `@${category}`;

/** The term of the products that have a rare word which begins so. */
export const rareBeginningTerm = (beginning: string): string => `${beginning}*`;

/** Whether a term is a facet: only these hold a colon, as words are letters and digits. */
export const isFacet = (term: string): boolean => term.includes(':');

/** Whether a term is gathered under its beginnings where it is rare: references are asked for by longer ones only. */
export const isGathered = (term: string): boolean => !isFacet(term) && !isReference(term);

/** The ordinals of one chunk that carry a term: a bit each, as `bit` has them, the first ordinal in the highest bit. */
export interface TermBits {
  readonly term: string;
  readonly bits: Uint8Array;
}

/**
 * The bitmaps of one chunk of a snapshot after the other. It needs as much memory as one chunk has terms, however many
 * products there are.
 */
export class ChunkBitmaps {
  private readonly frequent: ReadonlyMap<string, Ordinals>;
  /** Of categories, and of rare words by their beginnings. */
  private readonly gathered = new Map<string, Ordinals>();
  private readonly spare: Uint8Array[] = [];

  /** Of terms that are not `frequent` there is none, but rare words are gathered under their beginnings. */
  constructor(frequent: Iterable<string>) {
    this.frequent = new Map(Array.from(frequent, (term) => [term, { bits: null }]));
  }

  /** Notes a product at an ordinal of the chunk, from 0 to `CHUNK` - 1, with its facets and words. */
  add(ordinal: number, category: string, terms: readonly string[]): void {
    this.gather(ordinal, categoryTerm(category));
    for (const term of terms) {
      const ordinals = this.frequent.get(term);
      if (ordinals) this.note(ordinal, ordinals);
      else if (isGathered(term)) {
        for (const beginning of beginningsOf(term)) this.gather(ordinal, rareBeginningTerm(beginning));
      }
    }
  }

  /** What was noted since the last call; it stands until the first `add` after it. */
  *take(): Generator<TermBits> {
    for (const marked of [this.frequent, this.gathered]) {
      for (const [term, ordinals] of marked) {
        if (!ordinals.bits) continue;
        yield { term, bits: ordinals.bits };
        this.spare.push(ordinals.bits);
        ordinals.bits = null;
      }
    }
    this.gathered.clear();
  }

  private gather(ordinal: number, term: string): void {
    const ordinals = this.gathered.get(term) ?? { bits: null };
    this.gathered.set(term, ordinals);
    this.note(ordinal, ordinals);
  }

  private note(ordinal: number, ordinals: Ordinals): void {
    ordinals.bits ??= this.spare.pop()?.fill(0) ?? new Uint8Array(CHUNK / 8);
    ordinals.bits[ordinal >>> 3] = (ordinals.bits[ordinal >>> 3] ?? 0) | (0x80 >>> (ordinal & 7));
  }
}

/** The ordinals that carry a term; null while there are none. */
interface Ordinals {
  bits: Uint8Array | null;
}

/** The proper beginnings of a word, up to the longest that has a term. */
export function beginningsOf(word: string): string[] {
  const beginnings: string[] = [];
  let beginning = '';
  for (const letter of word) {
    if (beginning !== '') beginnings.push(beginning);
    if (beginnings.length === RARE_BEGINNING_MAX) break;
    beginning += letter;
  }
  return beginnings;
}

/** What the products of a chunk have of a facet field. */
export interface FacetCodes {
  readonly field: string;
  /** The lists of ids that come, the empty one first. */
  readonly lists: readonly (readonly string[])[];
  /** For each ordinal of the chunk the position of its list, two bytes each, the lowest first. */
  readonly codes: Buffer;
}

/** Bytes of a code: a chunk has no more lists than ordinals, and the empty one. */
export const CODE_BYTES = 2;

/** Lists of ids, each once and by its position. */
export class IdLists {
  /** The empty one first. */
  readonly all: (readonly string[])[] = [[]];
  readonly #codes = new Map<string, number>([['', 0]]);

  codeOf(ids: readonly string[]): number {
    // No id holds a line feed.
    const key = ids.join('\n');
    const code = this.#codes.get(key) ?? this.all.length;
    if (code === this.all.length) {
      this.all.push(ids);
      this.#codes.set(key, code);
    }
    return code;
  }
}

/** The facet fields of one chunk of a snapshot after the other. */
export class ChunkFacets {
  #fields = new Map<string, Field>();

  /** Notes a product at an ordinal of the chunk, from 0 to `CHUNK` - 1, with its facets and words. */
  add(ordinal: number, terms: readonly string[]): void {
    for (const [name, ids] of byField(terms)) {
      const field = this.#fields.get(name) ?? new Field();
      this.#fields.set(name, field);
      field.codes.writeUInt16LE(field.lists.codeOf(ids), ordinal * CODE_BYTES);
    }
  }

  /** What was noted since the last call. */
  take(): FacetCodes[] {
    const taken = Array.from(this.#fields, ([field, { lists, codes }]) => ({
      field,
      lists: lists.all,
      codes,
    }));
    this.#fields = new Map();
    return taken;
  }
}

class Field {
  readonly lists = new IdLists();
  readonly codes = Buffer.alloc(CHUNK * CODE_BYTES);
}

/** The ids of each facet field among facets and words. */
export function byField(terms: readonly string[]): Map<string, string[]> {
  const fields = new Map<string, string[]>();
  for (const term of terms) {
    const end = term.indexOf(':');
    if (end === -1) continue;
    const [field, id] = [term.slice(0, end), term.slice(end + 1)];
    const ids = fields.get(field);
    if (ids) ids.push(id);
    else fields.set(field, [id]);
  }
  return fields;
}
