import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { buildOpenApi } from '../../api/ops/openapi/document';
import { RECORD_SCHEMAS } from '../../scripts/import/record-schemas';

type Named<Value> = Readonly<Record<string, Value>>;

interface HeaderObject {
  readonly $ref?: string;
  readonly required?: boolean;
  readonly schema?: { readonly type?: string };
}

interface ResponseObject {
  readonly $ref?: string;
  readonly headers?: Named<HeaderObject>;
  readonly content?: Named<unknown>;
}

interface SchemaObject {
  readonly $ref?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly deprecated?: boolean;
  readonly properties?: Named<SchemaObject>;
}

interface OpenApiDocument {
  readonly paths: Named<Named<{ readonly responses: Named<ResponseObject> }>>;
  readonly webhooks: Named<Named<unknown>>;
  readonly components: {
    readonly schemas: Named<SchemaObject>;
    readonly responses: Named<ResponseObject>;
    readonly headers: Named<HeaderObject>;
  };
}

/** One call, as it went. */
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

/** Legacy endpoints ignore what they do not understand (contract 8.1), which the document does not invite. */
const LENIENT = /^\/v[12]\//;

/** Headers that mean something to clients: an answer has none of them that the document does not name. */
const TOLD =
  /^(x-credits-|ratelimit-|retry-after$|deprecation$|idempotency-|location$|server-timing$|allow$|etag$|content-disposition$|www-authenticate$)/;

export const escaped = (part: string): string => part.replace(/~/g, '~0').replace(/\//g, '~1');

/**
 * Compares what a service answers with its OpenAPI document: the status, the body (also its lack of further fields) and the
 * headers of each answer; and what was accepted with the schema of requests.
 */
export class DocumentCheck {
  readonly document = buildOpenApi({ records: RECORD_SCHEMAS }) as unknown as OpenApiDocument;
  private readonly ajv = addFormats(new Ajv2020({ strict: false, allErrors: true, validateSchema: false }));
  private readonly compiled = new Map<string, ValidateFunction>();
  private readonly routes = Object.keys(this.document.paths).map((path) => ({
    path,
    form: new RegExp(`^${path.replace(/\./g, '\\.').replace(/\{\w+\}/g, '[^/]+')}/?$`, 'i'),
  }));

  constructor() {
    this.ajv.addSchema(this.document, 'api');
  }

  /** What is wrong with an exchange; empty when it is as the document says. */
  faultsOf(exchange: Exchange): string[] {
    const path = this.routes.find(({ form }) => form.test(exchange.url.pathname))?.path ?? '';
    const method = exchange.method === 'HEAD' ? 'get' : exchange.method.toLowerCase();
    const operation = this.document.paths[path]?.[method];
    // Pages for people are no part of the document; a refusal at an address that it does not name has its usual form.
    if (!operation)
      return this.faultsOfAnswer(exchange, `/components/responses/${OF_NOWHERE[exchange.status]}`);
    const response = operation.responses[exchange.status];
    if (!response) return [`the status ${exchange.status} is not documented`];
    const pointer = `/paths/${escaped(path)}/${method}`;
    const isChecked = exchange.status < 300 && exchange.sent !== undefined && !LENIENT.test(path);
    return [
      ...this.faultsOfAnswer(
        exchange,
        response.$ref?.slice(1) ?? `${pointer}/responses/${exchange.status}`,
        response,
      ),
      ...(isChecked ? this.faultsOfValue(`${pointer}/requestBody/${JSON_SCHEMA}`, exchange.sent) : []),
    ];
  }

  /** What is wrong with a message to a webhook. */
  faultsOfMessage(body: string): string[] {
    const message: { readonly type?: string } = JSON.parse(body);
    return this.faultsOfValue(`/webhooks/${message.type}/post/requestBody/${JSON_SCHEMA}`, message);
  }

  /** Where a value does not fit a schema of the document. */
  faultsOfValue(pointer: string, value: unknown): string[] {
    const fits = this.compiled.get(pointer) ?? this.ajv.compile({ $ref: `api#${encodeURI(pointer)}` });
    this.compiled.set(pointer, fits);
    if (fits(value)) return [];
    return (fits.errors ?? []).map(
      ({ instancePath, message, params }) => `${instancePath || '/'} ${message} ${JSON.stringify(params)}`,
    );
  }

  /** @param given the response, or nothing for one of the components */
  private faultsOfAnswer(
    { method, headers, text }: Exchange,
    pointer: string,
    given?: ResponseObject,
  ): string[] {
    const response = this.document.components.responses[pointer.split('/').at(-1) ?? ''] ?? given;
    if (!response) return [];
    const faults = this.faultsOfHeaders(headers, response.headers ?? {});
    if (method === 'HEAD') return faults;
    const { content } = response;
    if (!content) return text === '' ? faults : [...faults, 'has a body, and none is documented'];
    const [type = ''] = (headers.get('Content-Type') ?? '').split(';');
    if (!Object.hasOwn(content, type)) return [...faults, `the content type "${type}" is not documented`];
    if (type !== 'application/json') return faults;
    return [...faults, ...this.faultsOfValue(`${pointer}/${JSON_SCHEMA}`, JSON.parse(text))];
  }

  private faultsOfHeaders(headers: Headers, documented: Named<HeaderObject>): string[] {
    const known = Object.entries(documented).flatMap(([name, { $ref = '' }]) => {
      const { required, schema } = this.document.components.headers[$ref.split('/').at(-1) ?? ''] ?? {};
      const value = headers.get(name);
      if (value === null) return required ? [`the header "${name}" is missing`] : [];
      const faults = this.faultsOfValue(
        `${$ref.slice(1)}/schema`,
        schema?.type === 'integer' ? Number(value) : value,
      );
      return faults.map((fault) => `${name}: ${fault}`);
    });
    const names = Object.keys(documented).map((name) => name.toLowerCase());
    const foreign = [...headers.keys()].filter((name) => TOLD.test(name) && !names.includes(name));
    return [...known, ...foreign.map((name) => `the header "${name}" is not documented`)];
  }
}

const JSON_SCHEMA = 'content/application~1json/schema';
