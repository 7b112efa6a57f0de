import { CHUNK } from './chunk-bitmaps';

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
