import { API_VERSIONS, type ApiVersion, opens } from '../../../models/access/api-key';
import { PATHS } from '../../paths';
import { errorResponses, HEADERS, headerReferences } from './errors';
import { OPERATIONS, type Operation } from './operations';
import { parametersOf } from './parameters';
import { componentSchemas, schemaReference } from './schemas';

/**
 * The API as an OpenAPI 3.1 document, without its servers. Bodies and answers come from the schemas that the service
 * itself validates and presents with, addresses from the table that it mounts, so neither can fall behind.
 */
export function buildOpenApi(): Record<string, unknown> {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Loupe',
      version: '3.0.0',
      description: 'A catalog of luxury items, and the identification of an item from a photo.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    tags: [
      { name: 'v3', description: 'Current' },
      { name: 'v2', description: 'Legacy, transitional' },
      { name: 'v1', description: 'Legacy' },
      { name: 'files', description: 'What answers point to' },
      { name: 'operations', description: 'For operators and tools' },
    ],
    paths: paths(),
    components: {
      schemas: componentSchemas(),
      responses: errorResponses(),
      headers: HEADERS,
      securitySchemes: { key: { type: 'http', scheme: 'bearer', description: 'An API key' } },
    },
  };
}

function paths(): Record<string, object> {
  return Object.fromEntries(
    OPERATIONS.flatMap((operation) =>
      PATHS[operation.id].map((path, position) => [
        path.replace(/:(\w+)/g, '{$1}'),
        { [operation.method]: describe(operation, position) },
      ]),
    ),
  );
}

/** One endpoint under one of its addresses; those after the first are aliases. */
function describe(operation: Operation, position: number): object {
  const { id, tag, summary, description, version, body, headers } = operation;
  return {
    operationId: position === 0 ? id : `${id}Alias${position}`,
    tags: [tag],
    summary: position === 0 ? summary : `${summary} (alias of ${PATHS[id][0]})`,
    description: version === null ? description : `${description} ${keyFor(version)}`,
    security: version === null ? [] : [{ key: [] }],
    parameters: parametersOf(id),
    ...(body === undefined
      ? {}
      : {
          requestBody: { required: true, content: { 'application/json': { schema: schemaReference(body) } } },
        }),
    responses: {
      '200': {
        description: 'Done',
        headers: headerReferences(headers),
        content: answerOf(operation),
      },
      ...Object.fromEntries(
        [...operation.errors, ...ANYWHERE]
          .sort((left, right) => left - right)
          .map((status) => [String(status), { $ref: `#/components/responses/Error${status}` }]),
      ),
    },
  };
}

/** Refusals of any address. */
const ANYWHERE = [405, 431];

function keyFor(version: ApiVersion): string {
  const opening = API_VERSIONS.filter((each) => opens([each], version));
  return `The key must open ${opening.reverse().join(' or ')}.`;
}

const answerOf = ({ answer }: Operation): object =>
  'schema' in answer
    ? { 'application/json': { schema: schemaReference(answer.schema) } }
    : { [answer.mediaType]: { schema: {} } };
