import type { Response } from 'express';
import type { Billed } from '../../models/access/billing';
import type { AccountRepository } from '../../models/ports';
import './locals';

/** `X-Credits-Used`, and `X-Credits-Remaining` where the account is limited (decisions.md 3). */
export function setCreditHeaders(
  res: Response,
  billed: Pick<Billed<unknown>, 'creditsUsed' | 'creditsRemaining'>,
): void {
  res.setHeader('X-Credits-Used', String(billed.creditsUsed));
  if (billed.creditsRemaining !== null) {
    res.setHeader('X-Credits-Remaining', String(billed.creditsRemaining));
  }
}

/** Where the balance of an account is read. */
export type Balances = Pick<AccountRepository, 'account'>;

/**
 * The credit headers of an answer that costs nothing; none where no key was admitted.
 *
 * @param accounts null where no key is ever admitted
 */
export async function setFreeCreditHeaders(res: Response, accounts: Balances | null): Promise<void> {
  const { caller } = res.locals;
  if (!caller) return;
  const creditsRemaining = caller.limited ? await balanceOf(accounts, caller.accountId) : null;
  setCreditHeaders(res, { creditsUsed: 0, creditsRemaining });
}

/** What is left of the account, or null when the store can't say. */
async function balanceOf(accounts: Balances | null, accountId: string): Promise<number | null> {
  try {
    return (await accounts?.account(accountId))?.credits ?? null;
  } catch {
    return null;
  }
}
