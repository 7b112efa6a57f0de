import { LRUCache } from 'lru-cache';
import { nameSortKey } from '../fold-text';
import { facetOf, indexTermsOf } from '../index-terms';
import type { Attribute } from '../item';
import { categoriesOf, joinCategories, TAGS_FIELD } from '../taxonomy';
import {
  type CatalogRow,
  type CategoryRecord,
  type EntityRecord,
  type Pictured,
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
/** Per kind of text; beyond that the least recently used ones are evicted. */
const TEXTS_MAX = 20_000;
/** The field whose entities hand their tags down to products (contract 3.4). */
const TAGGED_FIELD = 'style';

/** The row of a product: its name, attributes in order, its own tags and its style's (contract 1.3). */
export function productRow(product: ProductRecord, context: RowContext): CatalogRow {
  const { title, sku, keywords, variants } = product;
  const category = categoryOf(product.category, context);
  const named = attributeOrder(category.hierarchy, product.attributes).flatMap((field) =>
    factsOfAll(ownOf(product.attributes, field) ?? [], context),
  );
  const names = new Map<string, string>();
  const tags = [...product.tags];
  for (const { attribute, tags: inherited } of named) {
    if (!names.has(attribute.field)) names.set(attribute.field, attribute.name.trim());
    if (attribute.field === TAGGED_FIELD) tags.push(...inherited);
  }
  const words = new Set(foldedTexts.memo(category.name));
  // Not shared with any other product.
  for (const own of [title, sku]) if (own) addAll(words, indexTermsOf(own));
  for (const keyword of keywords) addAll(words, foldedTexts.memo(keyword));
  for (const { fields } of variants) for (const { name } of fields) addAll(words, foldedTexts.memo(name));
  // The first name of each field that composes names in the category.
  const composed = category.name_fields
    .map((field) => names.get(field))
    .filter(Boolean)
    .join(' ');
  const name = composed || (title?.trim() ?? '');
  return row([category], product, { kind: 'product', name, named, tags, words });
}

/** A name chosen by a catalog may be one that every object has. */
const ownOf = <Value>(values: Readonly<Record<string, Value>>, name: string): Value | undefined =>
  Object.hasOwn(values, name) ? values[name] : undefined;

function attributeOrder(hierarchy: readonly string[], attributes: object): string[] {
  const fields = Object.keys(attributes).filter((field) => !hierarchy.includes(field));
  return [...hierarchy, ...fields.sort()];
}

function addAll(words: Set<string>, more: readonly string[]): void {
  for (const word of more) words.add(word);
}

/** The row of an entity: its categories, its parents in order, then itself. `tags` are its own. */
export function entityRow(entity: EntityRecord, tags: readonly string[], context: RowContext): CatalogRow {
  const categories = categoriesOf(entity.category).map((id) => categoryOf(id, context));
  const above = attributeOrder(categories[0]?.hierarchy ?? [], entity.parents).flatMap((field) =>
    factsOfAll([ownOf(entity.parents, field) ?? []].flat(), context),
  );
  const words = new Set(categories.flatMap(({ name }) => foldedTexts.memo(name)));
  const { kind, name } = entity;
  return row(categories, entity, { kind, name, named: [...above, factsOf(entity)], tags, words });
}

/** The row of a category; its only attribute is itself, and it has no tags. */
export function categoryRow(category: CategoryRecord): CatalogRow {
  const words = new Set(foldedTexts.memo(category.name));
  return row([category], category, { kind: CATEGORY_FIELD, name: category.name, named: [], tags: [], words });
}

/** Whether an entity is a separate row; one of a kind outside the hierarchy is only a facet (contract 13.10). */
export const isListable = (entity: EntityRecord, context: RowContext): boolean =>
  categoriesOf(entity.category).some((id) => categoryOf(id, context).hierarchy.includes(entity.kind));

interface RowParts {
  readonly kind: string;
  readonly name: string;
  readonly named: readonly EntityFacts[];
  readonly tags: readonly string[];
  /** Of the row itself; those of the entities it names are added. */
  readonly words: Set<string>;
}

function row(
  categories: readonly CategoryRecord[],
  { id, popularity, images, thumbnails }: Pictured & { readonly id: string },
  { kind, name, named, tags, words }: RowParts,
): CatalogRow {
  const facets = categories.map((category) => facetOf(CATEGORY_FIELD, category.id));
  const attributes = categories.map(attributeOf);
  for (const facts of named) {
    attributes.push(facts.json);
    facets.push(facts.facet);
    addAll(words, facts.words);
  }
  for (const tag of tags) facets.push(tagFacets.memo(tag));
  return {
    ...{ id, kind, name, popularity, images, thumbnails },
    category: joinCategories(categories.map((category) => category.id)),
    sort_key: sortKeys.memo(name),
    facets: sortedOnce(facets),
    words: [...words],
    attributes: `[${attributes.join(',')}]`,
  };
}

function sortedOnce(texts: string[]): string[] {
  texts.sort();
  return texts.filter((text, position) => text !== texts[position - 1]);
}

function factsOfAll(ids: readonly string[], { entities }: RowContext): EntityFacts[] {
  return ids.flatMap((id) => {
    const entity = entities.get(id);
    return entity ? [factsOf(entity)] : [];
  });
}

const attributeOf = ({ id, name }: CategoryRecord): string =>
  JSON.stringify({ field: CATEGORY_FIELD, id, name } satisfies Attribute);

function categoryOf(id: string, context: RowContext): CategoryRecord {
  const category = context.categories.get(id);
  if (!category) throw new Error(`the category ${id} of a stored record is missing`);
  return category;
}

interface EntityFacts {
  readonly attribute: Attribute;
  readonly json: string;
  readonly facet: string;
  readonly tags: readonly string[];
  readonly words: readonly string[];
}

/** Thousands of rows share them, which saves time and memory. */
const knownFacts = new WeakMap<EntityRecord, EntityFacts>();

function factsOf(entity: EntityRecord): EntityFacts {
  const known = knownFacts.get(entity);
  if (known) return known;
  const { id, kind, name, tags, keywords } = entity;
  const words = [...new Set(indexTermsOf([name, ...keywords].join('\n')))];
  const attribute = { field: kind, id, name };
  const facts = { attribute, json: JSON.stringify(attribute), facet: facetOf(kind, id), tags, words };
  knownFacts.set(entity, facts);
  return facts;
}

/** Values derived from a text alone: products of one style share a name, and variants have few sizes and colours. */
const derived = <Value extends object | string>(derive: (text: string) => Value) =>
  new LRUCache<string, Value>({ max: TEXTS_MAX, memoMethod: derive });
// Whole code points, not surrogate halves.
const sortKeys = derived((name) => Array.from(nameSortKey(name)).slice(0, SORT_KEY_LENGTH_MAX).join(''));
const foldedTexts = derived<readonly string[]>(indexTermsOf);
const tagFacets = derived((tag) => facetOf(TAGS_FIELD, tag));
