import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { buildOpenApi } from '../../api/ops/openapi/document';
import { RECORD_SCHEMAS } from '../../scripts/import/record-schemas';

type Named<Value> = Readonly<Record<string, Value>>;

interface SchemaObject {
  readonly $ref?: string;
  readonly type?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly deprecated?: boolean;
  readonly required?: boolean;
  readonly schema?: SchemaObject;
  readonly properties?: Named<SchemaObject>;
}

interface BodyObject {
  readonly $ref?: string;
  readonly headers?: Named<SchemaObject>;
  readonly content?: Named<{
    readonly schema?: SchemaObject;
    readonly examples?: Named<{ readonly value: unknown }>;
  }>;
}

interface OperationObject {
  readonly operationId: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly deprecated?: boolean;
  readonly security: readonly object[];
  readonly parameters: readonly (SchemaObject & { readonly name: string; readonly in: string })[];
  readonly requestBody?: BodyObject;
  readonly responses: Named<BodyObject>;
}

/** An operation with its place: `name` is `GET /v3/account`. */
export interface Operation extends OperationObject {
  readonly name: string;
  readonly method: string;
  readonly path: string;
}

interface OpenApiDocument {
  readonly paths: Named<Named<OperationObject>>;
  readonly webhooks: Named<{ readonly post: OperationObject }>;
  readonly components: {
    readonly schemas: Named<SchemaObject>;
    readonly responses: Named<BodyObject>;
    readonly headers: Named<SchemaObject>;
  };
}

interface Exchange {
  readonly method: string;
  readonly url: URL;
  /** What was sent as JSON; undefined for nothing, and for what is not looked at. */
  readonly sent?: unknown;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** Refusals that an address or method which the document does not know may give. */
const OF_NOWHERE: Named<string> = {
  ...{ 400: 'BadRequest', 404: 'NotFound', 405: 'MethodNotAllowed' },
  ...{ 431: 'HeadersTooLarge', 503: 'Unavailable' },
};

/** Legacy endpoints ignore what they do not understand (contract 8.1), which the document does not mention. */
const LENIENT = /^\/v[12]\//;

/** Headers that mean something to clients: an answer has none of them that the document does not name. */
const TOLD =
  /^(x-credits-|ratelimit-|retry-after$|deprecation$|idempotency-|location$|server-timing$|allow$|etag$|content-disposition$|www-authenticate$)/;

const escaped = (part: string): string => part.replace(/~/g, '~0').replace(/\//g, '~1');
const JSON_SCHEMA = `content/${escaped('application/json')}/schema`;

/** Where the document describes the JSON of a part of an operation, such as `responses/200`. */
export const pointerOf = ({ path, method }: Operation, part: string): string =>
  `/paths/${escaped(path)}/${method.toLowerCase()}/${part}/${JSON_SCHEMA}`;

/** Compares status, body (also its lack of further fields), headers and accepted requests with the OpenAPI document. */
export class DocumentCheck {
  readonly document = buildOpenApi({ records: RECORD_SCHEMAS }) as unknown as OpenApiDocument;
  readonly operations = Object.entries(this.document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([verb, operation]): Operation => {
      const method = verb.toUpperCase();
      return { ...operation, name: `${method} ${path}`, method, path };
    }),
  );
  private readonly forms = this.operations.map((operation) => {
    const form = operation.path.replace(/\./g, '\\.').replace(/\{\w+\}/g, '[^/]+');
    return { operation, form: new RegExp(`^${operation.method} ${form}/?$`, 'i') };
  });
  private readonly ajv = addFormats(new Ajv2020({ strict: false, allErrors: true, validateSchema: false }));
  private readonly compiled = new Map<string, ValidateFunction>();

  constructor() {
    this.ajv.addSchema(this.document, 'api');
  }

  /** What is wrong with an exchange; empty when it is as the document says. */
  faultsOf(exchange: Exchange): string[] {
    const { status, sent, url } = exchange;
    const call = `${exchange.method === 'HEAD' ? 'GET' : exchange.method} ${url.pathname}`;
    const operation = this.forms.find(({ form }) => form.test(call))?.operation;
    // Pages for people are not part of the document; a refusal at an address that it does not name has its usual form.
    const refusal = `#/components/responses/${OF_NOWHERE[status]}`;
    const response = operation ? operation.responses[status] : { $ref: refusal };
    if (!response) return [`the status ${status} is not documented`];
    const own = operation ? pointerOf(operation, `responses/${status}`) : '';
    const faults = this.faultsOfAnswer(exchange, response, own);
    if (!operation || status >= 300 || sent === undefined || LENIENT.test(operation.path)) return faults;
    return [...faults, ...this.faultsOfValue(pointerOf(operation, 'requestBody'), sent)];
  }

  faultsOfMessage(body: string): string[] {
    const message: { readonly type?: string } = JSON.parse(body);
    return this.faultsOfValue(`/webhooks/${message.type}/post/requestBody/${JSON_SCHEMA}`, message);
  }

  faultsOfValue(pointer: string, value: unknown): string[] {
    const fits = this.compiled.get(pointer) ?? this.ajv.compile({ $ref: `api#${encodeURI(pointer)}` });
    this.compiled.set(pointer, fits);
    if (fits(value)) return [];
    return (fits.errors ?? []).map(
      ({ instancePath, message, params }) => `${instancePath || '/'} ${message} ${JSON.stringify(params)}`,
    );
  }

  /** @param own where the schema of the body stands, unless the response is a component */
  private faultsOfAnswer({ method, headers, text }: Exchange, { $ref, ...given }: BodyObject, own: string) {
    const response = $ref ? this.document.components.responses[nameIn($ref)] : given;
    if (!response) return [];
    const faults = this.faultsOfHeaders(headers, response.headers ?? {});
    if (method === 'HEAD') return faults;
    const { content } = response;
    if (!content) return text === '' ? faults : [...faults, 'has a body, and none is documented'];
    const [type = ''] = (headers.get('Content-Type') ?? '').split(';');
    if (!Object.hasOwn(content, type)) return [...faults, `the content type "${type}" is not documented`];
    if (type !== 'application/json') return faults;
    const pointer = $ref ? `${$ref.slice(1)}/${JSON_SCHEMA}` : own;
    return [...faults, ...this.faultsOfValue(pointer, JSON.parse(text))];
  }

  private faultsOfHeaders(headers: Headers, documented: Named<SchemaObject>): string[] {
    const known = Object.entries(documented).flatMap(([name, { $ref = '' }]) => {
      const { required, schema } = this.document.components.headers[nameIn($ref)] ?? {};
      const text = headers.get(name);
      if (text === null) return required ? [`the header "${name}" is missing`] : [];
      const value = schema?.type === 'integer' ? Number(text) : text;
      return this.faultsOfValue(`${$ref.slice(1)}/schema`, value).map((fault) => `${name}: ${fault}`);
    });
    const names = Object.keys(documented).map((name) => name.toLowerCase());
    const foreign = [...headers.keys()].filter((name) => TOLD.test(name) && !names.includes(name));
    return [...known, ...foreign.map((name) => `the header "${name}" is not documented`)];
  }
}

const nameIn = ($ref: string): string => $ref.split('/').at(-1) ?? '';
