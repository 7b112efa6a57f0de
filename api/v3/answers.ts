import { z } from 'zod';
import { ENTRY_STATES, JOB_STATUSES } from '../../models/vision/jobs/vision-job';
import { accountFields, keyFields, since, until, usage } from '../wire/accounts';
import * as wire from '../wire/answers';
import { answer, includeModule, part, webhookEvent } from '../wire/shared';

const variant = part('Variant', {
  ...wire.variantFields,
  fields: z.array(wire.variantField).optional().describe('Only with `taxonomy`'),
  pricing: part('Pricing', wire.prices).optional().describe('Only with `pricing`'),
});

const share = z.number().min(0).max(1);

/** Why a row was answered (contract 7.17). */
export const evidence = part('Evidence', {
  image: z.url().describe('Address of the catalog picture that the row was found by'),
  photo: z.int().describe('Index of your photo that is nearest to that picture'),
  similarity: z.number().describe('Cosine similarity of the nearest views; the mean over several photos'),
  margin: z.number().describe('How far `similarity` is above the best other item; negative if below'),
  photos: z
    .array(
      z.object({
        similarity: z.number().describe('Similarity of this photo'),
        agrees: z.boolean().describe('Whether no other item is nearer to this photo'),
      }),
    )
    .describe('One entry per photo, in your order'),
  levels: z
    .array(wire.attribute.extend({ confidence: share.describe('Calibrated probability of this level') }))
    .describe('The taxonomy of the row, outermost first'),
});

/** A catalog row (contract 1.2). */
export const catalogRow = part('CatalogRow', {
  ...wire.rowFields,
  title: z.string().optional().describe("The shop's own title, if any; likewise the next three"),
  sku: z.string().optional().describe("The shop's own item number"),
  url: z.string().optional().describe("The product's page at the shop"),
  data: z.record(z.string(), z.unknown()).optional().describe('Other data of the shop, unchanged'),
  attributes: z.array(wire.attribute).optional().describe('Only with `taxonomy`'),
  variants: z.array(variant).optional().describe('Products only'),
  max_market_estimate: wire.marketEstimate
    .nullable()
    .optional()
    .describe('Only with `pricing`, and not on products'),
});

/** A row shown by a photo (contract 7.8). */
export const matchedRow = part('MatchedRow', {
  ...catalogRow.shape,
  confidence: share.describe('Calibrated probability that the row is right'),
  evidence: evidence.optional().describe('Why the row was returned; only with `explain`'),
});

/** A row that looks like another (contract 6.4). */
export const similarRow = part('SimilarRow', {
  ...catalogRow.shape,
  similarity: z.number().describe('Cosine similarity of the nearest views; the mean over several pictures'),
});

/** A value of a counted facet (contract 4.15). */
export const facetValue = part('FacetValue', {
  id: z.string().describe('Value to use in a filter'),
  name: z.string().describe('Display name'),
  count: z.int().describe('Number of rows with this value, over all pages'),
});

/** The common fields of every answer with rows (contract 4.10). */
const rowsFields = {
  ...wire.pageFields,
  credits_used: z.int().describe('Credits charged for this call'),
  includes: z.array(includeModule).describe('Modules included in this answer'),
  resolved_taxonomy: part('ResolvedTaxonomy', {
    node: z.string().nullable().describe('Kind of the rows; for photos, of the first row'),
    level: z.int().nullable().describe('Number of hierarchy levels above the node; null if unknown'),
  }),
};

const rowsOf = <Row extends z.ZodType>(row: Row) => z.array(row).describe('The rows of this page, in order');

/** The answer to a lookup by one id (contract 6.1). */
export const itemAnswer = answer('ItemAnswer', { ...rowsFields, data: rowsOf(catalogRow) });

export const queryAnswer = answer('QueryAnswer', {
  ...itemAnswer.shape,
  sort_applied: z.string().describe('The sort order used, or `relevance`'),
  next_cursor: z.string().nullable().optional().describe('Only with `cursor`; null on the last page'),
  facets: z
    .record(z.string(), z.array(facetValue))
    .optional()
    .describe('Values of each requested field, by descending count, then by id; only with `facets`'),
});

/** The answer to a lookup by several ids (contract 6.7). */
export const itemsAnswer = answer('ItemsAnswer', {
  ...itemAnswer.shape,
  not_found: z.array(z.string()).describe('Requested ids without a row, in your order'),
});

/** The answer to a call for similar items (contract 6.3). */
export const similarAnswer = answer('SimilarAnswer', { ...rowsFields, data: rowsOf(similarRow) });

