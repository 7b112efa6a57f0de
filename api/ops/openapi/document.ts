import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { z } from 'zod';
import { API_VERSIONS, type ApiVersion, opens } from '../../../models/access/api-key';
import { WEBHOOK_EVENTS } from '../../../models/webhooks/webhook';
import { PATHS } from '../../paths';
import { codeOfStatus, ERRORS, errorExample, errorResponses } from './errors';
import { EXAMPLES } from './examples/examples';
import { headerComponents, headersOf } from './headers';
import type { Operation } from './operation';
import { OPERATIONS } from './operations';
import { parametersOf, SHARED_PARAMETERS } from './parameters';
import { componentSchemas, nameOfError, schemaReference } from './schemas';
import { webhookOf } from './webhooks';

/** What a document describes. */
interface Described {
  /** The schemas of the records of a catalog, `RecordLine` among them, by their names. */
  readonly records: Readonly<Record<string, z.ZodType>>;
  /** Whether the operators' API is there (contract 17.1). */
  readonly admin?: boolean;
}

/**
 * The API as an OpenAPI 3.1 document, without its servers. Bodies and answers come from the schemas that the service
 * itself validates and presents with, addresses from the table that it mounts, so neither can fall behind.
 */
export function buildOpenApi({ records, admin = true }: Described): Record<string, unknown> {
  const paths = pathsOf(OPERATIONS.filter(({ tag }) => admin || tag !== 'admin'));
  const responses = { ...errorResponses(), NotReady: notReady() };
  return {
    openapi: '3.1.0',
    info: {
      title: 'Loupe',
      version: '3.0.0',
      summary: 'A catalog of luxury items, and the identification of an item from a photo',
      description: readFileSync(join(__dirname, 'getting-started.md'), 'utf8'),
      contact: { name: 'The operator of this service' },
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    tags: [
      { name: 'v3', description: 'Current; new integrations use this version' },
      { name: 'v2', description: 'Legacy, transitional' },
      { name: 'v1', description: 'Legacy' },
      { name: ALIASES, description: 'Older addresses of v3; each behaves as the one that it stands for' },
      { name: 'files', description: 'What answers point to' },
      ...(admin
        ? [{ name: 'admin', description: "Operators' API, by the `ADMIN_TOKEN` of the service" }]
        : []),
      { name: 'operations', description: 'For operators and tools' },
      { name: 'webhooks', description: 'What registered addresses are sent' },
    ],
    paths,
    webhooks: Object.fromEntries(WEBHOOK_EVENTS.map((event) => [event, { post: webhookOf(event) }])),
    components: {
      schemas: componentSchemas(records),
      responses,
      parameters: SHARED_PARAMETERS,
      headers: headerComponents({ paths, responses }),
      securitySchemes: {
        key: { type: 'http', scheme: 'bearer', description: 'An API key: `loupe_live_…` or `loupe_test_…`' },
        admin: { type: 'http', scheme: 'bearer', description: 'The `ADMIN_TOKEN` of the service' },
      },
    },
  };
}

const ALIASES = 'v3 aliases';

function pathsOf(operations: readonly Operation[]): Record<string, object> {
  const described: Record<string, object> = {};
  for (const operation of operations) {
    PATHS[operation.id].forEach((address, position) => {
      const path = address.replace(/:(\w+)/g, '{$1}');
      described[path] = { ...described[path], [operation.method]: describe(operation, position) };
    });
  }
  return described;
}

/** One endpoint under one of its addresses; those after the first are aliases. */
function describe(operation: Operation, position: number): object {
  const { id, tag, summary, description, version, errors, status = 200 } = operation;
  const alias = position > 0;
  return {
    operationId: alias ? `${id}Alias${position}` : id,
    tags: [alias ? ALIASES : tag],
    summary: alias ? `${summary} (alias of ${PATHS[id][0]})` : summary,
    description: version === null ? description : `${description}\n\n${keyFor(version)}`,
    ...(alias || version === 'v1' || version === 'v2' ? { deprecated: true } : {}),
    security: securityOf(operation),
    parameters: parametersOf(operation),
    ...bodyOf(operation),
    responses: {
      [status]: successOf(operation),
      ...(id === 'getImage'
        ? { '304': { description: 'You hold it already', headers: headersOf(['ETag']) } }
        : {}),
      ...Object.fromEntries(
        [...errors].sort((left, right) => left - right).map((each) => [each, failureOf(id, each)]),
      ),
    },
  };
}

const securityOf = ({ tag, version }: Operation): object[] => {
  if (tag === 'admin') return [{ admin: [] }];
  return version === null ? [] : [{ key: [] }];
};

function keyFor(version: ApiVersion): string {
  const opening = API_VERSIONS.filter((each) => opens([each], version));
  return `**Key:** must open ${opening.reverse().join(' or ')}.`;
}

function bodyOf({ id, body }: Operation): object {
  if (body === undefined) return {};
  const examples = EXAMPLES[id]?.requests;
  if (typeof body !== 'string' && 'bytes' in body) {
    const binary = { schema: { type: 'string', format: 'binary' } };
    const content = Object.fromEntries(body.bytes.map((type) => [type, binary]));
    return { requestBody: { required: true, content } };
  }
  return {
    requestBody: {
      required: true,
      content:
        typeof body === 'string'
          ? { 'application/json': { schema: schemaReference(body), ...(examples ? { examples } : {}) } }
          : {
              'application/x-ndjson': {
                schema: {
                  type: 'string',
                  description: body.lines,
                  contentMediaType: 'application/x-ndjson',
                  contentSchema: schemaReference('RecordLine'),
                },
                examples,
              },
            },
    },
  };
}

function successOf({ id, answer, headers, maybe }: Operation): object {
  const examples = EXAMPLES[id]?.answers;
  const [types, schema] =
    typeof answer === 'string'
      ? [['application/json'], schemaReference(answer)]
      : [answer, OTHER_SCHEMAS[id]];
  return {
    description: 'Done',
    headers: headersOf(headers, maybe),
    content: Object.fromEntries(
      types.map((type) => [type, { ...(schema ? { schema } : {}), ...(examples ? { examples } : {}) }]),
    ),
  };
}

/** Answers that are no JSON of ours; images have no schema, being bytes (OpenAPI 3.1, 4.8.14.3). */
const OTHER_SCHEMAS: Partial<Record<Operation['id'], object>> = {
  getDataFile: { type: 'string', description: 'CSV per RFC 4180 in UTF-8, with a header row' },
  getMetrics: { type: 'string', description: "Prometheus' text format" },
  getOpenApi: { type: 'object', description: 'An OpenAPI document' },
};

const failureOf = (id: Operation['id'], status: number): object => ({
  $ref: `#/components/responses/${id === 'checkReadiness' && status === 503 ? 'NotReady' : nameOfError(codeOfStatus(status))}`,
});

/** The 503 of `/readyz`, which tells the state of each thing. */
const notReady = (): object => ({
  description: 'The process can not serve; `checks` names what fails.',
  headers: headersOf(ERRORS.unavailable.headers ?? [], ['Cache-Control']),
  content: {
    'application/json': {
      schema: schemaReference('NotReady'),
      examples: {
        queueAway: {
          value: errorExample('unavailable', {
            message: "The service can't serve; not ready: queue.",
            checks: { process: 'ready', database: 'ok', queue: 'failed' },
          }),
        },
      },
    },
  },
});
