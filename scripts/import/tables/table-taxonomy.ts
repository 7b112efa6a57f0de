import type { CategoryRecord, EntityRecord, ReadRecords } from '../../../models/catalog/import/records';
import type { TableColumns } from '../../../models/catalog/tables/columns';
import { slugOf } from '../../../models/catalog/tables/ids';
import type * as products from '../../../models/catalog/tables/product-rows';
import { categoriesOf, joinCategories } from '../../../models/catalog/taxonomy';
import type { CatalogImportStore, ReadLine } from '../../../models/ports';
import { type Parse, parsedLine } from '../parse-record';

export type TaxonomyStore = Pick<CatalogImportStore, 'categories' | 'entities' | 'entitiesOf'>;
const ENTITIES_AT_ONCE = 1_000;
const MODEL_LEVELS = ['model', 'style'] as const;

/** An entity of the table, the first line that names it, and the categories of its products. */
interface Found {
  readonly line: number;
  readonly entity: products.NamedEntity;
  readonly categories: Set<string>;
}

export class TableTaxonomy implements products.KnownNames {
  readonly #categories = new Map<string, ReadLine<unknown>>();
  #entities = new Map<string, Found>();
  /** Ids in the catalog by those that the table makes from names. */
  readonly #ids = new Map<string, string>();

  private constructor(
    private readonly known: ReadonlyMap<string, CategoryRecord>,
    private readonly store: TaxonomyStore,
    private readonly columns: TableColumns,
  ) {}

  static async of(store: TaxonomyStore, columns: TableColumns): Promise<TableTaxonomy> {
    const known = new Map<string, CategoryRecord>();
    const categories = await store.categories();
    // The later counts: the id, then the same name, then one like it.
    for (const category of categories) known.set(slugOf(category.name), category);
    for (const category of categories) known.set(category.name.toLowerCase(), category);
    for (const category of categories) known.set(category.id, category);
    return new TableTaxonomy(known, store, columns);
  }

  find(name: string): products.NamedCategory | undefined {
    return this.known.get(name) ?? this.known.get(name.toLowerCase()) ?? this.known.get(slugOf(name));
  }

  /** Forgets what was added. */
  clear(): void {
    this.#categories.clear();
    this.#entities.clear();
  }

  add({ category: { id, name }, entities }: products.Named, line: number): void {
    if (!this.known.has(id) && !this.#categories.has(id)) {
      // Without models a product is named by its title.
      const levels = MODEL_LEVELS.filter((level) => this.columns.of.has(level));
      const record = {
        id,
        name,
        hierarchy: ['brand', ...levels],
        ...(!levels.length && { name_fields: [] }),
      };
      this.#categories.set(id, { line, bytes: name.length, record });
    }
    for (const entity of entities) {
      const found = this.#entities.get(entity.id) ?? { line, entity, categories: new Set() };
      found.categories.add(entity.category);
      this.#entities.set(entity.id, found);
    }
  }

  idOf(made: string): string {
    return this.#ids.get(made) ?? made;
  }

  /** Finds the entities that the catalog has under other ids. Call once all are added, and before any is written. */
  async match(): Promise<void> {
    const alike = await this.#alike();
    const matched = new Map<string, Found>();
    // Parents are added before their children.
    for (const [made, { line, entity, categories }] of this.#entities) {
      const above = Object.entries(entity.parents).map(([kind, id]) => [kind, this.idOf(id)] as const);
      const candidates = alike.get(nameKey(entity)) ?? [];
      const same =
        candidates.find((each) => each.id === made) ??
        candidates.find(
          (each) => above.every(([kind, id]) => each.parents[kind] === id) && this.#mayBeIn(each, categories),
        );
      const id = same?.id ?? made;
      this.#ids.set(made, id);
      const before = matched.get(id);
      if (before) for (const category of categories) before.categories.add(category);
      else
        matched.set(id, { line, entity: { ...entity, id, parents: Object.fromEntries(above) }, categories });
    }
    this.#entities = matched;
  }

  /** Entities of the catalog with the name of one in the table, by kind and folded name. */
  async #alike(): Promise<ReadonlyMap<string, readonly EntityRecord[]>> {
    const named = [...this.#entities.values()].map(({ entity }) => entity);
    const alike = new Map<string, EntityRecord[]>(named.map((entity) => [nameKey(entity), []]));
    const kinds = [...new Set(named.map(({ kind }) => kind))];
    for (let after = ''; ; ) {
      const some = await this.store.entitiesOf(kinds, after, ENTITIES_AT_ONCE);
      for (const entity of some) alike.get(nameKey(entity))?.push(entity);
      if (some.length < ENTITIES_AT_ONCE) return alike;
      after = some.at(-1)?.id ?? '';
    }
  }

  /** Whether an entity is in these categories, or may be added to them (contract 1.11); new ones have brands outermost. */
  #mayBeIn({ kind, category }: EntityRecord, wanted: ReadonlySet<string>): boolean {
    const own = categoriesOf(category);
    const outermostOf = (id: string) => this.known.get(id)?.hierarchy[0] ?? 'brand';
    const isOutermost = [...own, ...wanted].every((id) => outermostOf(id) === kind);
    return isOutermost || [...wanted].every((id) => own.includes(id));
  }

  async *categories(
    parse: Parse<CategoryRecord>,
  ): AsyncGenerator<readonly ReadLine<ReadRecords['categories']>[]> {
    yield Array.from(this.#categories.values(), (line) => parsedLine(line, parse));
  }

  /** An entity that the catalog has keeps its data there, and gains categories. */
  async *entities(
    parse: Parse<ReadRecords['entities']>,
  ): AsyncGenerator<readonly ReadLine<ReadRecords['entities']>[]> {
    const all = [...this.#entities.values()];
    for (let from = 0; from < all.length; from += ENTITIES_AT_ONCE) {
      const some = all.slice(from, from + ENTITIES_AT_ONCE);
      const stored = await this.store.entities(some.map(({ entity }) => entity.id));
      yield some.map(({ line, entity, categories }) => {
        const before = stored.get(entity.id);
        const bytes = entity.name.length;
        if (!before)
          return parsedLine({ line, bytes, record: { ...entity, category: [...categories] } }, parse);
        const joined = new Set([...categoriesOf(before.category), ...categories]);
        return { line, bytes, record: { ...before, category: joinCategories([...joined]) } };
      });
    }
  }
}

const nameKey = ({ kind, name }: { readonly kind: string; readonly name: string }): string =>
  `${kind} ${slugOf(name)}`;
