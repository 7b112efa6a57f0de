import { z } from 'zod';
import {
  type CatalogQuery,
  type Filter,
  MODULES,
  type Module,
  SORTS,
} from '../../models/catalog/catalog-query';
import { badRequest } from '../../models/errors';
import { validate } from '../middleware/validate';
import { listOfValues, pageNumber, searchText, sizeOfPage } from '../wire/query-parameters';

/** Modules of an answer (contract 4.9); `catalog` is no value of it. */
const includes = z
  .array(z.enum(MODULES))
  .default(['taxonomy'])
  .describe('What rows have beside their name and pictures');

/** One filter object (contract 4.3). */
const filter = z
  .strictObject({
    field: z.string().min(1).describe('A taxonomy field such as `brand`, or `tags`'),
    include: listOfValues.optional().describe('The row has at least one of these'),
    exclude: listOfValues.optional().describe('The row has none of these'),
    ids: listOfValues.optional().meta({ deprecated: true, description: 'Old name of `include`' }),
  })
  .superRefine((given, context) => {
    const fault = (field: string, message: string) =>
      context.addIssue({ code: 'custom', path: [field], message });
    if (given.field === 'keywords') fault('field', '"keywords" is no filter; use "query"');
    if (given.ids && given.include) fault('ids', 'is the old name of "include"; send one of them');
    if (!given.ids?.length && !given.include?.length && !given.exclude?.length) {
      fault('include', 'give at least one value to include or exclude');
    }
  });

/** Body of `POST /v3/catalog/query`. */
export const catalogQueryBody = z.strictObject({
  query: searchText.optional().describe('Free text; without it the rows are listed'),
  category_id: z.string().optional().describe('Slug or name of a category'),
  filters: z.array(filter).max(100).default([]).describe('ANDed; the values in one are ORed'),
  taxonomy_node: z.string().default('product').describe('Kind of rows'),
  page: pageNumber.default(0),
  page_size: sizeOfPage.default(20),
  sort: z
    .enum(SORTS)
    .default('popularity_desc')
    .describe('Order of a listing; a query is ordered by relevance'),
  includes,
});

/** Body of `POST /v3/vision/identify`. */
export const identifyBody = z.strictObject({
  url: z.string().optional().describe('Public http(s) address of the photo; wins over `base64`'),
  base64: z.string().optional().describe('The photo as base64 or data URI: JPEG, PNG or WebP'),
  includes,
});

/** The domain form of a query body; `page_size` is lowered to the cap. */
export function toCatalogQuery(body: z.output<typeof catalogQueryBody>, pageSizeMax: number): CatalogQuery {
  return {
    text: body.query ?? null,
    categories: body.category_id === undefined ? null : [body.category_id],
    node: body.taxonomy_node,
    filters: body.filters.map(toFilter),
    page: body.page,
    pageSize: Math.min(body.page_size, pageSizeMax),
    sort: body.sort,
  };
}

const toFilter = (given: z.output<typeof filter>, position: number): Filter => ({
  field: given.field,
  include: given.include ?? given.ids ?? [],
  exclude: given.exclude ?? [],
  names: {
    include: `filters.${position}.${given.ids ? 'ids' : 'include'}`,
    exclude: `filters.${position}.exclude`,
  },
});

/** Whether a body uses the deprecated `ids`, valid or not (contract 4.7). */
export function usesDeprecatedIds(body: Readonly<Record<string, unknown>>): boolean {
  const { filters } = body;
  return (
    Array.isArray(filters) &&
    filters.some((each: unknown) => typeof each === 'object' && each !== null && Object.hasOwn(each, 'ids'))
  );
}

/** Each module once, in the order of the request: what is echoed and billed. */
export const effectiveModules = (modules: readonly Module[]): readonly Module[] => [...new Set(modules)];

/** The comma-separated `includes` of an item lookup; absent means `taxonomy`, empty means none (contract 6.1). */
export function modulesOfQuery(parameter: unknown): readonly Module[] {
  if (parameter === undefined) return ['taxonomy'];
  const given = Array.isArray(parameter) ? parameter : [parameter];
  if (!given.every((each) => typeof each === 'string')) {
    throw badRequest('includes: must be a comma-separated list.', { field: 'includes' });
  }
  const list = given.filter((each) => each.trim() !== '').flatMap((each) => each.split(','));
  const modules = validate(z.object({ includes }), { includes: list.map((each) => each.trim()) }).includes;
  return effectiveModules(modules);
}
