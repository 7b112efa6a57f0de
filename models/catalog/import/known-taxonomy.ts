import type { RecordStore } from '../../ports';
import type { CategoryRecord } from './records';

/** The categories and tags that records may name: the catalog's, and those that were accepted since. */
export class KnownTaxonomy {
  #version = Number.NaN;
  #categories = new Map<string, CategoryRecord>();
  #tags = new Set<string>();

  constructor(private readonly store: Pick<RecordStore, 'taxonomyVersion' | 'categories' | 'tagIds'>) {}

  get categories(): ReadonlyMap<string, CategoryRecord> {
    return this.#categories;
  }

  get tags(): ReadonlySet<string> {
    return this.#tags;
  }

  /** Reads them anew if anybody changed them; the version that what is read after it is as new as. */
  async refresh(): Promise<number> {
    const version = await this.store.taxonomyVersion();
    if (version === this.#version) return version;
    this.#categories = new Map((await this.store.categories()).map((category) => [category.id, category]));
    this.#tags = new Set(await this.store.tagIds());
    this.#version = version;
    return version;
  }

  /** Notes what is being written, for the records after it. */
  addCategory(category: CategoryRecord): void {
    this.#categories.set(category.id, category);
  }

  addTag(id: string): void {
    this.#tags.add(id);
  }
}
