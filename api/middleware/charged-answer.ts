import type { Request, Response } from 'express';
import type { z } from 'zod';
import { type CallContext, newChargeId, type Priced } from '../../models/access/billing';
import type { ApiServices } from '../api-services';
import type { CALLS, CallerEndpoint } from '../endpoints';
import type { AnswerMemory, PageRequest } from './answer-memory';
import { callerOf, type Middleware, onceClosed, setCreditHeaders } from './call';
import { serializeAnswer } from './idempotency';
import type { photoSlots } from './rate-limit';
import { idOf } from './request-address';
import { type Answer, type RouteResult, type SizeReporter, StreamedJson, sendAnswer } from './send-answer';

export interface Work<Body = Answer | StreamedJson> {
  /** Photos identified for it while its caller waits, if the endpoint's kind is `photo`; default 1. */
  readonly photos?: number;
  /** The page of the answer, if any, for whose memory the call waits. */
  readonly page?: PageRequest;
  /** Makes the body (with its price, if the API reports it) and says what it is worth. */
  readonly make: (call: CallContext) => Promise<Priced<Body>>;
  /** The body for repeats of the call, if it differs: a secret is not kept. */
  readonly kept?: (body: Answer | StreamedJson) => Answer | StreamedJson;
}

export const free = <Body>(make: (call: CallContext) => Promise<Body>): Work<Body> => ({
  make: async (call) => ({ value: await make(call), price: 0 }),
});

/** Reads a request. @throws AppError 400 that names the parameter at fault */
export type Route<Body = Answer | StreamedJson> = (
  req: Request,
  res: Response,
) => Work<Body> | Promise<Work<Body>>;

export const byPathId =
  <Body>(make: (id: string, call: CallContext, req: Request) => Promise<Body>): Route<Body> =>
  (req) => {
    const id = idOf(req);
    return free((call) => make(id, call, req));
  };

export type Routes = {
  readonly [Id in keyof typeof CALLS]: Route<
    RouteResult<z.input<(typeof CALLS)[Id]['answer']>> | StreamedJson
  >;
};

/**
 * How every answer that may cost something is sent: it is made, booked while the caller is connected, and sent at once. A
 * caller that disconnects ends the call; HEAD is free. The call first waits for memory for the answer; one of the kind `photo` takes
 * the slots of its photos, and waits for memory once the workers have answered.
 */
export const chargedAnswer =
  (
    { billing, bodies, clock }: Pick<ApiServices, 'billing' | 'bodies' | 'clock'>,
    answers: AnswerMemory,
    slots: ReturnType<typeof photoSlots>,
  ) =>
  (endpoint: string, kind: CallerEndpoint['kind'], route: Route): Middleware =>
  async (req, res) => {
    const { page, photos = 1, make, kept = (body) => body } = await route(req, res);
    let made: SizeReporter | undefined;
    const awaitMemory = async () => {
      made = await answers.reserve(res, page ?? endpoint);
    };
    await (kind === 'photo' ? slots.acquireAll(res, photos) : awaitMemory());
    const caller = callerOf(res);
    const { requestId, deadline, claimed } = res.locals;
    const hangUp = new AbortController();
    let isKept = false;
    onceClosed(res, () => res.writableFinished || isKept || hangUp.abort());
    const call: CallContext = {
      caller,
      requestId,
      endpoint,
      signal: deadline ? AbortSignal.any([hangUp.signal, deadline.signal]) : hangUp.signal,
      // Whatever it fetches counts towards the memory for bodies.
      openMemory: () => bodies.open(caller.keyId),
      awaitMemory,
      free: req.method === 'HEAD',
      chargeId: claimed?.chargeId ?? newChargeId(clock.now()),
      ...(claimed && { idempotencyKey: claimed.idempotencyKey }),
    };
    const billed = await billing.charge(
      call,
      async () => {
        const { value, ...priced } = await make(call);
        return { ...priced, value: value instanceof StreamedJson ? value : { success: true, ...value } };
      },
      (body) => serializeAnswer(res, kept(body)),
    );
    // What was done for it stays: its caller may ask again.
    isKept = claimed !== undefined;
    const { value } = billed;
    if (value instanceof StreamedJson) await answers.hold(res, value.bytesAtOnce);
    setCreditHeaders(res, billed);
    await sendAnswer(req, res, value, made);
  };
