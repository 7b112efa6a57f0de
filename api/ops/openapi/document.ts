import { API_VERSIONS, type ApiVersion, allowsVersion } from '../../../models/access/api-key';
import type { ApiSettings } from '../../api-services';
import { ENDPOINTS, type Endpoint, type EndpointId } from '../../endpoints';
import { COLUMNS } from '../../files/data-file';
import { errorResponses, nameOfStatus } from './errors';
import { FRAME, headerComponents, headersOf, textOf, wordsOn } from './reference';
import { componentSchemas, namedSchema, queryParameters, schemaReference } from './schemas';
import { webhooks } from './webhooks';

/** `records`: includes `RecordLine`; `admin`: whether the operators' API is enabled (contract 17.1). */
type Described = Readonly<{ records: ApiSettings['recordSchemas']; admin?: boolean }>;

/** The API as an OpenAPI 3.1 document, without its servers (contract 14.19): made from the schemas that validate and the table that is mounted. */
export function buildOpenApi({ records, admin = true }: Described): Record<string, unknown> {
  const paths = pathsOf(admin);
  const responses = errorResponses();
  const { openapi, info, tags, components } = FRAME;
  return {
    openapi,
    info: { ...info, description: textOf('getting-started.md') },
    tags: tags.filter(({ name }) => admin || name !== 'admin'),
    paths,
    webhooks: webhooks(),
    components: {
      ...components,
      schemas: componentSchemas(records),
      responses,
      headers: headerComponents({ paths, responses }),
    },
  };
}

const ALIASES = 'v3 aliases';

const shared = (name: 'IdempotencyKey' | 'RequestId' | 'Force') => ({
  $ref: `#/components/parameters/${name}`,
});

type Examples = Readonly<Record<string, { readonly summary?: string; readonly value: unknown }>>;
const examplesOf = (file: string) => JSON.parse(textOf(file)) as Partial<Record<EndpointId, Examples>>;
const REQUESTS = examplesOf('requests.json');
/** Answers to the requests of the same name; `test/spec/every-endpoint.test.ts` records them from a service. */
const ANSWERS = examplesOf('answers.json');

function pathsOf(admin: boolean): Record<string, object> {
  const described: Record<string, object> = {};
  for (const [id, endpoint] of Object.entries(ENDPOINTS) as [EndpointId, Endpoint][]) {
    if (endpoint.tag === 'admin' && !admin) continue;
    endpoint.paths.forEach((address, position) => {
      const path = address.replace(/:(\w+)/g, '{$1}');
      described[path] = { ...described[path], [endpoint.method]: describe(id, endpoint, position) };
    });
  }
  return described;
}

/** One endpoint under one of its addresses; those after the first are aliases. */
function describe(id: EndpointId, endpoint: Endpoint, position: number): object {
  const { tag, version, optional, paths } = endpoint;
  const words = wordsOn(id);
  const alias = position > 0;
  return {
    operationId: alias ? `${id}Alias${position}` : id,
    tags: [alias ? ALIASES : tag],
    summary: alias ? `${words.summary} (alias of ${paths[0]})` : words.summary,
    description: version === null ? words.description : `${words.description}\n\n${keyFor(version)}`,
    ...(alias || version === 'v1' || version === 'v2' ? { deprecated: true } : {}),
    security: tag === 'admin' ? [{ admin: [] }] : version === null ? [] : [{ key: [] }],
    parameters: [
      ...parametersOf(endpoint),
      ...(optional.includes('Idempotency-Replayed') ? [shared('IdempotencyKey')] : []),
      shared('RequestId'),
      ...(version === null ? [] : [shared('Force')]),
    ],
    ...bodyOf(id, endpoint),
    responses: responsesOf(id, endpoint),
  };
}

function parametersOf({ id, query, parameters = [] }: Endpoint): readonly object[] {
  const [description, example] = id ?? [];
  const inPath = { name: 'id', in: 'path', required: true, description, schema: { type: 'string' }, example };
  return [...(id ? [inPath] : []), ...(query ? queryParameters(query) : []), ...parameters];
}

function keyFor(version: ApiVersion): string {
  const opening = API_VERSIONS.filter((each) => allowsVersion([each], version));
  return `**Key:** must open ${opening.reverse().join(' or ')}.`;
}

const contentOf = (types: readonly string[], content: object) =>
  Object.fromEntries(types.map((type) => [type, content]));

const bodyOf = (id: EndpointId, { body }: Endpoint): object =>
  body === undefined ? {} : { requestBody: { required: true, content: contentOfBody(body, REQUESTS[id]) } };

function contentOfBody(body: NonNullable<Endpoint['body']>, examples?: object): object {
  const shown = examples && { examples };
  if ('bytes' in body) {
    return contentOf(body.bytes, { schema: { type: 'string', format: 'binary', minLength: 1 } });
  }
  if (!('lines' in body)) {
    return contentOf(['application/json'], { schema: schemaReference(body), ...shown });
  }
  const line = { contentMediaType: 'application/x-ndjson', contentSchema: namedSchema('RecordLine') };
  const schema = { type: 'string', description: body.lines, ...line };
  return contentOf(['application/x-ndjson'], { schema, ...shown });
}

function responsesOf(id: EndpointId, endpoint: Endpoint): object {
  const { status = 200, answer, headers, optional } = endpoint;
  const examples = ANSWERS[id];
  const [types, schema] =
    'length' in answer ? [answer, OTHER_SCHEMAS[id]] : [['application/json'], schemaReference(answer)];
  const content = contentOf(types, { ...(schema && { schema }), ...(examples && { examples }) });
  const errors = new Set([...endpoint.errors, ...(endpoint.id ? [404] : [])]);
  return {
    [status]: { description: 'Done', headers: headersOf(headers, optional), content },
    ...(id === 'getImage' && { '304': { description: 'You hold it already', headers: headersOf(['ETag']) } }),
    ...Object.fromEntries([...errors].map((each) => [each, failureOf(id, each)])),
  };
}

/** Answers that are not our JSON; images have no schema because they are bytes (OpenAPI 3.1, 4.8.14.3). */
const OTHER_SCHEMAS: Partial<Record<EndpointId, object>> = {
  getDataFile: {
    type: 'string',
    description: `CSV per RFC 4180 in UTF-8, with a header row. \`pricing_data\`, newest first: ${COLUMNS.pricing_data}; \`historical_estimates\`, oldest first: ${COLUMNS.historical_estimates}`,
  },
  getMetrics: { type: 'string', description: "Prometheus' text format" },
  getOpenApi: { type: 'object', description: 'An OpenAPI document' },
};

const failureOf = (id: EndpointId, status: number): object => ({
  $ref: `#/components/responses/${id === 'checkReadiness' && status === 503 ? 'NotReady' : nameOfStatus(status)}`,
});
