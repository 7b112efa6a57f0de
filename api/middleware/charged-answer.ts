import type { Request, Response } from 'express';
import type { Billing, CallContext, Priced } from '../../models/access/billing';
import { callOf } from './call';
import { setCreditHeaders } from './credit-headers';
import { storedForm } from './idempotency';
import { type Answer, sendRows } from './send-rows';
import './locals';

/**
 * Makes an answer, books what it is worth, and sends it.
 *
 * @param endpoint its name in usage reports
 * @param make the body, which says its price where the API says it, and what it is worth
 */
export type AnswerCharged = (
  req: Request,
  res: Response,
  endpoint: string,
  make: (call: CallContext) => Promise<Priced<Answer>>,
) => Promise<void>;

/**
 * The one way by which answers that may cost something leave, on every endpoint: made, then booked while the caller is
 * there, and at once sent. A call with a deadline ends at it with 504, whatever hangs.
 */
export function answersCharged(billing: Billing): AnswerCharged {
  return async (req, res, endpoint, make) => {
    const call = callOf(req, res, endpoint);
    const charging = billing.charge(
      call,
      () => make(call),
      (body) => storedForm(res, body),
    );
    const billed = await (res.locals.deadline?.enforce(charging) ?? charging);
    setCreditHeaders(res, billed);
    await sendRows(req, res, billed.value);
  };
}
