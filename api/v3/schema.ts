import type { Response } from 'express';
import { z } from 'zod';
import { CREDITS_MAX } from '../../models/access/credits';
import * as queries from '../../models/catalog/catalog-query';
import { queryWords } from '../../models/catalog/fold-text';
import { FILTER_VALUES_MAX } from '../../models/catalog/resolve-scope';
import { badRequest } from '../../models/errors';
import { SIMILAR_MAX } from '../../models/vision/candidates';
import { isObject } from '../middleware/parse-json-object';
import { validate } from '../middleware/validate';
import * as shared from '../wire/shared';

/** Modules of an answer (contract 4.9); `catalog` is not one of its values. */
export const includes = z
  .array(shared.includeModule)
  .default(['taxonomy'])
  .describe('What rows contain besides name and pictures');

const LISTS = ['include', 'exclude', 'ids'] as const;
const filled = (list: string) => ({ properties: { [list]: { minItems: 1 } }, required: [list] });

/** One filter object (contract 4.3). */
export const filter = z
  .strictObject({
    field: z
      .string()
      .min(1)
      .meta({ description: 'A taxonomy field such as `brand`, or `tags`', not: { const: 'keywords' } }),
    include: shared.valueList
      .optional()
      .describe('The row has at least one of these; a tag that the catalog does not have is a 400'),
    exclude: shared.valueList.optional().describe('The row has none of these'),
    ids: shared.valueList.optional().meta({ deprecated: true, description: 'Old name of `include`' }),
  })
  .superRefine((given, context) => {
    const fault = (field: string, message: string) =>
      context.addIssue({ code: 'custom', path: [field], message });
    if (given.field === 'keywords') fault('field', '"keywords" is no filter; use "query"');
    if (given.ids && given.include) fault('ids', 'is the old name of "include"; send one of them');
    if (!LISTS.some((list) => given[list]?.length)) {
      fault('include', 'give at least one value to include or exclude');
    }
  })
  .meta({
    description: 'At least one value to include or exclude; `ids` or `include`, not both',
    if: filled('include'),
    else: { anyOf: [filled('exclude'), filled('ids')] },
    not: shared.having('ids', 'include'),
  })
  .register(shared.INPUT, { id: 'Filter' });

export const FILTERS_MAX = 100;

/** The filters that rows must pass (contract 4.3). */
export const filters = z
  .array(filter)
  .max(FILTERS_MAX)
  .default([])
  .describe(`ANDed; values in one are ORed; at most ${FILTER_VALUES_MAX} values in all`);

/** Longer than any cursor: the key of the longest name. */
const CURSOR_LENGTH_MAX = 10_000;

/** Facets of one query at most, and values of one facet (contract 4.15). */
const FACETS_MAX = 10;
const FACET_VALUES_MAX = 100;

const facetField = z.string().min(1).describe('A taxonomy field such as `brand`, or `tags`');
const facetLimit = z
  .int()
  .min(1)
  .max(FACET_VALUES_MAX)
  .default(20)
  .describe('Maximum number of values, the most frequent first');

/** One facet to count: its field, or that with a limit and a search within its values. */
const facet = z.union(
  [
    facetField,
    z.strictObject({
      field: facetField,
      limit: facetLimit,
      query: shared.searchText
        .optional()
        .describe('Only values whose name has these words, the last as a prefix'),
    }),
  ],
  `must be a field, or "field" with a "limit" of 1 to ${FACET_VALUES_MAX} and a "query"`,
);

const facets = z
  .array(facet)
  .max(FACETS_MAX)
  .superRefine((given, context) => {
    const fields = given.map(fieldOf);
    const repeated = fields.findIndex((field, at) => fields.indexOf(field) < at);
    if (repeated !== -1) {
      context.addIssue({ code: 'custom', path: [repeated], message: `"${fields[repeated]}" is named twice` });
    }
  })
  .describe('Fields whose values are counted, over all rows of the result');

const fieldOf = (given: z.output<typeof facet>): string => (typeof given === 'string' ? given : given.field);

/** How many words of a query a row needs (contract 5.18). */
export const match = z.enum(queries.MATCHES);

export const catalogQueryBody = z
  .strictObject({
    query: shared.searchText.optional().describe('Free text; without it the rows are listed'),
    category_id: z.string().optional().describe('Slug or name of a category'),
    filters,
    taxonomy_node: z.string().default('product').describe('Kind of rows to return'),
    page: shared.pageNumber.optional().meta({ default: 0 }),
    page_size: shared.sizeOfPage.default(20),
    cursor: z
      .string()
      .max(CURSOR_LENGTH_MAX)
      .optional()
      .describe('Instead of `page`: empty for the first page, then the `next_cursor` of the previous answer'),
    match: match.default('any').describe('Whether rows must match any word of the query or all of them'),
    sort: shared.sort
      .default('popularity_desc')
      .describe('Order of a listing; a `query` is ordered by relevance'),
    facets: facets.optional(),
    includes,
  })
  .meta({ not: shared.having('cursor', 'page') })
  .register(shared.INPUT, { id: 'CatalogQuery' });

