import type { CatalogAnswer, Category } from './calls';

const names = new Map<string, string>();
const fields = new Map<string, Set<string>>();

/** Collects from rows and facets the names of ids, and the fields of each category's products. */
export function rememberNames({ data, facets = {} }: CatalogAnswer): void {
  for (const { id, name } of Object.values(facets).flat()) names.set(id, name);
  for (const { id, name, attributes = [], available_tags: tags = [], variants } of data) {
    for (const each of [{ id, name }, ...attributes, ...tags]) names.set(each.id, each.name);
    if (!variants) continue;
    const category = attributes.find(({ field }) => field === 'category')?.id ?? '';
    fields.set(category, new Set([...(fields.get(category) ?? []), ...attributes.map(({ field }) => field)]));
  }
}

export function rememberCategories(categories: readonly Category[]): void {
  for (const { id, name } of categories) names.set(id, name);
}

/** The name of an id; while that is unknown, the readable part of the id. */
export const nameOf = (id: string): string =>
  names.get(id) ?? id.replace(/^[a-z]+[_:]/, '').replaceAll(/[_-]+/g, ' ');

/** The attribute fields seen on products of a category, or on any product, without the category itself. */
export function fieldsOf(category: string): readonly string[] {
  const seen = category === '' ? [...fields.values()] : [fields.get(category) ?? []];
  return [...new Set(seen.flatMap((each) => [...each]))].filter((field) => field !== 'category');
}

/** Categories that a title may name; for more it says "an item". */
const TITLE_CATEGORIES_MAX = 3;
const EITHER = new Intl.ListFormat('en', { type: 'disjunction' });

/** What can be identified, by the categories of the catalog: "Identify handbags or watches". */
export function identifyTitle(categories: readonly Category[]): string {
  const few = categories.length > 0 && categories.length <= TITLE_CATEGORIES_MAX;
  // In the middle of a sentence "Fine Jewellery" becomes lower case, and "LEGO" does not.
  const small = (name: string) => name.replaceAll(/\b\p{Lu}(?=\p{Ll})/gu, (letter) => letter.toLowerCase());
  return `Identify ${few ? EITHER.format(categories.map(({ name }) => small(name))) : 'an item'}`;
}

export const counted = (count: number, what: string, several = `${what}s`): string =>
  `${count.toLocaleString('en')} ${count === 1 ? what : several}`;

/** A field as people write it: `second_hand` is "Second hand". */
export function readable(name: string): string {
  const words = name.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
