import { z } from 'zod';
import type { CatalogQuery, Filter } from '../../models/catalog/catalog-query';
import { TAGS_FIELD, Taxonomy } from '../../models/catalog/taxonomy';
import { refuseBrokenText } from '../middleware/parse-json-object';
import { refuseBrackets, validate } from '../middleware/validate';
import { commaSeparated, INPUT, pageNumber, searchText, sizeOfPage, sort, valueList } from '../wire/shared';

export type LegacyParameters = Readonly<Record<string, unknown>>;

/** Scope of a legacy call that names no category (contract 8.2). */
const DEFAULT_CATEGORIES = ['handbags', 'watches'];

/** A whole number, or the same in digits. */
const number = (schema: typeof pageNumber, minimum: number) =>
  z
    .union(
      [
        z.number().meta({ type: 'integer', minimum }),
        z
          .string()
          .regex(/^\s*-?\d+\s*$/)
          .meta({ pattern: minimum === 0 ? '^\\s*\\d+\\s*$' : '^\\s*0*[1-9]\\d*\\s*$' })
          .transform(Number),
      ],
      'must be a whole number',
    )
    .pipe(schema);

/** Blank values of a list are ignored. */
const list = commaSeparated.transform((given) => given.filter((each) => each !== '')).pipe(valueList);

/** The parameters of v1 and v2 products that have a fixed name (contract 8.1); others are facets or ignored. */
const legacyQuery = z.object({
  search: searchText.default('').describe('Free text; without it the rows are listed'),
  attribute: z.unknown().optional().meta({
    type: 'string',
    default: 'product',
    description: 'Kind of rows; anything else counts as `product`',
  }),
  page: number(pageNumber, 0).default(0).describe('0-based; default 0'),
  page_size: number(sizeOfPage, 1).default(20).describe('Rows per page, up to the cap; default 20'),
  sort: sort.default('popularity_desc').describe('Order of a listing; a `search` is ordered by relevance'),
  tags: list.default([]).describe('Tag ids; rows have at least one of these'),
  exclude_tags: list.default([]).describe('Tag ids; rows have none of these'),
  category: list
    .default(DEFAULT_CATEGORIES)
    .describe('Names or ids of categories; default: handbags and watches'),
});

const EXCLUDE = 'exclude_';

/** The same with the facets of the named categories; others may bring more (contract 8.1). */
export const legacyParameters = legacyQuery.extend({
  ...Object.fromEntries(
    new Taxonomy([]).facetFields().flatMap((field) => [
      [field, list.optional().describe('Ids; rows have at least one of these')],
      [EXCLUDE + field, list.optional().describe('Ids; rows have none of these')],
    ]),
  ),
  exclude_category: list.optional().describe('Names or ids of categories'),
});

/** Body of `POST /v2/products`: the same parameters, and ignored ones. */
export const legacyBody = legacyParameters.catchall(z.unknown()).register(INPUT, { id: 'LegacyQuery' });

/** Distinguishes facets from ignored parameters. */
type Known = Readonly<{ taxonomy: Taxonomy; facetFields: readonly string[]; pageSizeMax: number }>;

/**
 * The catalog query that a v1 or v2 product search stands for; later steps know no versions. Meaningless parameters are
 * ignored (contract 8.1). @throws AppError 400 that names the parameter at fault
 */
export function toLegacyQuery(parameters: LegacyParameters, known: Known): CatalogQuery {
  const given = Object.fromEntries(Object.entries(parameters).filter(([, value]) => value !== null));
  for (const [name, value] of Object.entries(given)) {
    for (const text of [value].flat()) if (typeof text === 'string') refuseBrokenText(text, name);
  }
  refuseBrackets(Object.keys(given));
  const { attribute, ...fixed } = validate(legacyQuery, given);
  return {
    text: fixed.search,
    categories: fixed.category.length > 0 ? fixed.category : DEFAULT_CATEGORIES,
    node: typeof attribute === 'string' && known.taxonomy.nodes.has(attribute) ? attribute : 'product',
    filters: [...tagFilters(fixed), ...facetFilters(given, known)],
    page: fixed.page,
    pageSize: Math.min(fixed.page_size, known.pageSizeMax),
    sort: fixed.sort,
  };
}

function tagFilters(given: { tags: readonly string[]; exclude_tags: readonly string[] }): Filter[] {
  if (given.tags.length === 0 && given.exclude_tags.length === 0) return [];
  const names = { include: 'tags', exclude: 'exclude_tags' };
  return [{ field: TAGS_FIELD, include: given.tags, exclude: given.exclude_tags, names }];
}

/** One filter per named facet, to include or to exclude; `category` can only be excluded, because it is the scope (contract 8.3). */
function facetFilters(given: LegacyParameters, { facetFields, taxonomy }: Known): Filter[] {
  // The facets of contract 8.1 are recognised even if no row of the catalog has them.
  const all = new Set([...taxonomy.facetFields(), ...facetFields]);
  const fields = [...all].filter((field) => !Object.hasOwn(legacyQuery.shape, field));
  const included = fields.map((field) => ({ field, include: valuesOf(given, field), exclude: [] }));
  const excluded = fields.map((field) => ({ field, include: [], exclude: valuesOf(given, EXCLUDE + field) }));
  const categories = valuesOf(given, `${EXCLUDE}category`).map((name) => taxonomy.find(name)?.id ?? name);
  return [...included, ...excluded, { field: 'category', include: [], exclude: categories }]
    .filter(({ include, exclude }) => include.length > 0 || exclude.length > 0)
    .map((filter) => ({ ...filter, names: { include: filter.field, exclude: EXCLUDE + filter.field } }));
}

const valuesOf = (given: LegacyParameters, name: string): string[] =>
  Object.hasOwn(given, name) ? (validate(z.object({ [name]: list }), given)[name] ?? []) : [];

const textOf = (name: string) => ({ properties: { [name]: { type: 'string' } }, required: [name] });

/** Body of `POST /v2/vision` (contract 8.6). */
export const legacyIdentifyBody = z
  .object({
    url: z.string().nullish().describe('Public http(s) address of the photo; takes precedence over `base64`'),
    base64: z.string().nullish().describe('The photo as base64 or data URI: JPEG, PNG or WebP'),
  })
  .meta({ if: textOf('url'), else: textOf('base64') })
  .register(INPUT, { id: 'LegacyIdentifyRequest' });
