import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Attributes, type Span, SpanStatusCode } from '@opentelemetry/api';
import '../../../api/middleware/call';

/** Addresses that machines ask for every few seconds. */
const UNTRACED = new Set(['/healthz', '/readyz', '/metrics']);

export const isTracedRequest = (req: IncomingMessage): boolean => !UNTRACED.has(pathOf(req));

/** What is known of a request before anything looked at it: never its headers, query or body. */
export const requestAttributes = (req: IncomingMessage): Attributes => ({
  'http.request.method': req.method,
  'url.path': pathOf(req),
  'network.protocol.version': req.httpVersion,
});

/** The answer has gone out, or the caller has. */
export function endRequestSpan(
  span: Span,
  req: IncomingMessage,
  res: ServerResponse & { locals?: Partial<Express.Locals> },
): void {
  const { route, requestId } = res.locals ?? {};
  if (route !== undefined) {
    span.updateName(`${req.method} ${route}`);
    span.setAttribute('http.route', route);
  }
  if (requestId !== undefined) span.setAttribute('loupe.request_id', requestId);
  if (!res.writableFinished) {
    span.setAttribute('error.type', 'aborted');
    span.setStatus({ code: SpanStatusCode.ERROR, message: 'the answer was not read to its end' });
  } else {
    span.setAttribute('http.response.status_code', res.statusCode);
    if (res.statusCode >= 500) {
      span.setAttribute('error.type', String(res.statusCode));
      span.setStatus({ code: SpanStatusCode.ERROR });
    }
  }
  span.end();
}

const pathOf = (req: IncomingMessage): string => req.url?.split('?', 1)[0] ?? '';
