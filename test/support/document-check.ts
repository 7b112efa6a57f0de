import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { buildOpenApi } from '../../api/ops/openapi/document';
import { RECORD_SCHEMAS } from '../../scripts/import/record-schemas';

interface Reference {
  readonly $ref?: string;
}

interface HeaderObject extends Reference {
  readonly required?: boolean;
  readonly schema?: { readonly type?: string };
}

interface ResponseObject extends Reference {
  readonly headers?: Readonly<Record<string, HeaderObject>>;
  readonly content?: Readonly<Record<string, unknown>>;
}

interface OperationObject {
  readonly requestBody?: unknown;
  readonly responses: Readonly<Record<string, ResponseObject>>;
}

interface SchemaObject extends Reference {
  readonly description?: string;
  readonly deprecated?: boolean;
  readonly properties?: Readonly<Record<string, SchemaObject>>;
}

interface OpenApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>;
  readonly webhooks: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, SchemaObject>>;
    readonly responses: Readonly<Record<string, ResponseObject>>;
    readonly headers: Readonly<Record<string, HeaderObject>>;
  };
}

/** One call, as it went. */
export interface Exchange {
  readonly method: string;
  readonly url: URL;
  /** What was sent as JSON; undefined for nothing, and for what is not looked at. */
  readonly sent?: unknown;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** Statuses that an address or method that the document does not know may have. */
const OF_NOWHERE: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  431: 'HeadersTooLarge',
  503: 'Unavailable',
};

/** Legacy endpoints pass over what they do not understand (contract 8.1), which the document does not invite. */
const LENIENT = /^\/v[12]\//;

/** Headers that mean something to clients: an answer has none of them that the document does not name. */
const TOLD =
  /^(x-credits-|ratelimit-|retry-after$|deprecation$|idempotency-|location$|server-timing$|allow$|etag$|content-disposition$|www-authenticate$)/;

/**
 * Holds what a service says against its own OpenAPI document: the status, the body (also its lack of further fields)
 * and the headers of each answer; and what was accepted, against the schema of requests.
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
    const route = this.routes.find(({ form }) => form.test(exchange.url.pathname));
    const method = exchange.method === 'HEAD' ? 'get' : exchange.method.toLowerCase();
    const operation = route && this.document.paths[route.path]?.[method];
    if (!route || !operation) return this.faultsNowhere(exchange);
    const pointer = `/paths/${escaped(route.path)}/${method}`;
    const response = operation.responses[exchange.status];
    if (!response) return [`the status ${exchange.status} is not documented`];
    return [
      ...this.faultsOfAnswer(exchange, response, `${pointer}/responses/${exchange.status}`),
      ...(exchange.status < 300 && exchange.sent !== undefined && !LENIENT.test(route.path)
        ? this.faultsOfValue(`${pointer}/requestBody/content/application~1json/schema`, exchange.sent)
        : []),
    ];
  }

  /** What is wrong with a message to a webhook. */
  faultsOfMessage(body: string): string[] {
    const message: { readonly type?: string } = JSON.parse(body);
    const pointer = `/webhooks/${message.type}/post/requestBody/content/application~1json/schema`;
    return this.faultsOfValue(pointer, message);
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

  /** Pages for people are no part of the document; a refusal at an address that it does not name has its usual form. */
  private faultsNowhere(exchange: Exchange): string[] {
    const name = OF_NOWHERE[exchange.status];
    if (name === undefined) return [];
    const response = this.document.components.responses[name];
    return response ? this.faultsOfAnswer(exchange, response, `/components/responses/${name}`) : [];
  }

  private faultsOfAnswer(exchange: Exchange, given: ResponseObject, at: string): string[] {
    const [response, pointer] = this.resolved(given, at);
    return [
      ...this.faultsOfHeaders(exchange.headers, response.headers ?? {}),
      ...(exchange.method === 'HEAD' ? [] : this.faultsOfBody(exchange, response, pointer)),
    ];
  }

  private faultsOfBody({ headers, text }: Exchange, { content }: ResponseObject, pointer: string): string[] {
    if (!content) return text === '' ? [] : ['has a body, and none is documented'];
    const [type = ''] = (headers.get('Content-Type') ?? '').split(';');
    if (!Object.hasOwn(content, type)) return [`the content type "${type}" is not documented`];
    if (type !== 'application/json') return [];
    return this.faultsOfValue(`${pointer}/content/application~1json/schema`, JSON.parse(text));
  }

  private faultsOfHeaders(headers: Headers, documented: Readonly<Record<string, HeaderObject>>): string[] {
    const { headers: components } = this.document.components;
    const known = new Map(
      Object.entries(documented).map(([name, { $ref = '' }]) => {
        const component = $ref.replace('#/components/headers/', '');
        return [name.toLowerCase(), { component, ...components[component] }] as const;
      }),
    );
    const missing = [...known]
      .filter(([name, { required }]) => required && !headers.has(name))
      .map(([name]) => `the header "${name}" is missing`);
    const foreign = [...headers.keys()]
      .filter((name) => TOLD.test(name) && !known.has(name))
      .map((name) => `the header "${name}" is not documented`);
    const malformed = [...known].flatMap(([name, { component, schema }]) => {
      const value = headers.get(name);
      if (value === null) return [];
      const pointer = `/components/headers/${component}/schema`;
      const given = schema?.type === 'integer' ? Number(value) : value;
      return this.faultsOfValue(pointer, given).map((fault) => `${name}: ${fault}`);
    });
    return [...missing, ...foreign, ...malformed];
  }

  /** A response and where it stands, behind its reference if it is one. */
  private resolved(response: ResponseObject, at: string): [ResponseObject, string] {
    const name = response.$ref?.replace('#/components/responses/', '');
    const target = name === undefined ? undefined : this.document.components.responses[name];
    return target ? [target, `/components/responses/${name}`] : [response, at];
  }
}

const escaped = (part: string): string => part.replace(/~/g, '~0').replace(/\//g, '~1');
