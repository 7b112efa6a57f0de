import type { RequestHandler } from 'express';
import { API_VERSIONS, type ApiVersion, type Caller, type Scope } from '../../models/access/api-key';
import type { FairBudget } from '../../models/access/fair-budget';
import type { ApiServices, ApiSettings } from '../api-services';
import { AnswerMemory, memoryBudget } from './answer-memory';
import { authenticate, authorizeOperator, KeyLookups } from './authenticate';
import type { Middleware } from './call';
import { chargedAnswer, type Route } from './charged-answer';
import { startDeadline } from './deadline';
import { classifyFailure } from './error-handler';
import { idempotent } from './idempotency';
import { linkRenewal } from './links';
import { parseJsonObject } from './parse-json-object';
import { photoLimit, queueGates, rateLimit } from './rate-limit';
import { type BodyType, JSON_BODY, JSON_LINES_BODY, PICTURE_BODY, readTyped } from './read-body';
import { simulateError } from './simulate-error';
import { knownParameters } from './validate';

/** Bytes of a body that holds no photo. */
const BODY_BYTES_MAX = 1024 * 1024;
/** Of one that holds records (contract 15.1). */
const RECORDS_BYTES_MAX = 10 * 1024 * 1024;
/** Most bodies have as much memory again for themselves. */
const LITTLE_BODY_BYTES = 64 * 1024;
/** Longer than a burst takes to be worked off, and shorter than callers wait. */
const MEMORY_WAIT_MS = 10_000;
/** A telephone in a tunnel may be silent for so long. */
const PACE_WINDOW_MS = 10_000;
/** A call that has not answered so long after its deadline died with its process. */
const LEASE_SLACK_MS = 15_000;

/** How an endpoint is called in usage reports: the API version that a key must open comes first. */
export type EndpointName = `${ApiVersion}.${string}`;

/** What a query string may hold; those of v1 are read by their route. */
export type Parameters = { readonly single?: readonly string[]; readonly lists?: readonly string[] } | 'any';

export type Endpoints = ReturnType<typeof buildEndpoints>;

/**
 * What a call passes before and behind its route, by the kind of endpoint, in the order in which refusals are decided
 * (contract 11.3): 401, 403, 429, then 413 and 415, so that no byte of a body is read for a call that may not be made.
 * Nor for a photo that the workers can't get to in time: its 503 comes before its upload. A scope of null is every key.
 */
export function buildEndpoints(services: ApiServices, settings: ApiSettings, answers: AnswerMemory) {
  const { accounts, limiter, queue, clock, bodies } = services;
  const { limits, visionDeadlineMs: deadlineMs } = settings;
  const keys = new KeyLookups<Caller>((hash) => accounts.callerByKeyHash(hash), limits.unknownKeysPerMinute);
  const calls = rateLimit(services, limits);
  const forced = simulateError(deadlineMs);
  const admitted = (name: EndpointName, scope: Scope | null): Middleware[] => [
    authenticate(keys, versionOf(name), scope),
    forced,
    calls,
  ];
  const operator = authorizeOperator(settings.adminToken ?? null, limits.unknownKeysPerMinute);
  const takePhotos = photoLimit(limiter, limits);
  const firstPhoto: Middleware = (_req, res) => takePhotos(res, 1);
  const { shedLoad, enter } = queueGates(queue, clock, deadlineMs);
  const withPlaces =
    (route: Route): Route =>
    async (req, res) => {
      const work = await route(req, res);
      const { photos = 1 } = work;
      await takePhotos(res, photos - 1);
      await enter(res, photos);
      return work;
    };
  const once = idempotent(services, answers, deadlineMs + LEASE_SLACK_MS, linkRenewal(services));
  const answer = chargedAnswer(services, answers);

  const body = (type: BodyType, bytesMax: number): Middleware => {
    const pace = { bytesPerSecond: settings.uploadBytesPerSecondMin, windowMs: PACE_WINDOW_MS };
    return readTyped(type, { bytesMax, pace }, bodies);
  };
  // A photo of the largest size as base64, and room for the rest (contract 12.2).
  const photoBytesMax = Math.ceil((settings.imageBytesMax * 4) / 3) + 64 * 1024;
  const photo = body(JSON_BODY, photoBytesMax);
  const BODIES = {
    none: [],
    json: [body(JSON_BODY, BODY_BYTES_MAX), parseJson],
    // Twice the largest photo: many photos of the usual size, which are looked at later.
    job: [firstPhoto, body(JSON_BODY, 2 * photoBytesMax)],
    records: [body(JSON_LINES_BODY, RECORDS_BYTES_MAX)],
    // Beyond the limit of pictures, so that one that is too large is refused as everywhere (contract 7.2).
    picture: [body(PICTURE_BODY, photoBytesMax)],
  };
  return {
    /** Only reads, without a body. */
    read: (name: EndpointName, scope: Scope | null, parameters: Parameters, route: Route) =>
      through(...admitted(name, scope), ...knownOf(parameters), answer(name, route)),
    /** Is made once under an `Idempotency-Key`. */
    once: (name: EndpointName, scope: Scope | null, kind: keyof typeof BODIES, route: Route) =>
      through(...admitted(name, scope), ...BODIES[kind], once, answer(name, route)),
    /** Likewise, with a photo in its JSON, and a deadline (contract 7.7). */
    photo: (name: EndpointName, route: Route) =>
      through(
        startDeadline(deadlineMs),
        ...admitted(name, 'vision:identify'),
        firstPhoto,
        shedLoad,
        photo,
        once,
        answer(name, withPlaces(route)),
      ),
    /** Of operators (contract 17.2), without a body or with a little JSON; the last gate answers. */
    operator: (...middleware: Middleware[]) => through(operator, ...middleware),
    operatorJson: (...middleware: Middleware[]) => through(operator, ...BODIES.json, ...middleware),
  };
}

/** Passes middleware one after the other until one has answered: 504 for one that is not passed before the call's deadline. */
const through =
  (...middleware: Middleware[]): RequestHandler =>
  async (req, res) => {
    try {
      for (const gate of middleware) {
        if (res.headersSent) return;
        const { deadline } = res.locals;
        const passing = gate(req, res);
        await (deadline?.enforce(Promise.resolve(passing)) ?? passing);
      }
    } catch (failure) {
      const isFree = res.locals.claimed?.release();
      // Anyone who mends a refused call may send it at once. An overloaded or hanging store is not waited for.
      if (classifyFailure(failure).status < 500) await isFree;
      throw failure;
    }
  };

const knownOf = (parameters: Parameters): Middleware[] =>
  parameters === 'any' ? [] : [knownParameters(parameters.single ?? [], parameters.lists)];

const parseJson: Middleware = (req) => {
  req.body = parseJsonObject(req.body);
};

function versionOf(name: EndpointName): ApiVersion {
  const version = API_VERSIONS.find((each) => name.startsWith(`${each}.`));
  if (!version) throw new Error(`the endpoint ${name} is of no version`);
  return version;
}

/** Memory for bodies and what calls fetch, of so many bytes; shared by key. */
export const bodyMemory = (bytes: number): FairBudget =>
  memoryBudget('large bodies', { units: bytes, littleUnits: LITTLE_BODY_BYTES, waitMs: MEMORY_WAIT_MS });

/** Memory for answers, of so many bytes. */
export const answerMemory = (bytes: number): AnswerMemory => new AnswerMemory(bytes, MEMORY_WAIT_MS);
