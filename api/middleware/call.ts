import { setTimeout as delay } from 'node:timers/promises';
import type { Request, Response } from 'express';
import type { Logger } from 'pino';
import type { Caller } from '../../models/access/api-key';
import type { Billed } from '../../models/access/billing';
import type { AccountRepository } from '../../models/ports';
import type { Deadline } from './deadline';

/** A step in handling a call. It refuses a call by throwing, or answers it. */
export type Middleware = (req: Request, res: Response) => unknown;

declare global {
  namespace Express {
    /** What the middleware knows about a call, in the order in which it is learned. */
    interface Locals {
      requestId: string;
      logger: Logger;
      /** The address pattern that matched, for metrics; absent for unknown routes. */
      route?: string;
      methods?: readonly string[];
      /** A test key requested this refusal (contract 9.10): nothing failed. */
      isForced?: boolean;
      /** The first address of the endpoint: the same for all its aliases. */
      endpoint?: string;
      deadline?: Deadline;
      /** Set once the key is admitted to the endpoint: from then on answers carry `X-Credits-*`. */
      caller?: Caller;
      /** Photos of this call that count against the limit of its key. */
      photoSlots?: number;
      /** Digest of the body of a call that may be repeated. */
      bodyDigest?: Buffer;
      /** Of a call with an `Idempotency-Key`: the identity of its charge, and what frees the key when it fails. */
      claimed?: { readonly idempotencyKey: string; readonly chargeId: string; release(): Promise<void> };
    }
  }
}

/** The caller; using this without `authenticate` earlier in the chain is a mistake in the table of endpoints. */
export function callerOf(res: Response): Caller {
  const { caller } = res.locals;
  if (!caller) throw new Error('A middleware reads the caller before it is authenticated.');
  return caller;
}

/** Runs when the answer is sent or the caller disconnects, whichever is first; at once if that has already happened. */
export function onceClosed(res: Response, done: () => void): void {
  if (res.closed) done();
  else res.once('close', done);
}

/** `X-Credits-Used`, and `X-Credits-Remaining` where the account is limited (contract 10.3). */
export function setCreditHeaders(
  res: Response,
  { creditsUsed, creditsRemaining }: Omit<Billed<unknown>, 'value'>,
): void {
  res.setHeader('X-Credits-Used', String(creditsUsed));
  if (creditsRemaining !== null) res.setHeader('X-Credits-Remaining', String(creditsRemaining));
}

export type Balances = Pick<AccountRepository, 'account'>;

/** How long an answer waits for its credit headers. */
const BALANCE_MS_MAX = 300;

/**
 * The credit headers of an answer that costs nothing; none where no key was admitted.
 * @param accounts null reports the balance when the call came, as does a store that does not answer soon
 */
export async function setFreeCreditHeaders(res: Response, accounts: Balances | null): Promise<void> {
  const { caller } = res.locals;
  if (!caller) return;
  const late = delay(BALANCE_MS_MAX, null, { ref: false });
  const balance = caller.credits === null ? null : accounts?.account(caller.accountId);
  const account = await Promise.race([balance, late]).catch(() => null);
  setCreditHeaders(res, { creditsUsed: 0, creditsRemaining: account?.credits ?? caller.credits });
}
