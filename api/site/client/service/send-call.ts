import type { AccountAnswer, CatalogAnswer, ErrorAnswer, FeedbackAnswer, SuggestAnswer } from './answers';
import type { Call } from './calls';
import { Failure } from './failure';

/** What came back. */
export interface Answered<Answer extends Success = CatalogAnswer> {
  readonly answer: Answer;
  /** What the account has left; null where it has no limit. */
  readonly creditsRemaining: number | null;
  readonly tookMs: number;
  /** The name that feedback on a vision answer goes by; null where there is none. */
  readonly predictionId: string | null;
}

type Success = AccountAnswer | CatalogAnswer | FeedbackAnswer | SuggestAnswer;

interface Sending {
  readonly key: string;
  readonly signal: AbortSignal;
  /** The part of the body that was sent so far, 0 to 1. */
  readonly onSent?: (part: number) => void;
}

/**
 * Makes a call. Through XMLHttpRequest, since fetch does not tell how much of a photo was sent.
 *
 * @throws Failure for every answer that is no success, or none at all; AbortError's DOMException when it was taken back
 */
export function sendCall<Answer extends Success = CatalogAnswer>(
  { method, path, body }: Call,
  { key, signal, onSent }: Sending,
): Promise<Answered<Answer>> {
  return new Promise((resolve, reject) => {
    const startedAt = performance.now();
    const request = new XMLHttpRequest();
    const header = (name: string) => numberOrNull(request.getResponseHeader(name));
    request.open(method, path);
    request.responseType = 'json';
    request.setRequestHeader('Authorization', `Bearer ${key}`);
    if (onSent) request.upload.onprogress = ({ loaded, total }) => onSent(total > 0 ? loaded / total : 0);
    request.onload = () => {
      const { status } = request;
      const answer = request.response as Answer | ErrorAnswer | null;
      if (answer?.success) {
        const creditsRemaining = header('X-Credits-Remaining');
        const predictionId = request.getResponseHeader('X-Prediction-Id');
        const tookMs = Math.round(performance.now() - startedAt);
        resolve({ answer, creditsRemaining, tookMs, predictionId });
      } else {
        const message = answer?.message ?? `The service answered with status ${status} and no explanation.`;
        reject(new Failure(status, message, answer ?? {}, header('Retry-After')));
      }
    };
    request.onerror = () => reject(new Failure(0, 'No answer.'));
    request.onabort = () => reject(new DOMException('taken back', 'AbortError'));
    signal.addEventListener('abort', () => request.abort());
    if (body) request.setRequestHeader('Content-Type', 'application/json');
    request.send(body ? JSON.stringify(body) : null);
    if (signal.aborted) request.abort();
  });
}

const numberOrNull = (text: string | null): number | null => (text === null ? null : Number(text));
