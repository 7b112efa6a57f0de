import type { Request, RequestHandler, Response } from 'express';
import type { z } from 'zod';
import type { Caller } from '../../models/access/api-key';
import type { AdminServices, ApiServices, ApiSettings } from '../api-services';
import type { CallerEndpoint, Endpoint, OPERATORS } from '../endpoints';
import type { AnswerMemory } from './answer-memory';
import { authenticate, authorizeOperator, KeyLookups } from './authenticate';
import type { Middleware } from './call';
import { chargedAnswer, type Route } from './charged-answer';
import { startDeadline } from './deadline';
import { classifyFailure } from './error-handler';
import { idempotent, refuseKey } from './idempotency';
import { linkRenewal } from './links';
import { parseJsonObject } from './parse-json-object';
import { photoSlots, rateLimit } from './rate-limit';
import { type BodyType, JSON_BODY, JSON_LINES_BODY, PICTURE_BODY, readTyped } from './read-body';
import { idOf } from './request-address';
import { type Answer, type RouteResult, sendAnswer } from './send-answer';
import { simulateError } from './simulate-error';
import { refuseParameters } from './validate';

/** Bytes of a body without photos. */
const BODY_BYTES_MAX = 1024 * 1024;
/** Of one with records (contract 15.1). */
const RECORDS_BYTES_MAX = 10 * 1024 * 1024;
/** A phone in a tunnel may be silent for this long. */
const PACE_WINDOW_MS = 10_000;
/** A call without an answer this long after its deadline died with its process. */
const LEASE_SLACK_MS = 15_000;
/** A credit takes a statement or two; one without an answer after this long died with its process. */
const CREDIT_LEASE_MS = 30_000;

/** Makes the answer to an operator's request, with services whose changes are audited as made by it. */
type OperatorRoute<Body = Answer> = (req: Request, admin: AdminServices, res: Response) => Promise<Body>;
type Operators = typeof OPERATORS;
export type OperatorRoutes = {
  readonly [Id in keyof Operators]: OperatorRoute<RouteResult<z.input<Operators[Id]['answer']>>>;
};

/**
 * The middleware of a call before and after its route, by the kind of endpoint, in the order in which refusals are decided
 * (contract 11.3): 401, 403, 429, then 413 and 415, so that no byte of a body is read for a call that is not allowed, nor
 * for a photo that the workers can't process in time: its 503 comes before its upload.
 */
export function buildEndpoints(services: ApiServices, settings: ApiSettings, answers: AnswerMemory) {
  const { accounts, bodies } = services;
  const { limits, visionDeadlineMs: deadlineMs } = settings;
  const keys = new KeyLookups<Caller>((hash) => accounts.callerByKeyHash(hash), limits.unknownKeysPerMinute);
  const calls = rateLimit(services, limits);
  const forced = simulateError(deadlineMs);
  const operator = authorizeOperator(settings.adminToken ?? null, limits.unknownKeysPerMinute);
  const slots = photoSlots(services, limits, deadlineMs);
  const once = idempotent(services, answers, deadlineMs + LEASE_SLACK_MS, linkRenewal(services));
  const answer = chargedAnswer(services, answers, slots);

  const body = (type: BodyType, bytesMax: number): Middleware => {
    const pace = { bytesPerSecond: settings.uploadBytesPerSecondMin, windowMs: PACE_WINDOW_MS };
    return readTyped(type, { bytesMax, pace }, bodies);
  };
  // A photo of the largest size as base64, and room for the rest (contract 12.2).
  const photoBytesMax = Math.ceil((settings.imageBytesMax * 4) / 3) + 64 * 1024;
  const BODIES: Readonly<Record<Endpoint['takes'], Middleware[]>> = {
    nothing: [],
    json: [body(JSON_BODY, BODY_BYTES_MAX), parseJson],
    photo: [body(JSON_BODY, photoBytesMax)],
    // Twice the largest photo: many photos of the usual size, processed later.
    job: [slots.acquireFirst, body(JSON_BODY, 2 * photoBytesMax)],
    records: [body(JSON_LINES_BODY, RECORDS_BYTES_MAX)],
    // Above the limit for pictures, so that one that is too large is refused as everywhere else (contract 7.2).
    picture: [body(PICTURE_BODY, photoBytesMax)],
  };
  const adminOf = (res: Response) => services.admin(res.locals.requestId);
  const answerOperator =
    (route: OperatorRoute): Middleware =>
    async (req, res) => {
      const made = await answers.reserve(res, req.route.path);
      await sendAnswer(req, res, { success: true, ...(await route(req, adminOf(res), res)) }, made);
    };
  // Under a name that no caller of the account can use (contract 17.7).
  const nameOfCredit = (key: string, req: Request) => ({ accountId: idOf(req), key: `admin ${key}` });
  const creditOnce: Middleware[] = [
    (req, res) => adminOf(res).accounts.show(idOf(req)),
    idempotent(services, answers, CREDIT_LEASE_MS, (kept) => kept, nameOfCredit),
  ];
  return {
    /** For callers; the last middleware answers. */
    caller: ({ kind, version, scope, name, query, takes }: CallerEndpoint, route: Route): RequestHandler => {
      const admitted = [authenticate(keys, version, scope), forced, calls];
      if (kind === 'read') return runInOrder(...admitted, ...parameters(query), answer(name, kind, route));
      if (kind === 'once') return runInOrder(...admitted, ...BODIES[takes], once, answer(name, kind, route));
      const begin = [startDeadline(deadlineMs), ...admitted, slots.acquireFirst, slots.shedLoad];
      return runInOrder(...begin, ...BODIES[takes], once, answer(name, kind, route));
    },
    /** For operators (contract 17.2), likewise. */
    operator: ({ method, query, takes, isRepeatable }: Endpoint, route: OperatorRoute): RequestHandler => {
      const change = isRepeatable ? creditOnce : [refuseKey];
      const checks = method === 'get' ? parameters(query) : change;
      return runInOrder(operator, ...BODIES[takes], ...checks, answerOperator(route));
    },
  };
}

/** Runs middleware one after the other until one has answered: 504 if one does not finish before the call's deadline. */
const runInOrder =
  (...middleware: Middleware[]): RequestHandler =>
  async (req, res) => {
    try {
      for (const step of middleware) {
        if (res.headersSent) return;
        const { deadline } = res.locals;
        const result = step(req, res);
        await (deadline?.enforce(Promise.resolve(result)) ?? result);
      }
    } catch (failure) {
      const isFree = res.locals.claimed?.release();
      // A refused call may be corrected and sent again at once. An overloaded or hanging store is not waited for.
      if (classifyFailure(failure).status < 500) await isFree;
      throw failure;
    }
  };

/** Routes validate the parameters of their endpoint themselves. */
const parameters = (query: Endpoint['query']): Middleware[] => (query ? [] : [refuseParameters]);

const parseJson: Middleware = (req) => {
  req.body = parseJsonObject(req.body);
};
