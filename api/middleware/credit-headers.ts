import { setTimeout as delay } from 'node:timers/promises';
import type { Response } from 'express';
import type { Caller } from '../../models/access/api-key';
import type { Billed } from '../../models/access/billing';
import type { AccountRepository } from '../../models/ports';

/** `X-Credits-Used`, and `X-Credits-Remaining` where the account is limited (contract 10.3). */
export function setCreditHeaders(
  res: Response,
  billed: Pick<Billed<unknown>, 'creditsUsed' | 'creditsRemaining'>,
): void {
  res.setHeader('X-Credits-Used', String(billed.creditsUsed));
  if (billed.creditsRemaining !== null) {
    res.setHeader('X-Credits-Remaining', String(billed.creditsRemaining));
  }
}

/** An answer does not wait longer for what it says beside itself. */
const BALANCE_MS_MAX = 300;

/** Where the balance of an account is read. */
export type Balances = Pick<AccountRepository, 'account'>;

/**
 * The credit headers of an answer that costs nothing; none where no key was admitted.
 *
 * @param accounts null to tell what the account had when the call came
 */
export async function setFreeCreditHeaders(res: Response, accounts: Balances | null): Promise<void> {
  const { caller } = res.locals;
  if (!caller) return;
  const creditsRemaining = caller.credits === null ? null : await balanceOf(accounts, caller);
  setCreditHeaders(res, { creditsUsed: 0, creditsRemaining });
}

/** What is left of the account; what it had when the call came, when the store is not asked or does not say soon. */
async function balanceOf(accounts: Balances | null, { accountId, credits }: Caller): Promise<number | null> {
  const late = delay(BALANCE_MS_MAX, null, { ref: false });
  const account = await Promise.race([accounts?.account(accountId), late]).catch(() => null);
  return account?.credits ?? credits;
}
