import type { Request, Response } from 'express';
import type { Billing, CallContext, Priced } from '../../models/access/billing';
import { callOf } from './call';
import { setCreditHeaders } from './credit-headers';
import type { Gate } from './gate';
import { storedForm } from './idempotency';
import type { PageAsked, PageMemory } from './page-memory';
import { type Answer, sendRows } from './send-rows';

/** How a request is answered, once it is read. */
export interface Work {
  /** The page that the answer may have: its memory is waited for before anything is done. */
  readonly page?: PageAsked;
  /** Makes the body, which says its price where the API says it, and what it is worth. */
  readonly make: (call: CallContext) => Promise<Priced<Answer>>;
}

/** What is answered free of charge. */
export const free = (make: (call: CallContext) => Promise<Answer>): Work => ({
  make: async (call) => ({ value: await make(call), price: 0 }),
});

/** Reads a request. @throws AppError 400 that names the parameter at fault */
export type Route = (req: Request, res: Response) => Work | Promise<Work>;

/**
 * The one way by which answers that may cost something leave, on every endpoint: made, then booked while the caller is
 * there, and at once sent. A call with a deadline ends at it with 504, whatever hangs.
 */
export const chargedAnswer =
  (billing: Billing, pages: PageMemory) =>
  (endpoint: string, route: Route): Gate =>
  async (req, res) => {
    const { page, make } = await route(req, res);
    if (page) await pages.reserve(res, page);
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
