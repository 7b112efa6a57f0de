import { type Span, SpanStatusCode } from '@opentelemetry/api';
import { AppError } from '../../../models/errors';

/**
 * Leaves a failure in the span of the work that it ended. What a caller did wrong is told, and is no error of the
 * service; of what nobody foresaw only the kind is told: its message may hold anything, and is in the log.
 */
export function recordFailure(span: Span, failure: unknown): void {
  const type = failure instanceof AppError ? failure.code : nameOf(failure);
  span.setAttribute('error.type', type);
  span.addEvent('exception', {
    'exception.type': type,
    ...(failure instanceof AppError ? { 'exception.message': failure.message } : {}),
  });
  if (!(failure instanceof AppError) || failure.status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
}

const nameOf = (failure: unknown): string => (failure instanceof Error ? failure.name : typeof failure);
