import { nameSortKey } from '../fold-text';
import { facetOf, indexTermsOf } from '../index-terms';
import type { Attribute } from '../item';
import { categoriesOf, joinCategories, TAGS_FIELD } from '../taxonomy';
import {
  type CatalogRow,
  type CategoryRecord,
  type DisplayFields,
  type EntityRecord,
  type ProductRecord,
} from './records';

/** The inputs for deriving the rows of a batch, besides their own records. */
export interface RowContext {
  readonly categories: ReadonlyMap<string, CategoryRecord>;
  /** At least those that the rows name, deleted ones too: rows that name them keep the attribute (contract 1.8). */
  readonly entities: ReadonlyMap<string, EntityRecord>;
}

/** Code points of a sort key that count; a b-tree entry must stay under 2,700 bytes. */
const SORT_KEY_LENGTH_MAX = 600;
const CATEGORY_FIELD = 'category';
/** Per kind of text; then all are forgotten, which costs less than an order of their use. */
const TEXTS_MAX = 20_000;
/** The field whose entities hand their tags down to products (contract 3.4). */
const TAGGED_FIELD = 'style';

/** The row of a product: its name, attributes in order, its own tags and its style's (contract 1.3). */
export function productRow(product: ProductRecord, context: RowContext): CatalogRow {
  const { title, sku, keywords, variants } = product;
  const category = categoryOf(product.category, context);
  const named = factsNamed(category.hierarchy, product.attributes, context);
  const tags = [...product.tags];
  for (const { field, tags: inherited } of named) if (field === TAGGED_FIELD) tags.push(...inherited);
  const words = new Set<string>();
  // Not shared with any other product.
  for (const own of [title, sku]) if (own) addAll(words, indexTermsOf(own));
  for (const keyword of keywords) addAll(words, foldedTexts(keyword));
  for (const { fields } of variants) for (const { name } of fields) addAll(words, foldedTexts(name));
  // The first name of each field that composes names in the category.
  const composed = category.name_fields
    .map((field) => named.find((facts) => facts.field === field)?.name.trim())
    .filter(Boolean)
    .join(' ');
  const name = composed || (title?.trim() ?? '');
  return row([category], product, { kind: 'product', name, named, tags, words });
}

/** Own properties only: a catalog may choose a name such as `constructor`. */
const ownOf = <Value>(values: Readonly<Record<string, Value>>, name: string): Value | undefined =>
  Object.hasOwn(values, name) ? values[name] : undefined;

function addAll(words: Set<string>, more: readonly string[]): void {
  for (const word of more) words.add(word);
}

/** The row of an entity: its categories, its parents in order, then itself. `tags` are its own. */
export function entityRow(entity: EntityRecord, tags: readonly string[], context: RowContext): CatalogRow {
  const categories = categoriesOf(entity.category).map((id) => categoryOf(id, context));
  const named = factsNamed(categories[0]?.hierarchy ?? [], entity.parents, context);
  named.push(factsOf(entity));
  return row(categories, entity, { kind: entity.kind, name: entity.name, named, tags });
}

/** The row of a category; its only attribute is itself, and it has no tags. */
export const categoryRow = (category: CategoryRecord): CatalogRow =>
  row([category], category, { kind: CATEGORY_FIELD, name: category.name, named: [], tags: [] });

/** Whether an entity is a separate row; one of a kind outside the hierarchy is only a facet (contract 13.10). */
export const isListable = (entity: EntityRecord, context: RowContext): boolean =>
  categoriesOf(entity.category).some((id) => categoryOf(id, context).hierarchy.includes(entity.kind));

interface RowParts {
  readonly kind: string;
  readonly name: string;
  readonly named: readonly Facts[];
  readonly tags: readonly string[];
  /** Of the row itself; those of what it names are added. */
  readonly words?: Set<string>;
}

function row(
  categories: readonly CategoryRecord[],
  { id, popularity, images, thumbnails }: DisplayFields & { readonly id: string },
  { kind, name, named, tags, words = new Set() }: RowParts,
): CatalogRow {
  const all = [...categories.map(factsOf), ...named];
  for (const facts of all) addAll(words, facts.words);
  const facets = all.map(({ facet }) => facet);
  for (const tag of tags) facets.push(facetOf(TAGS_FIELD, tag));
  return {
    category: joinCategories(categories.map((category) => category.id)),
    sort_key: sortKeys(name),
    facets: [...new Set(facets)].sort(),
    words: [...words],
    attributes: `[${all.map(({ json }) => json).join(',')}]`,
    ...{ id, kind, name, popularity, images, thumbnails },
  };
}

/** Of the entities in these fields, those of the hierarchy first; unknown ids are left out. */
function factsNamed(
  hierarchy: readonly string[],
  fields: Readonly<Record<string, string | readonly string[]>>,
  { entities }: RowContext,
): Facts[] {
  const facts: Facts[] = [];
  const others = Object.keys(fields).filter((field) => !hierarchy.includes(field));
  for (const field of [...hierarchy, ...others.sort()]) {
    const ids = ownOf(fields, field) ?? [];
    for (const id of typeof ids === 'string' ? [ids] : ids) {
      const entity = entities.get(id);
      if (entity) facts.push(factsOf(entity));
    }
  }
  return facts;
}

function categoryOf(id: string, context: RowContext): CategoryRecord {
  const category = context.categories.get(id);
  if (!category) throw new Error(`the category ${id} of a stored record is missing`);
  return category;
}

interface Facts {
  readonly field: string;
  readonly name: string;
  readonly json: string;
  readonly facet: string;
  readonly tags: readonly string[];
  readonly words: readonly string[];
}

/** Thousands of rows share them, which saves time and memory. */
const knownFacts = new WeakMap<EntityRecord | CategoryRecord, Facts>();
const CATEGORY = { kind: CATEGORY_FIELD, tags: [], keywords: [] };

function factsOf(record: EntityRecord | CategoryRecord): Facts {
  const known = knownFacts.get(record);
  if (known) return known;
  const { id, kind: field, name, tags, keywords } = { ...CATEGORY, ...record };
  const words = [...new Set(indexTermsOf([name, ...keywords].join('\n')))];
  const json = JSON.stringify({ field, id, name } satisfies Attribute);
  const facts = { field, name, json, facet: facetOf(field, id), tags, words };
  knownFacts.set(record, facts);
  return facts;
}

/** Values derived from a text alone: products of one style share a name, and variants have few sizes and colours. */
function derived<Value extends object | string>(derive: (text: string) => Value): (text: string) => Value {
  const known = new Map<string, Value>();
  return (text) => {
    let value = known.get(text);
    if (value === undefined) {
      value = derive(text);
      if (known.size === TEXTS_MAX) known.clear();
      known.set(text, value);
    }
    return value;
  };
}
// Whole code points, not surrogate halves.
const sortKeys = derived((name) => Array.from(nameSortKey(name)).slice(0, SORT_KEY_LENGTH_MAX).join(''));
const foldedTexts = derived<readonly string[]>(indexTermsOf);
