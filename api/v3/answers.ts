import { z } from 'zod';
import { ENTRY_STATES, JOB_STATUSES } from '../../models/vision/jobs/vision-job';
import { accountFields, keyShown, since, until, usage } from '../wire/accounts';
import {
  attribute,
  errorAnswer,
  marketEstimate,
  pageFields,
  prices,
  rowFields,
  variantField,
  variantFields,
} from '../wire/answers';
import { answer, includeModule, part, webhookEvent } from '../wire/shared';

const variant = part('Variant', {
  ...variantFields,
  fields: z.array(variantField).optional().describe('With `taxonomy`'),
  pricing: part('Pricing', prices).optional().describe('With `pricing`'),
});

const share = z.number().min(0).max(1);

/** Why a row was answered (contract 7.17). */
export const evidence = part('Evidence', {
  image: z.url().describe('Address of the catalog picture that it was found by'),
  photo: z.int().describe('Position of your photo that is nearest to that picture'),
  similarity: z.number().describe('Cosine of the nearest views of photo and picture; over photos, the mean'),
  margin: z.number().describe('How far that is above the best rival; negative where a rival is nearer'),
  photos: z
    .array(
      z.object({
        similarity: z.number().describe('Of this photo'),
        agrees: z.boolean().describe('Whether nothing else is nearer to it'),
      }),
    )
    .describe('One for each of your photos, in their order'),
  levels: z
    .array(attribute.extend({ confidence: share.describe('How sure this level is, calibrated') }))
    .describe('The taxonomy of the row, outermost first'),
});

/** A catalog row (contract 1.2). */
export const catalogRow = part('CatalogRow', {
  ...rowFields,
  title: z.string().optional().describe("The shop's own title; products that have one, as the next three"),
  sku: z.string().optional().describe("The shop's own number or code"),
  url: z.string().optional().describe("The product's page at the shop"),
  data: z.record(z.string(), z.unknown()).optional().describe('Whatever else the shop wrote, unchanged'),
  attributes: z.array(attribute).optional().describe('With `taxonomy`'),
  variants: z.array(variant).optional().describe('Products only'),
  max_market_estimate: marketEstimate
    .nullable()
    .optional()
    .describe('With `pricing`, rows that are no product'),
});

/** A row shown by a photo (contract 7.8). */
export const matchedRow = part('MatchedRow', {
  ...catalogRow.shape,
  confidence: share.describe('How sure the match is, calibrated'),
  evidence: evidence.optional().describe('With `explain`: why this row'),
});

/** A row that looks like another (contract 6.4). */
export const similarRow = part('SimilarRow', {
  ...catalogRow.shape,
  similarity: z.number().describe('Cosine of the nearest views; of several pictures the mean'),
});

/** A value of a counted facet (contract 4.15). */
export const facetValue = part('FacetValue', {
  id: z.string().describe('As a filter takes it'),
  name: z.string().describe('For people'),
  count: z.int().describe('Rows of all pages that have it'),
});

/** The common fields of every answer with rows (contract 4.10). */
const rowsFields = {
  ...pageFields,
  credits_used: z.int().describe('What the call was charged'),
  includes: z.array(includeModule).describe('The modules of this answer'),
  resolved_taxonomy: part('ResolvedTaxonomy', {
    node: z.string().nullable().describe('Kind of the rows; of the first hit in vision'),
    level: z.int().nullable().describe('Attributes of the hierarchy above it; null if unknown'),
  }),
};

const rowsOf = <Row extends z.ZodType>(row: Row) => z.array(row).describe('The rows of this page, in order');

/** The answer to a lookup by one id (contract 6.1). */
export const itemAnswer = answer('ItemAnswer', { ...rowsFields, data: rowsOf(catalogRow) });

export const queryAnswer = answer('QueryAnswer', {
  ...itemAnswer.shape,
  sort_applied: z.string().describe('The sort, or `relevance`'),
  next_cursor: z.string().nullable().optional().describe('With `cursor`: of the next rows; null at the end'),
  facets: z
    .record(z.string(), z.array(facetValue))
    .optional()
    .describe('With `facets`: of each field the values of most rows of the result first, then by id'),
});

/** The answer to a lookup by several ids (contract 6.7). */
export const itemsAnswer = answer('ItemsAnswer', {
  ...itemAnswer.shape,
  not_found: z.array(z.string()).describe('Those of the ids that there is no row of, in their order'),
});

/** The answer to a call for similar items (contract 6.3). */
export const similarAnswer = answer('SimilarAnswer', { ...rowsFields, data: rowsOf(similarRow) });

