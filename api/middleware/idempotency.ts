import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Request, Response } from 'express';
import { badRequest, callStillRuns, conflict } from '../../models/errors';
import type { Claim, Clock, IdempotencyStore, IdempotentCall } from '../../models/ports';
import type { ApiServices } from '../api-services';
import { callerOf, type Gate, onceClosed } from './call';
import { setFreeCreditHeaders } from './credit-headers';
import type { LinkRenewal } from './links';

const HEADER = 'Idempotency-Key';
/** Printable ASCII, as long as any identifier that a client may have at hand. */
const KEY_FORM = /^[\x21-\x7e]{1,255}$/;
/** How long a key stands for its answer. */
const KEPT_MS = 24 * 3_600_000;
const POLL_MS = 100;
/** A repetition waits so long for the first call, as the second of two clicks: most calls are over by then. */
const WAIT_MS = 2_000;

type Stores = Pick<ApiServices, 'idempotency' | 'accounts' | 'clock'>;

/**
 * A call with an `Idempotency-Key` is made once per account: its repetitions within a day get the same answer, with
 * `Idempotency-Replayed: true` and `X-Credits-Used: 0`, and nothing is charged again. A repetition that comes while the
 * first one runs waits two seconds for its answer. Only successes are kept, together with their charge
 * (`charged-answer.ts`); what failed was free and is made again. The same but for the links in it, which are made for each
 * request.
 *
 * Stands after the body was read. 400 for a malformed key, 409 for a key that stands for another
 * body, and for one whose first call still runs.
 *
 * @param leaseMs after so long without an answer the first call is taken for dead
 * @param nameOf default: of the caller's account, as it says
 */
export function idempotent(
  { idempotency: store, accounts, clock }: Stores,
  leaseMs: number,
  renewLinks: LinkRenewal,
  nameOf: CallNames = callersName,
): Gate {
  return async (req, res) => {
    const key = req.get(HEADER);
    if (key === undefined) return;
    if (!KEY_FORM.test(key)) {
      throw badRequest(`${HEADER}: 1 to 255 printable characters without spaces.`, { field: HEADER });
    }
    const call = { ...nameOf(key, req, res), fingerprint: fingerprintOf(req, res) };
    const claim = await claimed(store, clock, call, leaseMs, res);
    switch (claim.kind) {
      case 'answered': {
        await setFreeCreditHeaders(res, accounts);
        res.setHeader('Idempotency-Replayed', 'true');
        const { status, headers, body } = JSON.parse(claim.answer) as KeptAnswer;
        return void res.status(status).set(headers).json(renewLinks(body));
      }
      case 'other call':
        throw conflict(`This ${HEADER} stands for a call with another body; take a new one.`);
      case 'running':
        throw callStillRuns();
      case 'granted':
        res.locals.claimed = { idempotencyKey: call.key, chargeId: claim.chargeId };
        freeUnanswered(res, () =>
          // A key that can't be freed now is free when its lease is over.
          store
            .forget(call, claim.chargeId)
            .catch((failure: unknown) => req.log.warn({ failure: String(failure) }, 'a key is not freed')),
        );
    }
  };
}

/** Whose call it is, and under which name it is known. */
export type CallNames = (
  key: string,
  req: Request,
  res: Response,
) => Pick<IdempotentCall, 'accountId' | 'key'>;

const callersName: CallNames = (key, _req, res) => ({ accountId: callerOf(res).accountId, key });

async function claimed(
  store: IdempotencyStore,
  clock: Clock,
  call: IdempotentCall,
  leaseMs: number,
  res: Response,
): Promise<Claim> {
  const giveUpAt = performance.now() + WAIT_MS;
  for (;;) {
    const now = clock.now().getTime();
    const claim = await store.claim(call, new Date(now + leaseMs), new Date(now + KEPT_MS));
    if (claim.kind !== 'running' || res.closed || performance.now() >= giveUpAt) return claim;
    await delay(POLL_MS);
  }
}

/** Frees the key of a call that fails, or whose caller hung up. */
function freeUnanswered(res: Response, free: () => Promise<void>): void {
  const send = res.json.bind(res);
  let ended = false;
  res.json = (body: unknown) => {
    ended = true;
    if (res.statusCode < 300) return send(body);
    // Whoever mends a refused call may send it at once. An overloaded or hanging store is not waited for.
    const keyIsFree = free();
    if (res.statusCode < 500) void keyIsFree.then(() => send(body));
    else send(body);
    return res;
  };
  onceClosed(res, () => {
    if (!ended) void free();
  });
}

/** What is kept of an answer: its other headers are the same for all. */
interface KeptAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

const KEPT_HEADERS = ['Deprecation', 'Location', 'X-Prediction-Id'];

/** The text of a successful answer, to be kept for the repetitions of its call. */
export function storedForm(res: Response, body: unknown): string {
  const headers = Object.fromEntries(KEPT_HEADERS.map((name) => [name, res.get(name)]));
  return JSON.stringify({ status: res.statusCode, headers, body });
}

/** What a call asks: its address and the bytes of its body. */
function fingerprintOf(req: Request, res: Response): Buffer {
  const hash = createHash('sha256').update(`${req.method} ${req.originalUrl}\n`);
  return hash.update(res.locals.bodyDigest ?? '').digest();
}
