import type { CategoryRecord, EntityRecord, ReadRecords } from '../../../models/catalog/import/records';
import type { TableColumns } from '../../../models/catalog/tables/columns';
import { type NamedCategory, type NamedEntity, slugOf } from '../../../models/catalog/tables/product-rows';
import { categoriesOf, joinCategories } from '../../../models/catalog/taxonomy';
import type { CatalogImportStore, ReadLine } from '../../../models/ports';
import type { RecordParsers } from '../parse-record';

/** What a table's taxonomy is compared with. */
export type TaxonomyStore = Pick<CatalogImportStore, 'categories' | 'entities' | 'entitiesOf'>;

const ENTITIES_AT_ONCE = 1_000;
const MODEL_LEVELS = ['model', 'style'] as const;

interface Named<Value> {
  readonly line: number;
  readonly value: Value;
}

type NamedEntities = Map<string, Named<NamedEntity> & { readonly categories: Set<string> }>;

/** The categories and entities that a table names, beside those that the catalog has. */
export class TableTaxonomy {
  readonly #named = new Map<string, Named<NamedCategory>>();
  #entities: NamedEntities = new Map();
  readonly #known = new Map<string, string>();

  private constructor(
    private readonly known: ReadonlyMap<string, CategoryRecord>,
    private readonly store: TaxonomyStore,
    private readonly columns: TableColumns,
  ) {}

  static async of(store: TaxonomyStore, columns: TableColumns): Promise<TableTaxonomy> {
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

  /** The id in the catalog of an entity that the table names. */
  readonly idOf = (made: string): string => this.#known.get(made) ?? made;

  /** Finds the entities that the catalog has under other ids. Once all are added, and before any is written. */
  async match(): Promise<void> {
    const alike = await this.#alike();
    const matched: NamedEntities = new Map();
    // A parent is added before what is below it.
    for (const [made, { line, value: given, categories }] of this.#entities) {
      const value = { ...given, parents: mapValues(given.parents, this.idOf) };
      const candidates = alike.get(nameKey(value.kind, value.name)) ?? [];
      const found =
        candidates.find((each) => each.id === made) ??
        candidates.find((each) => isUnder(each, value.parents) && this.#mayBeIn(each, categories));
      const id = found?.id ?? made;
      this.#known.set(made, id);
      const same = matched.get(id);
      if (same) for (const category of categories) same.categories.add(category);
      else matched.set(id, { line, value: { ...value, id }, categories });
    }
    this.#entities = matched;
  }

  /** Entities of the catalog that are called as some of the table, by kind and folded name. */
  async #alike(): Promise<ReadonlyMap<string, readonly EntityRecord[]>> {
    const named = [...this.#entities.values()].map(({ value }) => value);
    const alike = new Map<string, EntityRecord[]>(named.map(({ kind, name }) => [nameKey(kind, name), []]));
    const kinds = [...new Set(named.map(({ kind }) => kind))];
    for (let after = ''; ; ) {
      const some = await this.store.entitiesOf(kinds, after, ENTITIES_AT_ONCE);
      for (const entity of some) alike.get(nameKey(entity.kind, entity.name))?.push(entity);
      if (some.length < ENTITIES_AT_ONCE) return alike;
      after = some.at(-1)?.id ?? '';
    }
  }

  /** Whether an entity is in these categories, or may come to be (contract 1.11). */
  #mayBeIn({ kind, category }: EntityRecord, wanted: ReadonlySet<string>): boolean {
    const own = categoriesOf(category);
    const isOutermost = own.every((id) => this.known.get(id)?.hierarchy[0] === kind);
    return isOutermost || [...wanted].every((id) => own.includes(id));
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

const nameKey = (kind: string, name: string): string => `${kind} ${slugOf(name)}`;

const isUnder = (entity: EntityRecord, parents: Readonly<Record<string, string>>): boolean =>
  Object.entries(parents).every(([kind, id]) => entity.parents[kind] === id);

const mapValues = (
  values: Readonly<Record<string, string>>,
  map: (value: string) => string,
): Record<string, string> =>
  Object.fromEntries(Object.entries(values).map(([key, value]) => [key, map(value)]));
