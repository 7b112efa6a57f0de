import { createServer, type IncomingMessage } from 'node:http';
import { closed, listening } from './local-server';

/** A span as it arrived, with what the test asks of it. */
export interface CollectedSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  /** Empty for a span that begins a trace. */
  readonly parentSpanId: string;
  readonly startNs: bigint;
  readonly endNs: bigint;
  readonly attributes: ReadonlyMap<string, unknown>;
  /** Kinds of the failures that were recorded. */
  readonly failures: readonly unknown[];
  /** OpenTelemetry's status: 0 unset, 2 error. */
  readonly status: number;
  /** `service.instance.id` of the process that sent it. */
  readonly process: unknown;
}

interface Attribute {
  key: string;
  value: { stringValue?: string; intValue?: number | string };
}

interface Sent {
  resourceSpans: {
    resource: { attributes: Attribute[] };
    scopeSpans: {
      spans: {
        name: string;
        traceId: string;
        spanId: string;
        parentSpanId?: string;
        startTimeUnixNano: string;
        endTimeUnixNano: string;
        attributes: Attribute[];
        events?: { attributes: Attribute[] }[];
        status?: { code?: number };
      }[];
    }[];
  }[];
}

/** A collector of traces: takes spans over OTLP/HTTP as JSON, and keeps them. */
export class TraceCollector {
  readonly spans: CollectedSpan[] = [];
  /** Headers of what arrived, and all of its text. */
  readonly headers: IncomingMessage['headers'][] = [];
  text = '';
  readonly #server = createServer(async (req, res) => {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString('utf8');
    this.headers.push(req.headers);
    this.text += text;
    this.spans.push(...spansOf(JSON.parse(text) as Sent));
    res.setHeader('content-type', 'application/json').end('{}');
  });

  async open(): Promise<string> {
    return `http://${await listening(this.#server)}`;
  }

  close(): Promise<void> {
    return closed(this.#server);
  }
}

const spansOf = ({ resourceSpans }: Sent): CollectedSpan[] =>
  resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans
      .flatMap(({ spans }) => spans)
      .map((span) => ({
        name: span.name,
        traceId: span.traceId,
        spanId: span.spanId,
        parentSpanId: span.parentSpanId ?? '',
        startNs: BigInt(span.startTimeUnixNano),
        endNs: BigInt(span.endTimeUnixNano),
        attributes: attributesOf(span.attributes),
        failures: (span.events ?? []).map((event) => attributesOf(event.attributes).get('exception.type')),
        status: span.status?.code ?? 0,
        process: attributesOf(resource.attributes).get('service.instance.id'),
      })),
  );

const attributesOf = (attributes: readonly Attribute[]): ReadonlyMap<string, unknown> =>
  new Map(attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue]));
