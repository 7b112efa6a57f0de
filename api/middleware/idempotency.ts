import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Request, Response } from 'express';
import { badRequest, conflict, idempotencyConflict } from '../../models/errors';
import { type Claim, TEXT_PIECE } from '../../models/ports';
import type { ApiServices } from '../api-services';
import type { AnswerMemory } from './answer-memory';
import { callerOf, type Middleware, onceClosed, setFreeCreditHeaders } from './call';
import type { LinkRenewal } from './links';
import { sendJson } from './send-answer';

const HEADER = 'Idempotency-Key';
/** Printable ASCII, as long as any identifier that a client is likely to use. */
const KEY_FORM = /^[\x21-\x7e]{1,255}$/;
const KEPT_MS = 24 * 3_600_000;
const POLL_MS = 100;
/** How long a repeat (such as the second click of a double click) waits for the first call: most calls are over by then. */
const WAIT_MS = 2_000;

/**
 * Makes a call with an `Idempotency-Key` once per account (contract 12.6): successes are kept with their charge for a day,
 * failed calls are made again. Comes after the body was read. A repeat waits two seconds for a first call that is still
 * running.
 * @param leaseMs after this long without an answer the first call is considered dead
 * @param nameOf default: as the caller named it, in its account
 */
export function idempotent(
  { idempotency: store, accounts, clock }: Pick<ApiServices, 'idempotency' | 'accounts' | 'clock'>,
  answers: AnswerMemory,
  leaseMs: number,
  renewLinks: LinkRenewal,
  nameOf: typeof callersName = callersName,
): Middleware {
  return async (req, res) => {
    const key = req.get(HEADER);
    if (key === undefined) return;
    if (!KEY_FORM.test(key)) {
      throw badRequest(`${HEADER}: 1 to 255 printable characters without spaces.`, { field: HEADER });
    }
    const call = { ...nameOf(key, req, res), fingerprint: fingerprintOf(req, res) };
    const ask = () => {
      const now = clock.now().getTime();
      return store.claim(call, new Date(now + leaseMs), new Date(now + KEPT_MS));
    };
    const claim = await claimOrWait(ask, res);
    switch (claim.kind) {
      case 'answered': {
        await answers.hold(res, Math.min(claim.bytes, TEXT_PIECE));
        const { status, headers, body } = await readStoredAnswer(store.answer(call, claim.chargeId));
        await setFreeCreditHeaders(res, accounts);
        res.setHeader('Idempotency-Replayed', 'true');
        return sendJson(res.status(status).set(headers), renewed(body, renewLinks));
      }
      case 'other call':
        throw conflict(`This ${HEADER} stands for a call with another body; take a new one.`);
      case 'running':
        throw idempotencyConflict();
      case 'granted':
        keepClaim(res, call.key, claim.chargeId, () => store.forget(call, claim.chargeId));
    }
  };
}

/** Claims the key; while the first call runs, again until `WAIT_MS` are over. */
async function claimOrWait(ask: () => Promise<Claim>, res: Response): Promise<Claim> {
  const giveUpAt = performance.now() + WAIT_MS;
  let claim = await ask();
  while (claim.kind === 'running' && !res.closed && performance.now() < giveUpAt) {
    await delay(POLL_MS);
    claim = await ask();
  }
  return claim;
}

/** Notes the claim of a call, which is released once if the call ends without a success to keep. */
function keepClaim(
  res: Response,
  idempotencyKey: string,
  chargeId: string,
  forget: () => Promise<void>,
): void {
  const { requestId, logger } = res.locals;
  let freed: Promise<void> | undefined;
  const release = (): Promise<void> => {
    // A key that can't be freed now becomes free when its lease ends.
    freed ??= forget().catch((failure: unknown) =>
      logger.warn({ requestId, failure: String(failure) }, 'a key is not freed'),
    );
    return freed;
  };
  res.locals.claimed = { idempotencyKey, chargeId, release };
  onceClosed(res, () => {
    if (!res.headersSent || res.statusCode >= 300) void release();
  });
}

async function* renewed(json: AsyncIterable<string>, renewLinks: LinkRenewal): AsyncGenerator<string> {
  for await (const piece of json) yield renewLinks(piece);
}

/** For endpoints without idempotency: callers learn that before anything is done (contract 12.6). */
export const refuseKey: Middleware = (req) => {
  if (req.get(HEADER) === undefined) return;
  throw badRequest(`${HEADER}: this endpoint does not take one; look before you send it again.`, {
    field: HEADER,
  });
};

/** No header value contains a space, so a test key never gets an answer of a live key (contract 9.12). */
function callersName(key: string, _req: Request, res: Response) {
  const { accountId, test } = callerOf(res);
  return { accountId, key: test ? `test ${key}` : key };
}

/** The identity of a request: its address (the same for all aliases) and the bytes of its body. */
function fingerprintOf({ method, params, originalUrl }: Request, { locals }: Response): Buffer {
  const parameter = (_: string, name: string) => encodeURIComponent(String(params[name]));
  const path = locals.endpoint?.replace(/:(\w+)/g, parameter);
  const [, query = ''] = /^[^?]*(\?.*)$/s.exec(originalUrl) ?? [];
  const hash = createHash('sha256').update(`${method} ${path}${query}\n`);
  return hash.update(locals.bodyDigest ?? '').digest();
}

/** Headers that are kept with an answer: its others are the same for all. */
const KEPT_HEADERS = ['Deprecation', 'Location', 'X-Prediction-Id'];

/** The text of a successful answer, to be kept for repeats of its call. */
export function serializeAnswer(res: Response, body: unknown): string {
  const headers = Object.fromEntries(KEPT_HEADERS.map((name) => [name, res.get(name)]));
  return JSON.stringify({ status: res.statusCode, headers, body });
}

/** How `serializeAnswer` begins; its end is a brace. */
const HEAD = /^\{"status":(\d+),"headers":(\{[^{}]*\}),"body":/;

/** Reads what `serializeAnswer` wrote, piece by piece. @param text the first piece has the whole head */
export async function readStoredAnswer(text: AsyncIterable<string>) {
  const pieces = text[Symbol.asyncIterator]();
  const first = (await pieces.next()).value ?? '';
  const [head, status, headers] = HEAD.exec(first) ?? [];
  if (head === undefined || headers === undefined) throw new Error('a kept answer has another form');
  const body = bodyOf(first.slice(head.length), { [Symbol.asyncIterator]: () => pieces });
  return { status: Number(status), headers: JSON.parse(headers) as Record<string, string>, body };
}

/** Pieces end where an object ends, so that no link is split. */
async function* bodyOf(first: string, rest: AsyncIterable<string>): AsyncGenerator<string> {
  let text = first;
  const whole = () => text.lastIndexOf('}', text.length - 2) + 1;
  for await (const piece of rest) {
    const end = whole();
    if (end > 0) yield text.slice(0, end);
    text = text.slice(end) + piece;
  }
  yield text.slice(0, -1);
}
