import { createServer, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { closed, listening } from './local-server';

interface Attributed {
  attributes: { key: string; value: { stringValue?: string; intValue?: number | string } }[];
}

interface SentSpan extends Attributed {
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  events?: Attributed[];
  status?: { code?: number };
}

export class TraceCollector {
  readonly spans: CollectedSpan[] = [];
  readonly headers: IncomingMessage['headers'][] = [];
  text = '';
  readonly #server = createServer(async (req, res) => {
    const sent = await text(req);
    this.headers.push(req.headers);
    this.text += sent;
    type Resources = { resource: Attributed; scopeSpans: { spans: SentSpan[] }[] }[];
    for (const { resource, scopeSpans } of (JSON.parse(sent) as { resourceSpans: Resources }).resourceSpans) {
      const process = attributesOf(resource).get('service.instance.id');
      for (const { spans } of scopeSpans) this.spans.push(...spans.map((span) => spanOf(span, process)));
    }
    res.setHeader('content-type', 'application/json').end('{}');
  });

  async open(): Promise<string> {
    return `http://${await listening(this.#server)}`;
  }

  close(): Promise<void> {
    return closed(this.#server);
  }
}

export type CollectedSpan = ReturnType<typeof spanOf>;

/** @param process `service.instance.id` of the process that sent it */
const spanOf = (span: SentSpan, process: unknown) => ({
  ...{ name: span.name, traceId: span.traceId, spanId: span.spanId, process },
  /** Empty for a span that begins a trace. */
  parentSpanId: span.parentSpanId ?? '',
  startNs: BigInt(span.startTimeUnixNano),
  endNs: BigInt(span.endTimeUnixNano),
  attributes: attributesOf(span),
  failures: (span.events ?? []).map((event) => attributesOf(event).get('exception.type')),
  /** OpenTelemetry's status: 0 unset, 2 error. */
  status: span.status?.code ?? 0,
});

const attributesOf = ({ attributes }: Attributed): ReadonlyMap<string, unknown> =>
  new Map(attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue]));
