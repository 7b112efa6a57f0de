import { z } from 'zod';
import { ERROR_CODES, type ErrorCode, IMAGE_FAULTS } from '../../../models/errors';
import { WEBHOOK_EVENTS, type WebhookEvent } from '../../../models/webhooks/webhook';
import * as adminAnswers from '../../admin/answers';
import * as adminBodies from '../../admin/schema';
import * as legacyAnswers from '../../legacy/answers';
import { legacyIdentifyBody, legacyParameters } from '../../legacy/schema';
import * as answers from '../../v3/answers';
import * as recordAnswers from '../../v3/record-answers';
import { catalogQueryBody, filter, itemsBody, suggestBody, webhookBody } from '../../v3/schema';
import { feedbackBody, identifyBody, jobBody, photoBody } from '../../v3/vision-schema';
import { WEBHOOK_MESSAGES } from '../../v3/webhook-messages';
import { usage } from '../../wire/accounts';
import * as wire from '../../wire/answers';
import { apiVersion, includeModule, scope, sort, webhookEvent } from '../../wire/shared';
import { healthAnswer, readinessAnswer } from '../health';

type Named = Readonly<Record<string, z.ZodType>>;

/** Types of both requests and answers. */
const SHARED: Named = {
  ApiVersion: apiVersion,
  Include: includeModule,
  Market: wire.market,
  Scope: scope,
  Sort: sort,
  WebhookEvent: webhookEvent,
};

/** The schemas that validate bodies. */
const REQUESTS: Named = {
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
  LegacyQuery: legacyParameters.catchall(z.unknown()),
  LegacyIdentifyRequest: legacyIdentifyBody,
};

const variant = answers.catalogRow.shape.variants.unwrap().element;

const OTHER_NAMES: Readonly<Record<string, string>> = {
  accountAnswer: 'Account',
  errorAnswer: 'Refusal',
  usageShown: 'Usage',
};

/** The schemas that type presenters: the exports of `answers.ts`, under their names, and named types within them. */
const ANSWERS: Named = {
  ...exported({ ...answers, ...recordAnswers, ...adminAnswers, ...legacyAnswers, ...wire }),
  AccountState: adminAnswers.accountList.shape.accounts.element,
  ApiKey: adminAnswers.keyList.shape.keys.element,
  AuditEntry: adminAnswers.auditLog.shape.entries.element,
  DataFileLink: wire.prices.pricing_data.unwrap().element,
  Health: healthAnswer,
  LegacyVariant: legacyAnswers.legacyRow.shape.variants.unwrap().element,
  Pricing: variant.shape.pricing.unwrap(),
  Readiness: readinessAnswer,
  ReadinessChecks: readinessAnswer.shape.checks,
  RecordOutcome: recordAnswers.recordsAnswer.shape.data.element,
  ResolvedTaxonomy: answers.queryAnswer.shape.resolved_taxonomy,
  Suggestion: answers.suggestAnswer.shape.data.element,
  UsageLine: usage.element,
  Variant: variant,
};

function exported(modules: Readonly<Record<string, unknown>>): Named {
  const objects = Object.entries(modules).flatMap(([name, schema]) =>
    schema instanceof z.ZodObject ? [[OTHER_NAMES[name] ?? capitalized(name), schema] as const] : [],
  );
  return Object.fromEntries(objects);
}

/** The name of a schema or response: `BadRequest` of `bad_request`, `VisionJobDone` of `vision.job.done`. */
export function capitalized(name: string): string {
  return name.replace(/(?:^|[_.])([a-z])/g, (_part, letter: string) => letter.toUpperCase());
}

const failure = wire.errorAnswer.omit({
  field: true,
  allowed_taxonomy_nodes: true,
  reason: true,
  index: true,
});
const codeOf = (code: ErrorCode) => z.literal(code).describe('Code of the failure; branch on it');
const failed = (code: ErrorCode) => failure.extend({ error: codeOf(code) });

/** The body of each failure; those with extra fields list them (contract 11.1). */
const FAILURES: Named = {
  ...Object.fromEntries(ERROR_CODES.map((code) => [capitalized(code), failed(code)])),
  BadRequest: wire.errorAnswer.omit({ reason: true }).extend({ error: codeOf('bad_request') }),
  Unprocessable: failed('unprocessable').extend({
    reason: z.enum(IMAGE_FAULTS).describe('Why the image can not be used'),
    index: wire.errorAnswer.shape.index,
  }),
  NotReady: failed('unavailable').extend({ checks: readinessAnswer.shape.checks }),
};

export const schemaReference = (name: string): { $ref: string } => ({ $ref: `#/components/schemas/${name}` });

/** The name of the schema of a message to webhooks: `VisionJobDoneMessage` of `vision.job.done`. */
export const nameOfMessage = (event: WebhookEvent): string => `${capitalized(event)}Message`;

const MESSAGES = Object.fromEntries(
  WEBHOOK_EVENTS.map((event) => {
    const message = z.object({
      type: z.literal(event).describe('The event'),
      timestamp: z.iso.datetime().describe('When it happened'),
      data: WEBHOOK_MESSAGES[event].data.describe('What happened'),
    });
    return [nameOfMessage(event), message];
  }),
);

/**
 * Every named schema as JSON Schema 2020-12, referring to the others by name.
 * @param records those of the records of a catalog, and of a line of them
 */
export const componentSchemas = (records: Named): Record<string, object> => ({
  ...jsonSchemas({ ...SHARED, ...REQUESTS, ...records }, 'input'),
  ...jsonSchemas({ ...SHARED, ...ANSWERS, ...MESSAGES, ...FAILURES }, 'output'),
});

/** The parameters of a query string that a schema reads; lists in them are comma-separated. */
export function queryParameters(schema: z.ZodObject): object[] {
  const described = jsonSchemas({ ...SHARED, query: schema }, 'output')['query']?.properties ?? {};
  return Object.entries(described as Record<string, { description?: string; type?: string }>).map(
    ([name, { description, ...rest }]) => ({
      name,
      in: 'query',
      style: 'form',
      explode: false,
      ...(rest.type === 'array' && { allowEmptyValue: true }),
      schema: rest,
      description,
    }),
  );
}

function jsonSchemas(named: Named, io: 'input' | 'output') {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(named)) registry.add(schema, { id });
  const { schemas } = z.toJSONSchema(registry, {
    uri: (id) => schemaReference(id).$ref,
    io,
    unrepresentable: 'any',
    override: plain,
  });
  // A schema inside a document needs neither its dialect nor its own address.
  return Object.fromEntries(
    Object.entries(schemas).map(([name, { $schema: _dialect, $id: _address, ...schema }]) => [name, schema]),
  );
}

/** Leaves out what conveys nothing: JavaScript's range of integers, patterns of formats; and constants that break generators. */
function plain({ jsonSchema }: { jsonSchema: Record<string, unknown> }): void {
  if (jsonSchema['minimum'] === Number.MIN_SAFE_INTEGER) delete jsonSchema['minimum'];
  if (jsonSchema['maximum'] === Number.MAX_SAFE_INTEGER) delete jsonSchema['maximum'];
  if (jsonSchema['format'] !== undefined) delete jsonSchema['pattern'];
  if (jsonSchema['type'] === 'boolean' || jsonSchema['type'] === 'number') delete jsonSchema['const'];
}
