import { DATA_FILE_KINDS, REGIONS } from '../../../models/pricing/estimate';
import { itemParameters, similarParameters } from '../../v3/schema';
import { periodParameters } from '../../wire/period';
import { ADMIN_OPERATIONS } from './admin-operations';
import { LATER_OPERATIONS } from './later-operations';
import { json, type Operation, open, photo, plain, V1, V2 } from './operation';
import { idParameter, inPath } from './parameters';
import { RECORD_OPERATIONS } from './record-operations';
import { legacyQueryWithFacets, queryParameters } from './schemas';

const ITEM = idParameter('Id of a row, from a search or an identification', 'product_birkin_croc');

/** Every endpoint, in the order of the reference (contract 14.4). */
export const OPERATIONS: readonly Operation[] = [
  json({
    id: 'queryCatalog',
    summary: 'Search or list the catalog',
    description: `Products, or the taxonomy rows of \`taxonomy_node\`, by free text and filters.

- Filter objects are ANDed, the values in one are ORed; repeat a field to require several tags. A field or value that no row has finds nothing; an unknown tag is a 400.
- A \`query\` is ordered by relevance, whatever the \`sort\`; \`sort_applied\` tells the order.
- A page past the end has no rows, and is no error; its \`facets\` are empty.
- **Credits:** 1; with \`pricing\` on products 6; a page without rows is free.`,
    body: 'CatalogQuery',
    answer: 'QueryAnswer',
    maybe: ['Deprecation'],
  }),
  plain({
    id: 'getItem',
    summary: 'One catalog row by id',
    description:
      '`data` holds one row. Not found are unknown and deleted rows, and ids of variants.\n\n**Credits:** 1; with `pricing` on a product 6; an unknown id and HEAD are free.',
    parameters: [ITEM, ...queryParameters(itemParameters)],
    answer: 'ItemAnswer',
  }),
  plain({
    id: 'listSimilarItems',
    summary: 'Products that look like one',
    description: `By their pictures, the most similar first, each with its \`similarity\`; never the item itself.

- Of the category of the item, or of \`category_id\`.
- Nothing is similar to a row that is no product, or that has no picture the model knows: an empty \`data\`.
- **Credits:** 1; with \`pricing\` 6; an answer without rows, an unknown id and HEAD are free.`,
    parameters: [ITEM, ...queryParameters(similarParameters)],
    answer: 'SimilarAnswer',
  }),
  json({
    id: 'getItems',
    summary: 'Several catalog rows by their ids',
    description: `Up to 100, in the order of the ids; an id that is named again is one row. What is not found is listed in \`not_found\`, and is no error.

**Credits:** 1 for each row that is found; with \`pricing\` 6 for each product. The balance must cover all of them.`,
    body: 'ItemsRequest',
    answer: 'ItemsAnswer',
  }),
  json({
    id: 'suggest',
    summary: 'Complete what stands in a search box',
    description: `Rows that match all words of the query, the last of which may be unfinished: brands, models, styles and the like before products, by popularity. A blank query gives the most popular.

- A row is its \`id\`, \`name\`, \`node\` and \`attributes\`; ask for the rest when it is chosen. \`matched\` tells which parts of the name to set off.
- Free; a call counts in the limits of the key.`,
    body: 'SuggestRequest',
    answer: 'SuggestAnswer',
  }),
  photo({
    id: 'identify',
    summary: 'Identify the item in a photo',
    description: `At most ten rows, best first, each with its own calibrated \`confidence\`: of all rows given with 0.9, nine in ten are right; of those given with 0.1, one in ten. Over the products it sums to at most 1.

- Send the photo as \`url\` or \`base64\`; \`url\` wins. JPEG, PNG or WebP, told by their bytes.
- Or send two to five photos of the item from several sides as \`images\`: they have one answer. One that shows something else decides little.
- \`region\` names the part of a photo that is looked at; \`category_id\` and \`filters\` the rows that may be the answer.
- \`explain\` gives each row its \`evidence\`.
- Where the photo shows a style, model or brand but not which product of it, that taxonomy row comes first, without \`variants\`; its likeliest products follow.
- \`min_confidence\` is what the first row needs for an answer, instead of the floor of the service; the runners-up follow down to 0.01. With 0 the ten nearest rows are returned, whatever they are.
- Nothing sure enough: an empty \`data\`.
- **Credits:** 5, with \`pricing\` 10; 2 more for each photo after the first; an answer without rows is free.`,
    body: 'IdentifyRequest',
    answer: 'IdentifyAnswer',
    maybe: ['Deprecation'],
  }),
  json({
    id: 'sendFeedback',
    summary: 'Say what the photos showed',
    description:
      'The product, or `null` where the catalog does not have it; sent again, the last one stands. For the account that asked, with any key of the same kind, live or test. Free. It makes the reliability of the service known, and its confidence better.',
    body: 'Feedback',
    parameters: [idParameter('The `X-Prediction-Id` of an answer', 'V1StGXR8_Z5jdHi6B-myT')],
    answer: 'FeedbackAnswer',
  }),
  plain({
    id: 'getOwnAccount',
    summary: 'Your account and key',
    description:
      'What the account has left, what the key may do, and what keys of its kind, live or test, were charged, by day and endpoint: the last 30 days (of UTC), or the period that you name, of at most 366 days. Free, for every key.',
    parameters: queryParameters(periodParameters),
    answer: 'Account',
  }),
  ...RECORD_OPERATIONS,
  ...LATER_OPERATIONS,
  json(
    {
      id: 'searchProductsV2',
      summary: 'Search products (legacy)',
      description:
        'The parameters of `GET /v1/products` as JSON properties; facets go by their field (`brand`, `exclude_brand`, …), other properties are ignored.\n\n**Credits:** 6 for products, else 1; a page without rows is free.',
      body: 'LegacyQuery',
      answer: 'LegacyAnswer',
    },
    V2,
  ),
  photo(
    {
      id: 'identifyV2',
      summary: 'Identify the item in a photo (legacy)',
      description: 'Always with taxonomy and prices.\n\n**Credits:** 10; no match is free.',
      body: 'LegacyIdentifyRequest',
      answer: 'LegacyVisionAnswer',
    },
    V2,
  ),
  plain(
    {
      id: 'searchProductsV1',
      summary: 'Search products (legacy)',
      description:
        'Any facet of the catalog is a parameter, and `exclude_` before it negates it; parameters of no meaning are ignored.\n\n**Credits:** 6 for products, else 1; a page without rows and HEAD are free.',
      parameters: queryParameters(legacyQueryWithFacets),
      answer: 'LegacyAnswer',
    },
    V1,
  ),
  open('files', {
    id: 'getDataFile',
    summary: 'A price file of a variant and region',
    description:
      'Only by the signed link of an answer, which is valid for one hour; no key. Request the item again for a fresh link. What it shows may be displayed, not stored.',
    parameters: [
      inPath('kind', { type: 'string', enum: DATA_FILE_KINDS }, 'Estimates over time, or the listings'),
      inPath('variantId', { type: 'string' }, 'Id of the variant'),
      inPath('file', { type: 'string', enum: REGIONS.map((region) => `${region}.csv`) }, 'The region'),
      ...['expires', 'key', 'signature'].map((name) => ({
        name,
        in: 'query',
        required: true,
        description: 'Part of the signature; take the link as it was answered',
        schema: { type: 'string' },
      })),
    ],
    answer: ['text/csv'],
    errors: [403, 503],
    headers: ['Cache-Control', 'Content-Disposition'],
  }),
  open('files', {
    id: 'getImage',
    summary: 'A stored catalog image',
    description: 'Its address is the hash of its content and never changes; no key.',
    parameters: [
      inPath(
        'file',
        { type: 'string', pattern: '^[0-9a-f]{64}\\.(jpg|png|webp)$' },
        'SHA-256 of the content and its format',
      ),
      { name: 'If-None-Match', in: 'header', description: 'ETags that you hold', schema: { type: 'string' } },
    ],
    answer: ['image/jpeg', 'image/png', 'image/webp'],
    errors: [404, 503],
    headers: ['Cache-Control', 'ETag'],
  }),
  ...ADMIN_OPERATIONS,
  open('operations', {
    id: 'checkHealth',
    summary: 'Whether the process is alive',
    description: 'Answers as long as the process does.',
    answer: 'Health',
    maybe: ['Cache-Control'],
  }),
  open('operations', {
    id: 'checkReadiness',
    summary: 'Whether the process can serve',
    description: 'The state of each thing that the service needs.',
    answer: 'Readiness',
    errors: [503],
    maybe: ['Cache-Control'],
  }),
  open('operations', {
    id: 'getMetrics',
    summary: 'Metrics for Prometheus',
    description: 'Requests by route and status, stages of identifications, the queue, the process.',
    answer: ['text/plain'],
    maybe: ['Cache-Control'],
  }),
  open('operations', {
    id: 'getOpenApi',
    summary: 'This document',
    description: 'OpenAPI 3.1, with the address that it was asked at as its server.',
    answer: ['application/json'],
    maybe: ['Cache-Control'],
  }),
];
