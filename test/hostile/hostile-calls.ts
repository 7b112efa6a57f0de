import pMap from 'p-map';

/** A request to a vision endpoint, as it goes over the wire. */
export interface HostileRequest {
  readonly name: string;
  readonly path: string;
  /** Besides the usual ones. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Accepted answers: a status, with the `reason` or `field` of a refusal behind it. Without it any documented one is. */
  readonly verdicts?: readonly string[];
  /** Made on demand: together they are larger than memory should be. */
  readonly body: () => Promise<Buffer>;
}

export interface Target {
  readonly url: string;
  readonly key: string;
  /** The call has its answer by then, whatever it is. */
  readonly answerMsMax: number;
}

export interface HostileReport {
  /** How often each verdict was given. */
  readonly verdicts: ReadonlyMap<string, number>;
  /** What broke a promise, with the name of its request. */
  readonly faults: readonly string[];
  readonly creditsUsed: number;
}

/** Sends requests and checks each answer against contract 10, 11.1 and what its request accepts. */
export async function sendHostile(
  target: Target,
  requests: readonly HostileRequest[],
  concurrency: number,
): Promise<HostileReport> {
  const verdicts = new Map<string, number>();
  const faults: string[] = [];
  let creditsUsed = 0;
  const send = async (request: HostileRequest): Promise<void> => {
    const answer = await answerTo(target, request).catch(
      (failure: unknown) => `no answer: ${String(failure)}`,
    );
    if (typeof answer === 'string') return void faults.push(`${request.name}: ${answer}`);
    const { verdict } = answer;
    verdicts.set(verdict, (verdicts.get(verdict) ?? 0) + 1);
    creditsUsed += answer.creditsUsed || 0;
    const isAccepted = request.verdicts?.includes(verdict) ?? true;
    const broken = isAccepted
      ? answer.faults
      : [...answer.faults, `${verdict} instead of ${request.verdicts}`];
    if (broken.length > 0) faults.push(`${request.name}: ${broken.join(', ')}`);
  };
  await pMap(requests, send, { concurrency });
  return { verdicts, faults, creditsUsed };
}

/** Codes of the statuses that are documented for a vision call and mean neither a fault of ours nor overload. */
const ERROR_CODES: ReadonlyMap<number, string> = new Map([
  [400, 'bad_request'],
  [413, 'payload_too_large'],
  [415, 'unsupported_media_type'],
  [422, 'unprocessable'],
]);

/** @throws when there is no answer: the connection broke, or none came in time */
async function answerTo({ url, key, answerMsMax }: Target, request: HostileRequest) {
  const answer = await fetch(new URL(request.path, url), {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...request.headers },
    body: await request.body(),
    signal: AbortSignal.timeout(answerMsMax),
  });
  const body = objectIn(await answer.text());
  const { status, headers } = answer;
  const creditsUsed = Number(headers.get('x-credits-used') ?? Number.NaN);
  const isErrorBody =
    body['success'] === false &&
    body['error'] === ERROR_CODES.get(status) &&
    typeof body['message'] === 'string' &&
    !/[\\/](?:node_modules|workers|api)[\\/]|\bat \w+ \(/.test(body['message']) &&
    body['request_id'] === headers.get('x-request-id');
  const faults = [
    status === 200 || ERROR_CODES.has(status) ? '' : `undocumented status ${status}`,
    Number.isNaN(creditsUsed) ? 'no X-Credits-Used' : '',
    status !== 200 && creditsUsed !== 0 ? `charged ${creditsUsed} for an error` : '',
    status === 200 ? (body['success'] === true ? '' : 'no success') : isErrorBody ? '' : 'no error body',
  ].filter(Boolean);
  const detail = status === 422 ? body['reason'] : body['field'];
  const verdict = status === 200 || typeof detail !== 'string' ? `${status}` : `${status} ${detail}`;
  return { verdict, creditsUsed, faults };
}

/** Without properties for anything that is not a JSON object. */
function objectIn(text: string): Readonly<Record<string, unknown>> {
  try {
    return Object(JSON.parse(text));
  } catch {
    return {};
  }
}
