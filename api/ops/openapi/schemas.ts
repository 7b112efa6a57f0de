import { z } from 'zod';
import { Taxonomy } from '../../../models/catalog/taxonomy';
import { ERROR_CODES, type ErrorCode, IMAGE_FAULTS } from '../../../models/errors';
import { WEBHOOK_EVENTS, type WebhookEvent } from '../../../models/webhooks/webhook';
import * as adminAnswers from '../../admin/answers';
import * as adminBodies from '../../admin/schema';
import { legacyAnswer, legacyMatch, legacyRow, legacyVisionAnswer } from '../../legacy/answers';
import { commaSeparated, legacyIdentifyBody, legacyQuery } from '../../legacy/schema';
import {
  accountAnswer,
  catalogRow,
  evidence,
  facetValue,
  feedbackAnswer,
  identifyAnswer,
  itemAnswer,
  itemsAnswer,
  jobAnswer,
  jobEntry,
  matchedRow,
  queryAnswer,
  similarAnswer,
  similarRow,
  suggestAnswer,
  webhook,
  webhookAnswer,
  webhookRemoved,
  webhooksAnswer,
} from '../../v3/answers';
import {
  deletionAnswer,
  imageAnswer,
  recordAnswer,
  recordStatusAnswer,
  recordsAnswer,
} from '../../v3/record-answers';
import { catalogQueryBody, filter, itemsBody, suggestBody, webhookBody } from '../../v3/schema';
import { feedbackBody, identifyBody, jobBody, photoBody } from '../../v3/vision-schema';
import { WEBHOOK_MESSAGES } from '../../v3/webhook-messages';
import { usage } from '../../wire/accounts';
import {
  attribute,
  errorAnswer,
  market,
  marketEstimate,
  prices,
  tag,
  variantField,
} from '../../wire/answers';
import { apiVersion, includeModule, scope, sort, webhookEvent } from '../../wire/shared';
import { healthAnswer, readinessAnswer } from '../health';

/** Facets that the named categories have, to include and to exclude; others may bring more (contract 8.1). */
const facets = Object.fromEntries(
  new Taxonomy([]).facetFields().flatMap((field) => [
    [field, commaSeparated.optional().describe('Ids; the row has at least one')],
    [`exclude_${field}`, commaSeparated.optional().describe('Ids; the row has none')],
  ]),
);
export const legacyQueryWithFacets = legacyQuery.extend({
  ...facets,
  exclude_category: commaSeparated.optional().describe('Names or ids of categories'),
});

/** What requests and answers share. */
const SHARED: Readonly<Record<string, z.ZodType>> = {
  ApiVersion: apiVersion,
  Include: includeModule,
  Market: market,
  Scope: scope,
  Sort: sort,
  WebhookEvent: webhookEvent,
};

/** What bodies are validated with, under the names of the reference. */
const REQUESTS: Readonly<Record<string, z.ZodType>> = {
  CatalogQuery: catalogQueryBody,
  Filter: filter,
  IdentifyRequest: identifyBody,
  Photo: photoBody,
  Region: identifyBody.shape.region.unwrap(),
  ItemsRequest: itemsBody,
  SuggestRequest: suggestBody,
  JobRequest: jobBody,
  WebhookRequest: webhookBody,
  JobPhotos: jobBody.shape.entries.element,
  Feedback: feedbackBody,
  NewAccount: adminBodies.accountBody,
  Credit: adminBodies.creditBody,
  KeepPhotos: adminBodies.keepPhotosBody,
  NewKey: adminBodies.keyBody,
  Rotation: adminBodies.rotationBody,
  LegacyQuery: legacyQueryWithFacets.catchall(z.unknown()),
  LegacyIdentifyRequest: legacyIdentifyBody,
};

const variant = catalogRow.shape.variants.unwrap().element;

/** What presenters are typed by. The page names every field, so an answer has no others. */
const ANSWERS: Readonly<Record<string, z.ZodType>> = {
  QueryAnswer: queryAnswer,
  ItemAnswer: itemAnswer,
  SimilarAnswer: similarAnswer,
  IdentifyAnswer: identifyAnswer,
  CatalogRow: catalogRow,
  SimilarRow: similarRow,
  MatchedRow: matchedRow,
  FacetValue: facetValue,
  Variant: variant,
  Pricing: variant.shape.pricing.unwrap(),
  Evidence: evidence,
  ItemsAnswer: itemsAnswer,
  SuggestAnswer: suggestAnswer,
  Suggestion: suggestAnswer.shape.data.element,
  FeedbackAnswer: feedbackAnswer,
  Account: accountAnswer,
  AccountState: adminAnswers.accountList.shape.accounts.element,
  ApiKey: adminAnswers.keyList.shape.keys.element,
  AuditEntry: adminAnswers.auditLog.shape.entries.element,
  UsageLine: usage.element,
  AccountList: adminAnswers.accountList,
  AccountShown: adminAnswers.accountShown,
  CreditsAdded: adminAnswers.creditsAdded,
  Usage: adminAnswers.usageShown,
  KeyList: adminAnswers.keyList,
  KeyMade: adminAnswers.keyMade,
  KeyRevoked: adminAnswers.keyRevoked,
  AuditLog: adminAnswers.auditLog,
  ImageAnswer: imageAnswer,
  RecordAnswer: recordAnswer,
  RecordsAnswer: recordsAnswer,
  RecordOutcome: recordsAnswer.shape.data.element,
  DeletionAnswer: deletionAnswer,
  RecordStatusAnswer: recordStatusAnswer,
  JobAnswer: jobAnswer,
  JobEntry: jobEntry,
  Refusal: errorAnswer,
  Webhook: webhook,
  WebhookAnswer: webhookAnswer,
  WebhooksAnswer: webhooksAnswer,
  WebhookRemoved: webhookRemoved,
  ResolvedTaxonomy: queryAnswer.shape.resolved_taxonomy,
  LegacyAnswer: legacyAnswer,
  LegacyRow: legacyRow,
  LegacyVariant: legacyRow.shape.variants.unwrap().element,
  LegacyVisionAnswer: legacyVisionAnswer,
  LegacyMatch: legacyMatch,
  Attribute: attribute,
  VariantField: variantField,
  Tag: tag,
  MarketEstimate: marketEstimate,
  DataFileLink: prices.pricing_data.unwrap().element,
  Health: healthAnswer,
  Readiness: readinessAnswer,
  ReadinessChecks: readinessAnswer.shape.checks,
};

