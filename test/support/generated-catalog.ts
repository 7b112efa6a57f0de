import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { generateBundle } from '../../scripts/lab/generator/generate-bundle';
import type { CatalogSource } from './fixture-data';

/** More products than a page may have. */
export const GENERATED_PRODUCTS = 150;

/** Writes a synthetic catalog below a folder, always the same one, and answers where its files lie. */
export async function writeGeneratedCatalog(folder: string): Promise<string> {
  const out = join(folder, 'generated');
  await generateBundle({ seed: 11, products: GENERATED_PRODUCTS, out, images: false });
  return out;
}

/** Bags and watches of fictional maisons, many enough for pages. */
export const GENERATED_CATALOG: CatalogSource = {
  name: 'generated',
  sources: ['scripts/lab/generator', 'test/support/generated-catalog.ts'],
  write: async (folder) => [await writeGeneratedCatalog(folder)],
};

/** A row of the catalog as a bundle says it is, by the rules of contract 13, 3.1, without a database. */
export interface BundleRow {
  readonly id: string;
  readonly kind: string;
  readonly category: string;
  readonly name: string;
  readonly popularity: number;
  /** Ids by field, tags among them. */
  readonly facets: ReadonlyMap<string, ReadonlySet<string>>;
}

interface CategoryRecord {
  readonly id: string;
  readonly name: string;
  readonly hierarchy: readonly string[];
  readonly name_fields: readonly string[];
  readonly popularity: number;
}

interface EntityRecord {
  readonly id: string;
  readonly kind: string;
  readonly name: string;
  readonly category: string;
  readonly parents: Readonly<Record<string, string>>;
  readonly tags?: readonly string[];
  readonly popularity: number;
}

interface ProductRecord {
  readonly id: string;
  readonly category: string;
  readonly attributes: Readonly<Record<string, string | readonly string[]>>;
  readonly tags: readonly string[];
  readonly popularity: number;
}

/** Every row of a bundle whose records are all accepted and none deleted. */
export function readBundleRows(folder: string): BundleRow[] {
  const records = <Record>(name: string): Record[] =>
    readFileSync(join(folder, `${name}.jsonl`), 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Record);
  const categories = records<CategoryRecord>('categories');
  const entities = records<EntityRecord>('entities');
  const rowsOf = (category: CategoryRecord): BundleRow[] => [
    { ...category, kind: 'category', category: category.id, facets: facetsOf({ category: category.id }, []) },
    ...entities
      .filter((entity) => entity.category === category.id && category.hierarchy.includes(entity.kind))
      .map((entity) => entityRow(entity, entities)),
    ...records<ProductRecord>('products')
      .filter((product) => product.category === category.id)
      .map((product) => productRow(product, category, new Map(entities.map((each) => [each.id, each])))),
  ];
  return categories.flatMap(rowsOf);
}

/** Its category, its parents and itself; a model carries the tags that all of its styles carry. */
function entityRow(entity: EntityRecord, all: readonly EntityRecord[]): BundleRow {
  const { id, kind, category, name, popularity, parents } = entity;
  const styles = all.filter((each) => each.kind === 'style' && each.parents['model'] === id);
  const [first, ...others] = styles.map((style) => style.tags ?? []);
  const shared = (first ?? []).filter((tag) => others.every((tags) => tags.includes(tag)));
  const tags = kind === 'model' ? shared : (entity.tags ?? []);
  return {
    id,
    kind,
    category,
    name,
    popularity,
    facets: facetsOf({ category, ...parents, [kind]: id }, tags),
  };
}

/** Its category and attributes; it carries its own tags and those of its style. */
function productRow(
  { id, category, attributes, tags, popularity }: ProductRecord,
  { name_fields }: CategoryRecord,
  entities: ReadonlyMap<string, EntityRecord>,
): BundleRow {
  const first = (field: string) => entities.get([attributes[field] ?? []].flat()[0] ?? '');
  const names = name_fields.map((field) => first(field)?.name).filter((name) => name !== undefined);
  const carried = [...tags, ...(first('style')?.tags ?? [])];
  const facets = facetsOf({ category, ...attributes }, carried);
  return { id, kind: 'product', category, name: names.join(' '), popularity, facets };
}

const facetsOf = (
  attributes: Readonly<Record<string, string | readonly string[]>>,
  tags: readonly string[],
): Map<string, Set<string>> =>
  new Map(
    [...Object.entries(attributes), ['tags', tags] as const].map(([field, ids]) => [
      field,
      new Set([ids].flat()),
    ]),
  );