/** The answer to a photo (contract 7.8). */
export const identifyAnswer = answer('IdentifyAnswer', { ...rowsFields, data: rowsOf(matchedRow) });

/** A caller's account and key (contract 9.7). */
export const accountAnswer = answer('Account', {
  account: z.object(accountFields).describe('Who pays'),
  key: z
    .object({
      ...keyShown,
      limits: z
        .object({
          per_second: z.int().describe('Calls a second'),
          per_minute: z.int().describe('Calls a minute'),
          concurrency: z.int().describe('Photos that are identified at the same time'),
          per_month: z.int().describe('Calls a calendar month; test keys only'),
        })
        .describe('0 is no limit'),
    })
    .describe('The key of this call'),
  categories: z
    .array(
      z.object({
        id: z.string().describe('As `category_id` takes it'),
        name: z.string().describe('For people'),
        nodes: z.array(z.string()).describe('What `taxonomy_node` may be in it'),
      }),
    )
    .describe('Those of the catalog'),
  since,
  until,
  usage,
  credits_used: z.literal(0).describe('This call is free'),
});

export const feedbackAnswer = answer('FeedbackAnswer', {
  prediction_id: z.string().describe('The prediction that it is about'),
  correct_id: z.string().nullable().describe('As kept: the product; null if the catalog has none'),
  comment: z.string().nullable().describe('As it is kept'),
  right: z.boolean().describe('Whether the first row of the answer, or the empty answer, was right'),
  credits_used: z.literal(0).describe('Feedback is free'),
});

/** The answer to a search box (contract 5.11). */
export const suggestAnswer = answer('SuggestAnswer', {
  results: z.int().describe('Rows in `data`'),
  credits_used: z.literal(0).describe('Suggestions are free'),
  data: z
    .array(
      part('Suggestion', {
        id: z.string().describe('Of the row'),
        name: z.string().describe('Its name'),
        node: z.string().describe('Its kind, such as `brand` or `product`'),
        attributes: z
          .array(attribute)
          .describe('Its category, what it belongs to, and itself unless a product'),
        matched: z
          .array(z.array(z.int()).length(2))
          .describe(
            'Parts of the name that the query names: where each begins and has ended, in UTF-16 code units',
          ),
      }),
    )
    .describe('The rows, best first'),
});

const count = (of: string) => z.int().describe(of);

/** An entry of a job (contract 16.2). */
export const jobEntry = part('JobEntry', {
  state: z.enum(ENTRY_STATES).describe('`failed`: the answer is a refusal'),
  prediction_id: z.string().nullable().describe('Names it in feedback; null if not identified'),
  answer: z
    .union([identifyAnswer, errorAnswer])
    .nullable()
    .describe('The body that the identification gives, of a refusal too; null until then'),
});

/** A job (contract 16.2). */
export const jobAnswer = answer('JobAnswer', {
  id: z.string().describe('What the job is asked for by'),
  status: z.enum(JOB_STATUSES).describe('`queued` until its first entry is begun'),
  created_at: z.iso.datetime().describe('When it was made'),
  total: count('Entries of the job'),
  done: count('Those that are identified'),
  failed: count('Those whose answer is a refusal'),
  cancelled: count('Those that will have no answer'),
  credits_used: count('What its entries were charged until now; the job itself is free'),
  data: z.array(jobEntry).describe('The entries, in their order'),
});

/** A webhook address (contract 16.10). */
export const webhook = part('Webhook', {
  id: z.string().describe('What it is removed by'),
  key_id: z.string().nullable().describe('The key that it belongs to'),
  url: z.string().describe('The address'),
  events: z.array(webhookEvent).describe('What it is told'),
  credits_below: z.int().nullable().describe('The balance below which it is told; null without that event'),
  created_at: z.iso.datetime().describe('When it was registered'),
  disabled_at: z.iso
    .datetime()
    .nullable()
    .describe('When its key ended, or it answered 410: it is told nothing any more'),
  failures: count('Tries that failed since the last message that arrived'),
  last_failure: z.string().nullable().describe('What the last of them met'),
});

export const webhookAnswer = answer('WebhookAnswer', {
  ...webhook.shape,
  secret: z.string().nullable().describe('Verifies messages; null in the answer to a repetition'),
});

export const webhooksAnswer = answer('WebhooksAnswer', { data: z.array(webhook).describe('Oldest first') });

export const webhookRemoved = answer('WebhookRemoved', { id: z.string().describe('What was removed') });
