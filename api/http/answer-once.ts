import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Request, RequestHandler, Response } from 'express';
import { badRequest, conflict } from '../../models/errors';
import type { Claim, Clock, IdempotencyStore, IdempotentCall } from '../../models/ports';
import type { LinkRenewal } from '../files/renew-links';
import { callerOf } from './call';
import { type Balances, setFreeCreditHeaders } from './credit-headers';

const HEADER = 'Idempotency-Key';
/** Printable ASCII, as long as any identifier that a client may have at hand. */
const KEY_FORM = /^[\x21-\x7e]{1,255}$/;
/** How long a key stands for its answer. */
const KEPT_MS = 24 * 3_600_000;
const POLL_MS = 100;

/** How long a running call is waited for, and taken for alive. */
export interface Patience {
  /** A repetition waits so long for the first call. */
  readonly waitMs: number;
  /** After so long without an answer the first call is taken for dead. */
  readonly leaseMs: number;
}

/**
 * A call with an `Idempotency-Key` is made once per account: its repetitions within a day get the same answer, with
 * `Idempotency-Replayed: true` and `X-Credits-Used: 0`, and nothing is charged again. A repetition that comes while the
 * first one runs waits for its answer. Only successes are kept; what failed was free and is made again. The same but for
 * the links in it, which are made for each request (interface.md 2.2).
 *
 * Stands after the body was read, before it is parsed. 400 for a malformed key, 409 for a key that stands for another
 * body, and for one whose first call does not end in time.
 */
export function answerOnce(
  store: IdempotencyStore,
  accounts: Balances,
  clock: Clock,
  patience: Patience,
  renewLinks: LinkRenewal,
): RequestHandler {
  return async (req, res, next) => {
    const key = req.get(HEADER);
    if (key === undefined) return void next();
    if (!KEY_FORM.test(key)) {
      throw badRequest(`${HEADER}: 1 to 255 printable characters without spaces.`, { field: HEADER });
    }
    const call = { accountId: callerOf(res).accountId, key, fingerprint: fingerprintOf(req) };
    const claim = await claimed(store, clock, call, patience, res);
    switch (claim.kind) {
      case 'answered':
        return void (await replay(res, accounts, claim.answer, renewLinks));
      case 'other call':
        throw conflict(`This ${HEADER} stands for a call with another body; take a new one.`);
      case 'running':
        throw conflict(`The first call with this ${HEADER} is still running; ask again.`, 1);
      case 'granted':
        res.locals.chargeId = claim.chargeId;
        keepAnswer(req, res, store, call, claim.chargeId);
        next();
    }
  };
}

async function claimed(
  store: IdempotencyStore,
  clock: Clock,
  call: IdempotentCall,
  { waitMs, leaseMs }: Patience,
  res: Response,
): Promise<Claim> {
  const giveUpAt = performance.now() + waitMs;
  for (;;) {
    const now = clock.now().getTime();
    const claim = await store.claim(call, new Date(now + leaseMs), new Date(now + KEPT_MS));
    if (claim.kind !== 'running' || res.closed || performance.now() >= giveUpAt) return claim;
    await delay(POLL_MS);
  }
}

/** Has what becomes of the call noted before its answer is sent, or when its caller hung up. */
function keepAnswer(
  req: Request,
  res: Response,
  store: IdempotencyStore,
  call: IdempotentCall,
  chargeId: string,
): void {
  const send = res.json.bind(res);
  let noted = false;
  const note = async (noting: Promise<void>): Promise<void> => {
    noted = true;
    // The charge is booked: the caller gets the answer also when it can't be kept, and a repetition books nothing.
    await noting.catch((failure: unknown) =>
      req.log.warn({ failure: String(failure) }, 'an answer is not kept'),
    );
  };
  res.json = (body: unknown) => {
    note(outcomeOf(res.statusCode, body)).then(() => send(body));
    return res;
  };
  res.once('close', () => {
    if (!noted) void note(store.giveUp(call, chargeId));
  });

  /** A refusal of ours came before any charge. Of what broke off nobody knows, so its charge stays the same one. */
  function outcomeOf(status: number, body: unknown): Promise<void> {
    if (status === 200) return store.complete(call, chargeId, keptForm(res, body));
    return status < 500 ? store.forget(call, chargeId) : store.giveUp(call, chargeId);
  }
}

async function replay(
  res: Response,
  accounts: Balances,
  answer: string,
  renewLinks: LinkRenewal,
): Promise<void> {
  await setFreeCreditHeaders(res, accounts);
  res.setHeader('Idempotency-Replayed', 'true');
  const { deprecation, body } = JSON.parse(answer) as KeptAnswer;
  if (deprecation !== undefined) res.setHeader('Deprecation', deprecation);
  res.json(renewLinks(body));
}

/** What is kept of an answer: the rest of it is the same for all. */
interface KeptAnswer {
  readonly deprecation?: string;
  readonly body: unknown;
}

const keptForm = (res: Response, body: unknown): string =>
  JSON.stringify({ deprecation: res.get('Deprecation'), body });

/** What a call asks: its address and the bytes of its body. */
function fingerprintOf(req: Request): Buffer {
  const hash = createHash('sha256').update(`${req.method} ${req.originalUrl}\n`);
  if (req.body instanceof Buffer) hash.update(req.body);
  return hash.digest();
}
