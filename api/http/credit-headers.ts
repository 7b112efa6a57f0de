import type { Response } from 'express';
import type { Billed } from '../../models/access/billing';
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
