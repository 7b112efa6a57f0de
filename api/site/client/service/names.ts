import type { CatalogAnswer, Category, Row } from './calls';

const names = new Map<string, string>();
/** Attribute fields of products, by category. */
const fields = new Map<string, Set<string>>();

/**
 * Learns from an answer what ids are called, so that a filter out of an address can be shown by name, and by what fields
 * the products of a category can be told apart.
 */
export function rememberNames({ data, facets = {} }: CatalogAnswer): void {
  for (const { id, name } of Object.values(facets).flat()) names.set(id, name);
  for (const row of data) {
    names.set(row.id, row.name);
    if (row.variants) learnFields(row.attributes ?? []);
    for (const { id, name } of [...(row.attributes ?? []), ...(row.available_tags ?? [])])
      names.set(id, name);
  }
}

/** The same of the catalog's categories. */
export function rememberCategories(categories: readonly Category[]): void {
  for (const { id, name } of categories) names.set(id, name);
}

/** Categories that a title names; of more it says "an item". */
const TITLE_CATEGORIES_MAX = 3;
const EITHER = new Intl.ListFormat('en', { type: 'disjunction' });

/** What can be identified, by the categories of the catalog: "Identify handbags or watches". */
export function identifyTitle(categories: readonly Category[]): string {
  const few = categories.length > 0 && categories.length <= TITLE_CATEGORIES_MAX;
  // In the middle of a sentence "Fine Jewellery" is written small, and "LEGO" is not.
  const small = (name: string) => name.replaceAll(/\b\p{Lu}(?=\p{Ll})/gu, (letter) => letter.toLowerCase());
  return `Identify ${few ? EITHER.format(categories.map(({ name }) => small(name))) : 'an item'}`;
}

/** What an id is called; as long as nobody said it, the readable part of the id itself. */
export const nameOf = (id: string): string =>
  names.get(id) ?? id.replace(/^[a-z]+[_:]/, '').replaceAll(/[_-]+/g, ' ');

function learnFields(attributes: NonNullable<Row['attributes']>): void {
  const category = attributes.find(({ field }) => field === 'category')?.id ?? '';
  const known = fields.get(category) ?? new Set();
  for (const { field } of attributes) known.add(field);
  fields.set(category, known);
}

/** The attribute fields that were seen on products of a category, or on any product, without the category itself. */
export const fieldsOf = (category: string): readonly string[] => {
  const seen =
    category === '' ? [...fields.values()].flatMap((each) => [...each]) : [...(fields.get(category) ?? [])];
  return [...new Set(seen)].filter((field) => field !== 'category');
};