const failure = errorAnswer.omit({ field: true, allowed_taxonomy_nodes: true, reason: true, index: true });
const codeOf = (code: ErrorCode) => z.literal(code).describe('Code of the failure; branch on it');
const failed = (code: ErrorCode) => failure.extend({ error: codeOf(code) });

/** The name of a failure among the schemas and responses: `BadRequest` of `bad_request`. */
export const nameOfError = (code: ErrorCode): string =>
  code.replace(/(?:^|_)([a-z])/g, (_part, letter: string) => letter.toUpperCase());

/** The body of each failure; those that say more than the others say so (contract 11.1). */
const FAILURES: Readonly<Record<string, z.ZodType>> = {
  ...Object.fromEntries(ERROR_CODES.map((code) => [nameOfError(code), failed(code)])),
  BadRequest: errorAnswer.omit({ reason: true }).extend({ error: codeOf('bad_request') }),
  Unprocessable: failed('unprocessable').extend({
    reason: z.enum(IMAGE_FAULTS).describe('Why the image can not be used'),
    index: errorAnswer.shape.index,
  }),
  NotReady: failed('unavailable').extend({ checks: readinessAnswer.shape.checks }),
};

export const schemaReference = (name: string): { $ref: string } => ({ $ref: `#/components/schemas/${name}` });

/** The name of the schema of a message to webhooks: `VisionJobDoneMessage` of `vision.job.done`. */
export const nameOfMessage = (event: WebhookEvent): string =>
  `${event.replace(/(?:^|\.)([a-z])/g, (_part, letter: string) => letter.toUpperCase())}Message`;

const MESSAGES = Object.fromEntries(
  WEBHOOK_EVENTS.map((event) => [nameOfMessage(event), WEBHOOK_MESSAGES[event]]),
);

/**
 * Every named schema as JSON Schema 2020-12, referring to the others by name.
 *
 * @param records those of the records of a catalog, and of a line of them
 */
export const componentSchemas = (records: Readonly<Record<string, z.ZodType>>): Record<string, object> => ({
  ...jsonSchemas({ ...SHARED, ...REQUESTS, ...records }, 'input'),
  ...jsonSchemas({ ...SHARED, ...ANSWERS, ...MESSAGES, ...FAILURES }, 'output'),
});

/** The parameters of a query string that a schema reads; lists in them are comma-separated. */
export function queryParameters(schema: z.ZodObject): object[] {
  const described = jsonSchemas({ ...SHARED, query: schema }, 'output')['query']?.properties ?? {};
  return Object.entries(described as Record<string, { description?: string }>).map(
    ([name, { description, ...rest }]) => ({
      name,
      in: 'query',
      style: 'form',
      explode: false,
      schema: rest,
      description,
    }),
  );
}

function jsonSchemas(named: Readonly<Record<string, z.ZodType>>, io: 'input' | 'output') {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(named)) registry.add(schema, { id });
  const { schemas } = z.toJSONSchema(registry, {
    uri: (id) => schemaReference(id).$ref,
    io,
    unrepresentable: 'any',
    override: plain,
  });
  // A schema inside a document needs neither its dialect nor an address of its own.
  return Object.fromEntries(
    Object.entries(schemas).map(([name, { $schema: _dialect, $id: _address, ...schema }]) => [name, schema]),
  );
}

/**
 * The range of numbers that JavaScript counts exactly says nothing about ours; `format` says more than its pattern. Some
 * generators make code of a constant that is no text which refuses every value.
 */
function plain({ jsonSchema }: { jsonSchema: Record<string, unknown> }): void {
  if (jsonSchema['minimum'] === Number.MIN_SAFE_INTEGER) delete jsonSchema['minimum'];
  if (jsonSchema['maximum'] === Number.MAX_SAFE_INTEGER) delete jsonSchema['maximum'];
  if (jsonSchema['format'] !== undefined) delete jsonSchema['pattern'];
  if (jsonSchema['type'] === 'boolean' || jsonSchema['type'] === 'number') delete jsonSchema['const'];
}
