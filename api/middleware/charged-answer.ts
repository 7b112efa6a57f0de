import { randomUUID } from 'node:crypto';
import type { Request, Response } from 'express';
import type { CallContext, Priced } from '../../models/access/billing';
import type { ApiServices } from '../api-services';
import { callerOf, type Gate, onceClosed } from './call';
import { setCreditHeaders } from './credit-headers';
import { storedForm } from './idempotency';
import type { PageAsked, PageMemory } from './page-memory';
import { type Answer, sendRows } from './send-rows';

/** How a request is answered, once it is read. */
export interface Work {
  /** The page that the answer may have: its memory is waited for before anything is done. */
  readonly page?: PageAsked;
  /** Makes the body, which says its price where the API says it, and what it is worth. */
  readonly make: (call: CallContext) => Promise<Priced<Answer>>;
  /** The body that repetitions of the call get, where it is another: a secret is not kept. */
  readonly kept?: (body: Answer) => Answer;
}

/** What is answered free of charge. */
export const free = (make: (call: CallContext) => Promise<Answer>): Work => ({
  make: async (call) => ({ value: await make(call), price: 0 }),
});

/** Reads a request. @throws AppError 400 that names the parameter at fault */
export type Route = (req: Request, res: Response) => Work | Promise<Work>;

/**
 * The one way by which answers that may cost something leave, on every endpoint: made, then booked while the caller is
 * there, and at once sent. Whoever hangs up ends the call; one with a deadline ends at it with 504, whatever hangs; HEAD is
 * free.
 */
export const chargedAnswer =
  ({ billing, bodies }: Pick<ApiServices, 'billing' | 'bodies'>, pages: PageMemory) =>
  (endpoint: string, route: Route): Gate =>
  async (req, res) => {
    const { page, make, kept = (body: Answer) => body } = await route(req, res);
    const made = page && (await pages.reserve(res, page));
    const caller = callerOf(res);
    const { requestId, deadline, claimed } = res.locals;
    const hangUp = new AbortController();
    onceClosed(res, () => {
      if (!res.writableFinished) hangUp.abort();
    });
    const call: CallContext = {
      caller,
      requestId,
      endpoint,
      signal: deadline ? AbortSignal.any([hangUp.signal, deadline.signal]) : hangUp.signal,
      // What it fetches counts among bodies.
      openRoom: () => bodies.open(caller.keyId),
      free: req.method === 'HEAD',
      ...(claimed ?? { chargeId: randomUUID() }),
    };
    const charging = billing.charge(
      call,
      () => make(call),
      (body) => storedForm(res, kept(body)),
    );
    const billed = await (deadline?.enforce(charging) ?? charging);
    setCreditHeaders(res, billed);
    await sendRows(req, res, billed.value, made);
  };