/** The answer to a photo (contract 7.8). */
export const identifyAnswer = answer('IdentifyAnswer', { ...rowsFields, data: rowsOf(matchedRow) });

/** A caller's account and key (contract 9.7). */
export const accountAnswer = answer('Account', {
  account: z.object(accountFields).describe('The account that is charged'),
  key: z
    .object({
      ...keyFields,
      limits: z
        .object({
          per_second: z.int().describe('Calls per second'),
          per_minute: z.int().describe('Calls per minute'),
          concurrency: z.int().describe('Photos identified at the same time'),
          per_month: z.int().describe('Calls per calendar month; test keys only'),
        })
        .describe('0 means no limit'),
    })
    .describe('The key used for this call'),
  categories: z
    .array(
      z.object({
        id: z.string().describe('Value for `category_id`'),
        name: z.string().describe('Display name'),
        nodes: z.array(z.string()).describe('Values of `taxonomy_node` in this category'),
      }),
    )
    .describe('Categories of the catalog'),
  since,
  until,
  usage,
  credits_used: z.literal(0).describe('This call is free'),
});

export const feedbackAnswer = answer('FeedbackAnswer', {
  prediction_id: z.string().describe('The prediction that the feedback is about'),
  correct_id: z.string().nullable().describe('The stored product; null: not in the catalog'),
  comment: z.string().nullable().describe('The stored comment'),
  right: z.boolean().describe('Whether the first row of the answer, or the empty answer, was right'),
  credits_used: z.literal(0).describe('Feedback is free'),
});

/** The answer to a search box (contract 5.11). */
export const suggestAnswer = answer('SuggestAnswer', {
  results: z.int().describe('Number of rows in `data`'),
  credits_used: z.literal(0).describe('Suggestions are free'),
  data: z
    .array(
      part('Suggestion', {
        id: z.string().describe('Id of the row'),
        name: z.string().describe('Name of the row'),
        node: z.string().describe('Kind of the row, such as `brand` or `product`'),
        attributes: z
          .array(wire.attribute)
          .describe('Its category, the levels above it, and the row itself unless it is a product'),
        matched: z
          .array(z.array(z.int()).length(2))
          .describe(
            'Parts of the name that match the query: start and end (exclusive) of each, in UTF-16 code units',
          ),
      }),
    )
    .describe('The rows, best first'),
});

const count = (of: string) => z.int().describe(of);

/** An entry of a job (contract 16.2). */
export const jobEntry = part('JobEntry', {
  state: z.enum(ENTRY_STATES).describe('`failed` means that the answer is a refusal'),
  prediction_id: z.string().nullable().describe('Id for feedback; null if the photo was not identified'),
  answer: z
    .union([identifyAnswer, wire.errorAnswer])
    .nullable()
    .describe('Body of the identification or its refusal; null until then'),
});

/** A job (contract 16.2). */
export const jobAnswer = answer('JobAnswer', {
  id: z.string().describe('Id of the job'),
  status: z.enum(JOB_STATUSES).describe('`queued` until its first entry starts'),
  created_at: z.iso.datetime().describe('When the job was created'),
  total: count('Number of entries'),
  done: count('Entries that were identified'),
  failed: count('Entries whose answer is a refusal'),
  cancelled: count('Entries that were cancelled and get no answer'),
  credits_used: count('Credits charged for its entries so far; the job itself is free'),
  data: z.array(jobEntry).describe('The entries, in your order'),
});

/** A webhook address (contract 16.10). */
export const webhook = part('Webhook', {
  id: z.string().describe('Id of the webhook'),
  key_id: z.string().nullable().describe('Id of the key that the webhook belongs to'),
  url: z.string().describe('Address that messages are sent to'),
  events: z.array(webhookEvent).describe('Events that are sent'),
  credits_below: z.int().nullable().describe('Balance that triggers `account.credits.low`; else null'),
  created_at: z.iso.datetime().describe('When the webhook was registered'),
  disabled_at: z.iso
    .datetime()
    .nullable()
    .describe('When messages stopped: its key ended, or the address answered 410'),
  failures: count('Failed tries since the last delivery'),
  last_failure: z.string().nullable().describe('Why the last try failed'),
});

export const webhookAnswer = answer('WebhookAnswer', {
  ...webhook.shape,
  secret: z.string().nullable().describe('Secret that verifies messages; null when the call is repeated'),
});

export const webhooksAnswer = answer('WebhooksAnswer', { data: z.array(webhook).describe('Oldest first') });

export const webhookDeletion = answer('WebhookRemoved', { id: z.string().describe('Id of the webhook') });
