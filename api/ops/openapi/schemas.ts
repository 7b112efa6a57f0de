import { z } from 'zod';
import { Taxonomy } from '../../../models/catalog/taxonomy';
import { ERROR_CODES, type ErrorCode, IMAGE_FAULTS } from '../../../models/errors';
import * as adminAnswers from '../../admin/answers';
import * as adminBodies from '../../admin/schema';
import { legacyAnswer, legacyMatch, legacyRow, legacyVisionAnswer } from '../../legacy/answers';
import { commaSeparated, legacyIdentifyBody, legacyQuery } from '../../legacy/schema';
import {
  accountAnswer,
  catalogAnswer,
  catalogRow,
  evidence,
  feedbackAnswer,
  itemsAnswer,
  jobAnswer,
  jobEntry,
  suggestAnswer,
  webhook,
  webhookAnswer,
  webhookRemoved,
  webhooksAnswer,
} from '../../v3/answers';
import { deletionAnswer, recordStatusAnswer, recordsAnswer } from '../../v3/record-answers';
import { catalogQueryBody, itemsBody, suggestBody, webhookBody } from '../../v3/schema';
import { feedbackBody, identifyBody, jobBody } from '../../v3/vision-schema';
import { attribute, errorAnswer, marketEstimate, prices, tag, variantField } from '../../wire/answers';
import { healthAnswer, readinessAnswer } from '../health';

/** Facets that the named categories have, to include and to exclude; others may bring more (contract 8.1). */
const facets = Object.fromEntries(
  new Taxonomy([]).facetFields().flatMap((field) => [
    [field, commaSeparated.optional().describe('Ids; the row has at least one')],
    [`exclude_${field}`, commaSeparated.optional().describe('Ids; the row has none')],
  ]),
);
const legacyQueryWithFacets = legacyQuery.extend({
  ...facets,
  exclude_category: commaSeparated.optional().describe('Names or ids of categories'),
});

/** What bodies are validated with, under the names of the reference. */
const REQUESTS: Readonly<Record<string, z.ZodType>> = {
  CatalogQuery: catalogQueryBody,
  Filter: catalogQueryBody.shape.filters.unwrap().element,
  IdentifyRequest: identifyBody,
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
  CatalogAnswer: catalogAnswer,
  CatalogRow: catalogRow,
  Variant: variant,
  Pricing: variant.shape.pricing.unwrap(),
  Evidence: evidence,
  ItemsAnswer: itemsAnswer,
  SuggestAnswer: suggestAnswer,
  FeedbackAnswer: feedbackAnswer,
  Account: accountAnswer,
  AccountList: adminAnswers.accountList,
  AccountShown: adminAnswers.accountShown,
  CreditsAdded: adminAnswers.creditsAdded,
  Usage: adminAnswers.usageShown,
  KeyList: adminAnswers.keyList,
  KeyMade: adminAnswers.keyMade,
  KeyRevoked: adminAnswers.keyRevoked,
  AuditLog: adminAnswers.auditLog,
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
  ResolvedTaxonomy: catalogAnswer.shape.resolved_taxonomy,
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

/** Every named schema as JSON Schema 2020-12, referring to the others by name. */
export const componentSchemas = (): Record<string, object> => ({
  ...jsonSchemas(REQUESTS, 'input'),
  ...jsonSchemas({ ...ANSWERS, ...FAILURES }, 'output'),
});

/** The JSON Schema of each parameter of the v1 query string, where lists are comma-separated. */
export function legacyParameters(): Record<string, { description?: string }> {
  return z.toJSONSchema(legacyQueryWithFacets, { io: 'output', override: plain }).properties as Record<
    string,
    object
  >;
}

function jsonSchemas(named: Readonly<Record<string, z.ZodType>>, io: 'input' | 'output') {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(named)) registry.add(schema, { id });
  const { schemas } = z.toJSONSchema(registry, {
    uri: (id) => schemaReference(id).$ref,
    io,
    override: plain,
  });
  // A schema inside a document needs neither its dialect nor an address of its own.
  return Object.fromEntries(
    Object.entries(schemas).map(([name, { $schema: _dialect, $id: _address, ...schema }]) => [name, schema]),
  );
}

/** The range of numbers that JavaScript counts exactly says nothing about ours; `format` says more than its pattern. */
function plain({ jsonSchema }: { jsonSchema: Record<string, unknown> }): void {
  if (jsonSchema['minimum'] === Number.MIN_SAFE_INTEGER) delete jsonSchema['minimum'];
  if (jsonSchema['maximum'] === Number.MAX_SAFE_INTEGER) delete jsonSchema['maximum'];
  if (jsonSchema['format'] !== undefined) delete jsonSchema['pattern'];
}
