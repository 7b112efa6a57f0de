/** A status, with the `reason` or `field` of a refusal behind it. */
type Verdict = string;

/** A request to a vision endpoint, as it goes over the wire. */
export interface VisionRequest {
  readonly path: string;
  readonly body: Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What came of a request. */
export interface Outcome {
  readonly verdict: Verdict;
  readonly status: number;
  readonly creditsUsed: number;
  /** What the answer breaks of the promises of every answer; empty when it keeps them. */
  readonly faults: readonly string[];
}

export interface Target {
  readonly url: string;
  readonly key: string;
  /** The call has its answer by then, whatever it is. */
  readonly answerMsMax: number;
}

/** Statuses that the pages give to a vision call that is no fault of ours and meets no overload. */
const DOCUMENTED = new Set([200, 400, 413, 415, 422]);

const ERROR_CODES: Readonly<Record<number, string>> = {
  400: 'bad_request',
  413: 'payload_too_large',
  415: 'unsupported_media_type',
  422: 'unprocessable',
};

/**
 * Sends a request and holds the answer against what contract 11.1, 10 promise of every answer.
 *
 * @throws when there is no answer: the connection broke, or none came in time
 */
export async function outcomeOf({ url, key, answerMsMax }: Target, request: VisionRequest): Promise<Outcome> {
  const answer = await fetch(new URL(request.path, url), {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...request.headers },
    body: request.body,
    signal: AbortSignal.timeout(answerMsMax),
  });
  const body = objectOf(await answer.text());
  const { status } = answer;
  const creditsUsed = Number(answer.headers.get('x-credits-used') ?? Number.NaN);
  const faults = [
    DOCUMENTED.has(status) ? '' : `undocumented status ${status}`,
    body === null ? 'no JSON object' : '',
    Number.isNaN(creditsUsed) ? 'no X-Credits-Used' : '',
    status !== 200 && creditsUsed !== 0 ? `charged ${creditsUsed} for an error` : '',
    status === 200 || isErrorBody(body, status, answer.headers.get('x-request-id')) ? '' : 'no error body',
  ];
  const detail = status === 422 ? body?.['reason'] : body?.['field'];
  return {
    verdict: status === 200 || typeof detail !== 'string' ? `${status}` : `${status} ${detail}`,
    status,
    creditsUsed,
    faults: faults.filter((fault) => fault !== ''),
  };
}

function isErrorBody(
  body: Record<string, unknown> | null,
  status: number,
  requestId: string | null,
): boolean {
  return (
    body !== null &&
    body['success'] === false &&
    body['error'] === (ERROR_CODES[status] ?? body['error']) &&
    typeof body['message'] === 'string' &&
    !/[\\/](?:node_modules|workers|api)[\\/]|\bat \w+ \(/.test(body['message']) &&
    body['request_id'] === requestId
  );
}

function objectOf(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value))
      : null;
  } catch {
    return null;
  }
}
