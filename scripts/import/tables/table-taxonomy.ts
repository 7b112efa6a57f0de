import type { CategoryRecord, EntityRecord, ReadRecords } from '../../../models/catalog/import/records';
import type { TableColumns } from '../../../models/catalog/tables/columns';
import { type NamedCategory, type NamedEntity, slugOf } from '../../../models/catalog/tables/product-rows';
import { categoriesOf, joinCategories } from '../../../models/catalog/taxonomy';
import type { CatalogImportStore, ReadLine } from '../../../models/ports';
import type { RecordParsers } from '../parse-record';

const ENTITIES_AT_ONCE = 1_000;
const MODEL_LEVELS = ['model', 'style'] as const;

interface Named<Value> {
  readonly line: number;
  readonly value: Value;
}

/** The categories and entities that a table names, beside those that the catalog has. */
export class TableTaxonomy {
  readonly #named = new Map<string, Named<NamedCategory>>();
  readonly #entities = new Map<string, Named<NamedEntity> & { readonly categories: Set<string> }>();

  private constructor(
    private readonly known: ReadonlyMap<string, CategoryRecord>,
    private readonly store: Pick<CatalogImportStore, 'entities'>,
    private readonly columns: TableColumns,
  ) {}

  static async of(
    store: Pick<CatalogImportStore, 'categories' | 'entities'>,
    columns: TableColumns,
  ): Promise<TableTaxonomy> {
    const known = new Map<string, CategoryRecord>();
    for (const category of await store.categories()) {
      known.set(category.name.toLowerCase(), category).set(category.id, category);
    }
    return new TableTaxonomy(known, store, columns);
  }

  /** The category of the catalog of this slug or name. */
  readonly find = (name: string): NamedCategory | undefined =>
    this.known.get(name) ?? this.known.get(name.toLowerCase()) ?? this.known.get(slugOf(name));

  add(
    { category, entities }: { readonly category: NamedCategory; readonly entities: readonly NamedEntity[] },
    line: number,
  ): void {
    if (!this.known.has(category.id) && !this.#named.has(category.id))
      this.#named.set(category.id, { line, value: category });
    for (const value of entities) {
      const before = this.#entities.get(value.id);
      if (before) before.categories.add(value.category);
      else this.#entities.set(value.id, { line, value, categories: new Set([value.category]) });
    }
  }

  /** Of new categories brand is a level, and model and style where the table has them; without models a product is called by its title. */
  async *categories(parse: RecordParsers['categories']): AsyncGenerator<readonly ReadLine<CategoryRecord>[]> {
    const levels = MODEL_LEVELS.filter((level) => this.columns.of.has(level));
    yield Array.from(this.#named.values(), ({ line, value: { id, name } }) => {
      const parsed = parse({
        id,
        name,
        hierarchy: ['brand', ...levels],
        ...(levels.length === 0 && { name_fields: [] }),
      });
      return 'reason' in parsed ? { line, ...parsed } : { line, bytes: name.length, ...parsed };
    });
  }

  /** An entity that the catalog has keeps what it has there, and gains categories. */
  async *entities(
    parse: RecordParsers['entities'],
  ): AsyncGenerator<readonly ReadLine<ReadRecords['entities']>[]> {
    const all = [...this.#entities.values()];
    for (let from = 0; from < all.length; from += ENTITIES_AT_ONCE) {
      const some = all.slice(from, from + ENTITIES_AT_ONCE);
      const stored = await this.store.entities(some.map(({ value }) => value.id));
      yield some.map(({ line, value, categories }) => {
        const before = stored.get(value.id);
        const joined = [...new Set([...(before ? categoriesOf(before.category) : []), ...categories])];
        const parsed = before
          ? { record: { ...before, category: joinCategories(joined) } satisfies EntityRecord }
          : parse({ ...value, category: joined.length === 1 ? joined[0] : joined });
        return 'reason' in parsed ? { line, ...parsed } : { line, bytes: value.name.length, ...parsed };
      });
    }
  }
}
