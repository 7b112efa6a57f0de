import { DATA_FILE_KINDS, REGIONS } from '../../../models/pricing/estimate';
import { auditParameters, listParameters } from '../../admin/schema';
import type { PATHS } from '../../paths';
import { itemParameters, similarParameters } from '../../v3/schema';
import { periodParameters } from '../../wire/period';
import { admin, change, file, json, type Operation, photo, plain, tool } from './operation';
import { legacyQueryWithFacets, queryParameters } from './schemas';

const inPath = (name: string, description: string, schema: object) => ({
  name,
  in: 'path',
  required: true,
  description,
  schema: { type: 'string', ...schema },
});

/** The id in an address. */
const idParameter = (description: string, example: string) => ({ ...inPath('id', description, {}), example });

const ITEM = idParameter('Id of a row, from a search or an identification', 'product_birkin_croc');
const RECORD = idParameter('Id of the record', 'product_birkin_croc');
const FEED = idParameter('Name of the feed', 'shopify');
const JOB = idParameter('The `id` of the job', 'job_V1StGXR8_Z5jdHi6B-myT');
const ACCOUNT = idParameter('Id of the account', 'account_0197a3f0');
const KEY = idParameter('Id of the key', 'key_0197a3f0');
const LIST = queryParameters(listParameters);
const PERIOD = queryParameters(periodParameters);

const WRITES = 'Needs the scope `catalog:write`. Free.';