/** Ids of one call at most (contract 6.7). */
const ITEMS_MAX = 100;

export const itemsBody = shared.body('ItemsRequest', {
  ids: z.array(z.string()).min(1).max(ITEMS_MAX).describe('Ids of rows; a repeated id gives one row'),
  includes,
});

export const suggestBody = shared.body('SuggestRequest', {
  query: shared.searchText.default('').describe('Text in the search box; blank for the most popular rows'),
  category_id: z.string().optional().describe('Slug or name of a category'),
  size: shared.sizeOfPage
    .default(queries.SUGGESTIONS_MAX)
    .describe(`Maximum number of rows, up to ${queries.SUGGESTIONS_MAX}`),
});

export const itemParameters = z.strictObject({
  includes: shared.commaSeparated
    .pipe(z.array(shared.includeModule))
    .default(['taxonomy'])
    .describe('Comma-separated; empty for none'),
});

export const similarParameters = itemParameters.extend({
  category_id: z.string().optional().describe('Slug or name of a category; default: that of the item'),
  size: shared.digits
    .pipe(shared.sizeOfPage)
    .default(SIMILAR_MAX)
    .describe(`Maximum number of rows, up to ${SIMILAR_MAX}`),
});

/** Body of `POST /v3/webhooks` (contract 16.10). */
export const webhookBody = z
  .strictObject({
    url: z.string().describe('Public https address'),
    events: z.array(shared.webhookEvent).min(1).describe('Events to send'),
    credits_below: z
      .int()
      .min(1)
      .max(CREDITS_MAX)
      .optional()
      .describe('Balance that triggers `account.credits.low`; required with that event'),
  })
  .superRefine(({ events, credits_below: below }, context) => {
    if (events.includes('account.credits.low') === (below !== undefined)) return;
    const message = 'goes with the event account.credits.low';
    context.addIssue({ code: 'custom', path: ['credits_below'], message });
  })
  .meta({
    if: { properties: { events: { contains: { const: 'account.credits.low' } } } },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: shared.having('credits_below'),
    else: { not: shared.having('credits_below') },
  })
  .register(shared.INPUT, { id: 'WebhookRequest' });

/**
 * The query of a body, and the modules that its answer includes; `page_size` is lowered to the cap (contract 4.1, 4.8).
 * @throws AppError 400 that names the parameter at fault, also for a page and a cursor (contract 4.17)
 */
export function toCatalogQuery(given: unknown, pageSizeMax: number) {
  const body = validate(catalogQueryBody, given);
  if (body.cursor !== undefined && body.page !== undefined) {
    throw badRequest('cursor: takes the place of "page"; send one of them.', { field: 'cursor' });
  }
  const query: queries.CatalogQuery = {
    text: body.query ?? null,
    categories: body.category_id === undefined ? null : [body.category_id],
    node: body.taxonomy_node,
    filters: body.filters.map(toFilter),
    page: body.page ?? 0,
    pageSize: Math.min(body.page_size, pageSizeMax),
    match: body.match,
    sort: body.sort,
    ...(body.facets && { facets: body.facets.map(toFacet) }),
    ...(body.cursor !== undefined && { cursor: body.cursor }),
  };
  return { query, includes: body.includes };
}

function toFacet(given: z.output<typeof facet>): queries.FacetQuery {
  const { field, limit, query } =
    typeof given === 'string' ? { field: given, limit: facetLimit.parse(undefined), query: null } : given;
  return { field, limit, words: queryWords(query) };
}

export const toFilter = (given: z.output<typeof filter>, position: number): queries.Filter => ({
  field: given.field,
  include: given.include ?? given.ids ?? [],
  exclude: given.exclude ?? [],
  names: {
    include: `filters.${position}.${given.ids ? 'ids' : 'include'}`,
    exclude: `filters.${position}.exclude`,
  },
});

/** Warns the caller when a body uses the deprecated `ids`, valid or not (contract 4.7). */
export function signalDeprecation(res: Response, body: Readonly<Record<string, unknown>>): void {
  if (usesDeprecatedIds(body)) res.setHeader('Deprecation', 'true');
}

/** In its own filters, or in those of an entry of a job. */
const usesDeprecatedIds = ({ filters, entries }: Readonly<Record<string, unknown>>): boolean =>
  objectsIn(filters).some((each) => Object.hasOwn(each, 'ids')) || objectsIn(entries).some(usesDeprecatedIds);

const objectsIn = (list: unknown): Record<string, unknown>[] =>
  Array.isArray(list) ? list.filter(isObject) : [];
