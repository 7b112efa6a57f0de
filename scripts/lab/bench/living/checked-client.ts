import type { TimedCall } from '../open-loop';
import type { Reading } from './checker';
import { type HttpCall, HttpThread } from './http-thread';
import type { Violations } from './promises';

/** What one call was answered; `body` is that of a 200, and undefined else. */
export interface Answer<Body> extends Reading, TimedCall {
  readonly body: Body | undefined;
}

interface Sending {
  /** Sent as JSON. */
  readonly body?: object;
  /** Sent as JSON Lines. */
  readonly lines?: readonly object[];
}

type Method = HttpCall['method'];

/** Which statuses an address may answer. */
interface Documented {
  readonly address: RegExp;
  readonly statuses: Readonly<Record<string, ReadonlySet<number>>>;
}

interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly responses?: object }>>>>;
}

/** Calls a service with one key, notes how long each sort of call took, and holds their statuses against `/openapi.json`. */
export class CheckedClient {
  readonly #http = new HttpThread();
  #calls = new Map<string, TimedCall[]>();

  private constructor(
    readonly url: string,
    readonly key: string,
    private readonly documented: readonly Documented[],
    private readonly violations: Violations,
  ) {}

  static async open(url: string, key: string, violations: Violations): Promise<CheckedClient> {
    const answer = await fetch(`${url}/openapi.json`);
    return new CheckedClient(url, key, statusesIn((await answer.json()) as OpenApi), violations);
  }

  /** @param sort of call, by which times are kept */
  async send<Body>(
    sort: string,
    method: Method,
    path: string,
    { body, lines }: Sending = {},
  ): Promise<Answer<Body>> {
    const from = performance.now();
    const { status, text, ms } = await this.#http.send({
      url: `${this.url}${path}`,
      method,
      headers: {
        authorization: `Bearer ${this.key}`,
        ...(body ? { 'content-type': 'application/json' } : {}),
        ...(lines ? { 'content-type': 'application/x-ndjson' } : {}),
      },
      body: lines ? lines.map((line) => JSON.stringify(line)).join('\n') : body ? JSON.stringify(body) : null,
    });
    const until = performance.now();
    this.note(sort, { status, ms });
    if (!this.#isDocumented(method, path, status)) {
      this.violations.note({
        promise: 'status',
        detail: `${method} ${path}: ${status} ${text.slice(0, 200)}`,
      });
    }
    return {
      what: `${sort} at ${from.toFixed(0)} ms`,
      from,
      until,
      status,
      ms,
      body: status === 200 ? (JSON.parse(text) as Body) : undefined,
    };
  }

  /** Also for calls that somebody else made. */
  note(sort: string, call: TimedCall): void {
    const calls = this.#calls.get(sort) ?? [];
    calls.push(call);
    this.#calls.set(sort, calls);
  }

  /** The calls since this was last asked, by their sort. */
  takeCalls(): ReadonlyMap<string, readonly TimedCall[]> {
    const calls = this.#calls;
    this.#calls = new Map();
    return calls;
  }

  close(): Promise<void> {
    return this.#http.close();
  }

  /** A 500 is documented, and never right. */
  #isDocumented(method: Method, path: string, status: number): boolean {
    const [address = ''] = path.split('?');
    const found = this.documented.find((each) => each.address.test(address));
    return status !== 500 && (found?.statuses[method]?.has(status) ?? false);
  }
}

function statusesIn({ paths }: OpenApi): Documented[] {
  return Object.entries(paths).map(([path, methods]) => ({
    address: new RegExp(`^${path.replace(/\./g, '\\.').replace(/\{\w+\}/g, '[^/]+')}$`),
    statuses: Object.fromEntries(
      Object.entries(methods).map(([method, { responses }]) => [
        method.toUpperCase(),
        new Set(Object.keys(responses ?? {}).map(Number)),
      ]),
    ),
  }));
}