/** Every endpoint, in the order of the reference (contract 14.4). */
export const OPERATIONS: Readonly<Record<keyof typeof PATHS, Operation>> = {
  queryCatalog: json(
    'Search or list the catalog',
    `Products, or the taxonomy rows of \`taxonomy_node\`, by free text and filters.

- Filter objects are ANDed, the values in one are ORed; repeat a field to require several tags. A field or value that no row has finds nothing; an unknown tag is a 400.
- A \`query\` is ordered by relevance, whatever the \`sort\`; \`sort_applied\` tells the order.
- A page past the end has no rows, and is no error; its \`facets\` are empty.
- **Credits:** 1; with \`pricing\` on products 6; a page without rows is free.`,
    { body: 'CatalogQuery', answer: 'QueryAnswer', maybe: ['Deprecation'] },
  ),
  getItem: plain(
    'Get a catalog row by its id',
    '`data` holds one row. Unknown and deleted rows and ids of variants are a 404.\n\n**Credits:** 1; with `pricing` on a product 6; an unknown id and HEAD are free.',
    { parameters: [ITEM, ...queryParameters(itemParameters)], answer: 'ItemAnswer' },
  ),
  listSimilarItems: plain(
    'List similar products',
    `By their pictures, the most similar first, each with its \`similarity\`; never the item itself.

- Of the category of the item, or of \`category_id\`.
- \`data\` is empty for a row that is no product, or that has no picture the model knows.
- **Credits:** 1; with \`pricing\` 6; an answer without rows, an unknown id and HEAD are free.`,
    { parameters: [ITEM, ...queryParameters(similarParameters)], answer: 'SimilarAnswer' },
  ),
  getItems: json(
    'Get several catalog rows by their ids',
    `Up to 100, in the order of the ids; a repeated id is one row. Unknown ids are listed in \`not_found\` and are no error.

**Credits:** 1 for each row that is found; with \`pricing\` 6 for each product. The balance must cover all of them.`,
    { body: 'ItemsRequest', answer: 'ItemsAnswer' },
  ),
  suggest: json(
    'Suggest completions for a search box',
    `Rows that match all words of the query, the last of which may be unfinished: brands, models, styles and the like before products, by popularity. A blank query gives the most popular.

- A row is its \`id\`, \`name\`, \`node\` and \`attributes\`; ask for the rest when it is chosen. \`matched\` tells which parts of the name to set off.
- Free; a call counts in the limits of the key.`,
    { body: 'SuggestRequest', answer: 'SuggestAnswer' },
  ),
  identify: photo(
    'Identify the item in a photo',
    `At most ten rows, best first, each with its own calibrated \`confidence\`: of all rows given with 0.9, nine in ten are right; of those given with 0.1, one in ten. Over the products it sums to at most 1.

- Send the photo as \`url\` or \`base64\`; \`url\` wins. JPEG, PNG or WebP, told by their bytes.
- Or send two to five photos of the item from several sides as \`images\`: they have one answer. One that shows something else decides little.
- \`region\` names the part of a photo that is looked at; \`category_id\` and \`filters\` the rows that may be the answer.
- \`explain\` gives each row its \`evidence\`.
- Where the photo shows a style, model or brand but not which product of it, that taxonomy row comes first, without \`variants\`; its likeliest products follow.
- \`min_confidence\` is what the first row needs for an answer, instead of the floor of the service; the runners-up follow down to 0.01. With 0 the ten nearest rows are returned, whatever they are.
- Nothing sure enough: an empty \`data\`.
- **Credits:** 5, with \`pricing\` 10; 2 more for each photo after the first; an answer without rows is free.`,
    { body: 'IdentifyRequest', answer: 'IdentifyAnswer', maybe: ['Deprecation'] },
  ),
  sendFeedback: json(
    'Send feedback on an identification',
    'The product that the photos show, or `null` if the catalog does not have it; the last feedback counts. Only the account that made the identification can send it, with any key of the same kind, live or test. Free. It measures the reliability of the service and improves its confidence.',
    {
      body: 'Feedback',
      parameters: [idParameter('The `X-Prediction-Id` of an answer', 'V1StGXR8_Z5jdHi6B-myT')],
      answer: 'FeedbackAnswer',
    },
  ),
  getOwnAccount: plain(
    'Show your account and key',
    'What the account has left, what the key may do, and what keys of its kind, live or test, were charged, by day and endpoint: the last 30 days (of UTC), or the period that you name, of at most 366 days. Free, for every key.',
    { parameters: PERIOD, answer: 'Account' },
  ),
  writeRecords: json(
    'Write catalog records',
    `Up to 1,000 in a call, one a line; each replaces the whole record of its id. What is accepted is found, with its prices, when the answer comes, and by photos once its pictures are embedded.

- A line is an object with one key, the file of a bundle that the record would stand in: \`categories\`, \`tags\`, \`entities\`, \`products\`, \`estimates\`, \`estimate-history\` or \`listings\`.
- Files are taken in that order, whatever the order of the lines. Of lines with the same id the later one stands.
- Pictures are \`https\` addresses.
- A variant belongs to the product that named it last, with its prices; a product that leaves it out hides them.
- A line that is wrong is rejected alone, also for an unknown field, with its \`field\` and \`reason\`; the status is 200 all the same.

${WRITES}`,
    {
      body: { lines: 'JSON Lines in UTF-8, 10 MiB at most; `application/jsonl` is the same' },
      method: 'put',
      answer: 'RecordsAnswer',
    },
  ),
  storeImage: json(
    'Store a catalog picture',
    `The body is the bytes of a JPEG, PNG or WebP; its format is read from them. The same bytes have the same address, which may stand in the \`images\` of a record. A picture that no record names for a while (\`UNUSED_IMAGE_DAYS\`, 7 days unless set) is removed.\n\n${WRITES}`,
    {
      body: { bytes: ['image/jpeg', 'image/png', 'image/webp', 'application/octet-stream'] },
      answer: 'ImageAnswer',
      status: 201,
      errors: [422],
    },
  ),
  deleteRecord: change(
    'Delete a record',
    `A product or an entity; writing it again brings it back. Unknown and deleted ids are a 404, and so are those of categories, tags and variants.\n\n${WRITES}`,
    { parameters: [RECORD], answer: 'DeletionAnswer' },
  ),
  getRecord: plain(
    'Get a record as it was last written',
    `A product, an entity or a category, as the line that writes it again: read it, change it, send it back. Its stored pictures are addresses.\n\n${WRITES}`,
    { parameters: [RECORD], answer: 'RecordAnswer' },
  ),
  getRecordStatus: plain(
    'Get the status of a record',
    `Whether searches find it, and how many of its pictures the live model has embedded.\n\n${WRITES}`,
    { parameters: [RECORD], answer: 'RecordStatusAnswer' },
  ),
  getFeedStatus: plain(
    'Get the status of a feed',
    `How many live products came from a feed that is imported with \`--feed\`, and how many of their pictures the live model has embedded. A feed without live products is a 404.\n\n${WRITES}`,
    { parameters: [FEED], answer: 'FeedStatusAnswer' },
  ),
  createJob: json(
    'Identify many photos in a background job',
    `Up to 100 \`entries\`, each one identification; the answer is the job, before any of them is looked at. Poll it by its \`id\` until its \`status\` is \`done\`.

- Prefer \`url\` to \`base64\`: the body is limited to twice that of an identification.
- A photo that can't be used is the answer of its entry; a malformed entry refuses the job.
- Photos of identifications go first, then accounts take turns. What is unavailable for the moment is tried again for a day.
- **Credits:** each entry as its identification; the job itself is free. The balance must cover the most expensive entry.`,
    { body: 'JobRequest', answer: 'JobAnswer', maybe: ['Deprecation'], status: 202 },
  ),
  getJob: plain(
    'Get a job and its answers',
    'Each finished entry has the body that its identification would give, or that of its refusal. Kept as long as predictions. Free.',
    { parameters: [JOB], answer: 'JobAnswer' },
  ),
  cancelJob: change(
    'Cancel the rest of a job',
    'Entries that have not started are not answered and cost nothing; those that have are finished. Answers stay. Free.',
    { parameters: [JOB], answer: 'JobAnswer' },
  ),
  createWebhook: json(
    'Register a webhook',
    `Registers an \`https\` address that is told what happens. Each message is a POST of \`{"type", "timestamp", "data"}\`, signed as [Standard Webhooks](https://www.standardwebhooks.com) say; the \`secret\` of this answer verifies it, and no later answer has it: it is null when the call is repeated with its \`Idempotency-Key\`.

- \`vision.job.done\`: a job made by a key of the same kind, live or test, has ended; \`id\`, \`total\`, \`done\`, \`failed\`, \`cancelled\`.
- \`account.credits.low\`: a charge took the balance below \`credits_below\`; \`credits\`, \`credits_below\`.
- \`catalog.import.done\`: \`accepted\`, \`rejected\`.
- \`model.drift\`: by the feedback of 30 days confidence is not true any more; \`claimed\`, \`right\`, \`answers\`. At most once a week.

A message comes at least once, with the same \`webhook-id\`: until your 2xx, with growing pauses, for a day. A 410 ends them all. Free.`,
    { body: 'WebhookRequest', answer: 'WebhookAnswer', status: 201 },
  ),
  listWebhooks: plain(
    'List the webhooks',
    'Those registered by live keys of the account or, for a test key, by its test keys, with their last failure and without their secrets. Free.',
    { answer: 'WebhooksAnswer' },
  ),
  deleteWebhook: change('Delete a webhook', 'Removes the webhook and its undelivered messages. Free.', {
    parameters: [idParameter('The `id` of the webhook', 'webhook_V1StGXR8_Z5jdHi6B-myT')],
    answer: 'WebhookRemoved',
  }),
  searchProductsV2: json(
    'Search products (legacy)',
    'The parameters of `GET /v1/products` as JSON properties; facets go by their field (`brand`, `exclude_brand`, …), other properties are ignored.\n\n**Credits:** 6 for products, else 1; a page without rows is free.',
    { body: 'LegacyQuery', answer: 'LegacyAnswer', version: 'v2' },
  ),
  identifyV2: photo(
    'Identify the item in a photo (legacy)',
    'Always with taxonomy and prices.\n\n**Credits:** 10; no match is free.',
    { body: 'LegacyIdentifyRequest', answer: 'LegacyVisionAnswer', version: 'v2' },
  ),
  searchProductsV1: plain(
    'Search products (legacy)',
    'Any facet of the catalog is a parameter, and `exclude_` before it negates it; parameters of no meaning are ignored.\n\n**Credits:** 6 for products, else 1; a page without rows and HEAD are free.',
    { parameters: queryParameters(legacyQueryWithFacets), answer: 'LegacyAnswer', version: 'v1' },
  ),
  getDataFile: file(
    'Get a price file of a variant and region',
    'Only by the signed link of an answer, which is valid for one hour; no key. Request the item again for a fresh link. What it shows may be displayed, not stored.',
    {
      parameters: [
        inPath('kind', 'Estimates over time, or the listings', { enum: DATA_FILE_KINDS }),
        inPath('variantId', 'Id of the variant', {}),
        inPath('file', 'The region', { enum: REGIONS.map((region) => `${region}.csv`) }),
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
    },
  ),
  getImage: file(
    'Get a stored catalog image',
    'Its address is the hash of its content and never changes; no key.',
    {
      parameters: [
        inPath('file', 'SHA-256 of the content and its format', {
          pattern: '^[0-9a-f]{64}\\.(jpg|png|webp)$',
        }),
        {
          name: 'If-None-Match',
          in: 'header',
          description: 'ETags that you hold',
          schema: { type: 'string' },
        },
      ],
      answer: ['image/jpeg', 'image/png', 'image/webp'],
      errors: [404, 503],
      headers: ['Cache-Control', 'ETag'],
    },
  ),
  listAccounts: admin('List the accounts', 'The oldest first, page by page.', {
    parameters: LIST,
    answer: 'AccountList',
  }),
  createAccount: admin('Create an account', 'Unlimited, or with an opening balance.', {
    status: 201,
    body: 'NewAccount',
    answer: 'AccountShown',
  }),
  getAccount: admin(
    'Show an account',
    'Its balance, from which the reservations of running calls are not subtracted.',
    { parameters: [ACCOUNT], answer: 'AccountShown' },
  ),
  creditAccount: admin(
    'Add credits to an account, or remove some',
    'For accounts with a limit; never below what running calls have reserved. Send an `Idempotency-Key`: repeated within 24 hours it gets the same answer and is not credited again.',
    {
      parameters: [ACCOUNT],
      body: 'Credit',
      answer: 'CreditsAdded',
      errors: [409],
      maybe: ['Idempotency-Replayed'],
    },
  ),
  keepPhotos: admin(
    "Turn the storage of an account's photos on or off",
    'Stored photos are kept as long as their predictions; `false` deletes them.',
    { parameters: [ACCOUNT], body: 'KeepPhotos', answer: 'AccountShown' },
  ),
  getUsage: admin(
    'Show what an account was charged',
    'By day and endpoint: the last 30 days (of UTC), or the period that you name, of at most 366 days.',
    { parameters: [ACCOUNT, ...PERIOD], answer: 'Usage' },
  ),
  listKeys: admin(
    'List the keys of an account',
    'The oldest first, revoked and expired ones too, page by page.',
    { parameters: [ACCOUNT, ...LIST], answer: 'KeyList' },
  ),
  createKey: admin('Create a key for an account', 'Its `secret` is shown once; only a hash of it is kept.', {
    status: 201,
    parameters: [ACCOUNT],
    body: 'NewKey',
    answer: 'KeyMade',
  }),
  rotateKey: admin(
    'Replace a key',
    'The new key has the same rights; the old one works until the overlap ends. A key that no longer works is a 409.',
    { status: 201, parameters: [KEY], body: 'Rotation', answer: 'KeyMade', errors: [409] },
  ),
  revokeKey: admin(
    'Revoke a key',
    'It stops working at once, on every process. Revoking it again changes nothing.',
    { method: 'delete', parameters: [KEY], answer: 'KeyRevoked' },
  ),
  getAuditLog: admin(
    'Read the audit log',
    'Who did what and when, commands too; the newest first, page by page.',
    { parameters: queryParameters(auditParameters), answer: 'AuditLog' },
  ),
  checkHealth: tool('Check that the process is alive', 'Answers as long as the process does.', {
    answer: 'Health',
  }),
  checkReadiness: tool(
    'Check that the process can serve',
    'The state of each thing that the service needs.',
    { answer: 'Readiness', errors: [503] },
  ),
  getMetrics: tool(
    'Get metrics for Prometheus',
    'Requests by route and status, stages of identifications, the queue, the process.',
    { answer: ['text/plain'] },
  ),
  getOpenApi: tool('Get this document', 'OpenAPI 3.1, with the address that it was asked at as its server.', {
    answer: ['application/json'],
  }),
};
