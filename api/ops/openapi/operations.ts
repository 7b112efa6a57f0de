import { ADMIN_OPERATIONS } from './admin-operations';
import { LATER_OPERATIONS } from './later-operations';
import {
  ALWAYS,
  BODY_HEADERS,
  billed,
  forOperators,
  LIMITS,
  type Operation,
  V1,
  V2,
  V3,
  WITH_BODY,
  WITH_KEY,
  WITH_PHOTO,
} from './operation';
import { RECORD_OPERATIONS } from './record-operations';

/** Every endpoint, in the order of the reference (contract 14.4). */
export const OPERATIONS: readonly Operation[] = [
  billed({
    id: 'queryCatalog',
    method: 'post',
    tag: 'v3',
    summary: 'Search or list the catalog',
    description: `Products, or the taxonomy rows of \`taxonomy_node\`, by free text and filters.

- Filter objects are ANDed, the values in one are ORed; repeat a field to require several tags. A field or value that no row has finds nothing; an unknown tag is a 400.
- A \`query\` is ordered by relevance, whatever the \`sort\`; \`sort_applied\` tells the order.
- A page past the end has no rows, and is no error.
- **Credits:** 1; with \`pricing\` on products 6; a page without rows is free.`,
    version: V3,
    body: 'CatalogQuery',
    answer: { schema: 'CatalogAnswer' },
    errors: WITH_BODY,
    maybe: [...BODY_HEADERS, 'Deprecation'],
  }),
  billed({
    id: 'showItem',
    method: 'get',
    tag: 'v3',
    summary: 'One catalog row by id',
    description:
      '`data` holds one row. Not found are unknown and deleted rows, and ids of variants.\n\n**Credits:** 1; with `pricing` on a product 6; an unknown id and HEAD are free.',
    version: V3,
    answer: { schema: 'CatalogAnswer' },
    errors: [...WITH_KEY, 404],
    maybe: LIMITS,
  }),
  billed({
    id: 'showSimilar',
    method: 'get',
    tag: 'v3',
    summary: 'Products that look like one',
    description: `By their pictures, the most similar first, each with its \`similarity\`; never the item itself.

- Of the category of the item, or of \`category_id\`.
- Nothing is similar to a row that is no product, or that has no picture the model knows: an empty \`data\`.
- **Credits:** 1; with \`pricing\` 6; an answer without rows, an unknown id and HEAD are free.`,
    version: V3,
    answer: { schema: 'CatalogAnswer' },
    errors: [...WITH_KEY, 404],
    maybe: LIMITS,
  }),
  billed({
    id: 'showItems',
    method: 'post',
    tag: 'v3',
    summary: 'Several catalog rows by their ids',
    description: `Up to 100, in the order of the ids; an id that is named again is one row. What is not found is listed in \`not_found\`, and is no error.

**Credits:** 1 for each row that is found; with \`pricing\` 6 for each product. The balance must cover all of them.`,
    version: V3,
    body: 'ItemsRequest',
    answer: { schema: 'ItemsAnswer' },
    errors: WITH_BODY,
  }),
  billed({
    id: 'suggest',
    method: 'post',
    tag: 'v3',
    summary: 'Complete what stands in a search box',
    description: `Rows that match all words of the query, the last of which may be unfinished: brands, models, styles and the like before products, by popularity. A blank query gives the most popular.

- A row is its \`id\`, \`name\`, \`node\` and \`attributes\`; ask for the rest when it is chosen. \`matched\` tells which parts of the name to set off.
- Free; a call counts in the limits of the key.`,
    version: V3,
    body: 'SuggestRequest',
    answer: { schema: 'SuggestAnswer' },
    errors: [...WITH_KEY, 413, 415],
    maybe: LIMITS,
  }),
  billed({
    id: 'identify',
    method: 'post',
    tag: 'v3',
    summary: 'Identify the item in a photo',
    description: `At most ten rows, best first, each with a calibrated \`confidence\`: of all answers given with 0.9, nine in ten are right.

- Send the photo as \`url\` or \`base64\`; \`url\` wins. JPEG, PNG or WebP, told by their bytes.
- Or send two to five photos of the item from several sides as \`images\`: they have one answer. One that shows something else decides little.
- \`region\` names the part of a photo that is looked at; \`category_id\` and \`filters\` the rows that may be the answer.
- \`explain\` gives each row its \`evidence\`.
- Where the photo shows a style, model or brand but not which product of it, that taxonomy row is the answer, without \`variants\`.
- Nothing sure enough: an empty \`data\`.
- **Credits:** 5, with \`pricing\` 10; 2 more for each photo after the first; an answer without rows is free.`,
    version: V3,
    body: 'IdentifyRequest',
    answer: { schema: 'CatalogAnswer' },
    errors: WITH_PHOTO,
    headers: ['X-Credits-Used', 'Cache-Control', 'X-Prediction-Id'],
    maybe: [...BODY_HEADERS, 'Server-Timing'],
  }),
  billed({
    id: 'correct',
    method: 'post',
    tag: 'v3',
    summary: 'Say what the photos showed',
    description:
      'The product, or `null` where the catalog does not have it; sent again, the last one stands. For the account that asked, with any of its keys. Free. It makes the reliability of the service known, and its confidence better.',
    version: V3,
    body: 'Feedback',
    answer: { schema: 'FeedbackAnswer' },
    errors: [...WITH_BODY, 404],
  }),
  billed({
    id: 'showOwnAccount',
    method: 'get',
    tag: 'v3',
    summary: 'Your account and key',
    description:
      'What the account has left, what the key may do, and what was charged, by day and endpoint: the last 30 days (of UTC), or the period that you name, of at most 366 days. Free, for every key.',
    version: V3,
    answer: { schema: 'Account' },
    errors: WITH_KEY,
    maybe: LIMITS,
  }),
  ...RECORD_OPERATIONS,
  ...LATER_OPERATIONS,
  billed({
    id: 'listProductsV2',
    method: 'post',
    tag: 'v2',
    summary: 'Search products (legacy)',
    description:
      'The parameters of `GET /v1/products` as JSON properties; facets go by their field (`brand`, `exclude_brand`, …), other properties are ignored.\n\n**Credits:** 6 for products, else 1; a page without rows is free.',
    version: V2,
    body: 'LegacyQuery',
    answer: { schema: 'LegacyAnswer' },
    errors: WITH_BODY,
  }),
  billed({
    id: 'identifyV2',
    method: 'post',
    tag: 'v2',
    summary: 'Identify the item in a photo (legacy)',
    description: 'Always with taxonomy and prices.\n\n**Credits:** 10; no match is free.',
    version: V2,
    body: 'LegacyIdentifyRequest',
    answer: { schema: 'LegacyVisionAnswer' },
    errors: WITH_PHOTO,
    headers: ['X-Credits-Used', 'Cache-Control', 'X-Prediction-Id'],
    maybe: [...BODY_HEADERS, 'Server-Timing'],
  }),
  billed({
    id: 'listProductsV1',
    method: 'get',
    tag: 'v1',
    summary: 'Search products (legacy)',
    description:
      'Any facet of the catalog is a parameter, and `exclude_` before it negates it; parameters of no meaning are ignored.\n\n**Credits:** 6 for products, else 1; a page without rows and HEAD are free.',
    version: V1,
    answer: { schema: 'LegacyAnswer' },
    errors: WITH_KEY,
    maybe: LIMITS,
  }),
  {
    id: 'dataFile',
    method: 'get',
    tag: 'files',
    summary: 'A price file of a variant and region',
    description:
      'Only by the signed link of an answer, which is valid for one hour; no key. Request the item again for a fresh link. What it shows may be displayed, not stored.',
    version: null,
    answer: { mediaTypes: ['text/csv'] },
    errors: [...ALWAYS, 403, 503],
    headers: ['Cache-Control', 'Content-Disposition'],
    maybe: [],
  },
  {
    id: 'image',
    method: 'get',
    tag: 'files',
    summary: 'A stored catalog image',
    description: 'Its address is the hash of its content and never changes; no key.',
    version: null,
    answer: { mediaTypes: ['image/jpeg', 'image/png', 'image/webp'] },
    errors: [...ALWAYS, 404, 503],
    headers: ['Cache-Control', 'ETag'],
    maybe: [],
  },
  ...ADMIN_OPERATIONS,
  forOperators({
    id: 'health',
    summary: 'Whether the process is alive',
    description: 'Answers as long as the process does.',
    answer: { schema: 'Health' },
  }),
  forOperators({
    id: 'readiness',
    summary: 'Whether the process can serve',
    description: 'The state of each thing that the service needs.',
    answer: { schema: 'Readiness' },
    errors: [...ALWAYS, 503],
  }),
  forOperators({
    id: 'metrics',
    summary: 'Metrics for Prometheus',
    description: 'Requests by route and status, stages of identifications, the queue, the process.',
    answer: { mediaTypes: ['text/plain'] },
  }),
  forOperators({
    id: 'openApi',
    summary: 'This document',
    description: 'OpenAPI 3.1, with the address that it was asked at as its server.',
    answer: { mediaTypes: ['application/json'] },
  }),
];
