import type { RequestHandler } from 'express';
import { API_VERSIONS, type ApiVersion, type Caller, type Scope } from '../../models/access/api-key';
import type { FairBudget } from '../../models/access/fair-budget';
import type { ApiServices, ApiSettings } from '../api-services';
import { AnswerMemory, memoryBudget } from './answer-memory';
import { authenticate, KeyLookups } from './authenticate';
import { authorizeOperator } from './authorize-operator';
import type { Gate } from './call';
import { chargedAnswer, type Route } from './charged-answer';
import { startDeadline } from './deadline';
import { forceFailure } from './force-failure';
import { idempotent } from './idempotency';
import { linkRenewal } from './links';
import { parseJsonObject } from './parse-json-object';
import { photoLimit, rateLimit, shedLoad, takePlaces } from './rate-limit';
import type { UploadPace } from './read-body';
import { JSON_BODY, JSON_LINES_BODY, PICTURE_BODY, readTyped } from './read-body';
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

/**
 * What a call passes before and behind its route, by the kind of endpoint, in the order in which refusals are decided
 * (contract 11.3): 401, 403, 429, then 413 and 415, so that no byte of a body is read for a call that may not be made.
 * Nor for a photo that the workers can't get to in time: its 503 comes before its upload. A scope of null is every key.
 * All but `read` and those of operators are made once under an `Idempotency-Key`.
 */
export interface Endpoints {
  /** Only reads, without a body. */
  read(name: EndpointName, scope: Scope | null, parameters: Parameters, route: Route): RequestHandler;
  /** With a little JSON. */
  json(name: EndpointName, scope: Scope | null, route: Route): RequestHandler;
  /** With a photo in its JSON, and a deadline (contract 7.7). */
  photo(name: EndpointName, route: Route): RequestHandler;
  /** With many photos in its JSON, which are looked at later. */
  job(name: EndpointName, route: Route): RequestHandler;
  /** Changes the catalog by a body of records. */
  records(name: EndpointName, route: Route): RequestHandler;
  /** Takes the bytes of a picture into the catalog. */
  picture(name: EndpointName, route: Route): RequestHandler;
  /** Changes something, without a body. */
  change(name: EndpointName, scope: Scope, route: Route): RequestHandler;
  /** Of operators (contract 17.2), without a body or with a little JSON; the last gate answers. */
  operator(...gates: Gate[]): RequestHandler;
  operatorNote(...gates: Gate[]): RequestHandler;
}

/** What a query string may hold; those of v1 are read by their route. */
export type Parameters = { readonly single?: readonly string[]; readonly lists?: readonly string[] } | 'any';

export function buildEndpoints(
  services: ApiServices,
  settings: ApiSettings,
  answers: AnswerMemory,
): Endpoints {
  const { accounts, limiter, queue, clock, bodies } = services;
  const { limits, visionDeadlineMs: deadlineMs } = settings;
  const keys = new KeyLookups<Caller>((hash) => accounts.callerByKeyHash(hash), limits.unknownKeysPerMinute);
  const calls = rateLimit(services, limits);
  const admitted = (name: EndpointName, scope: Scope | null): Gate[] => [
    authenticate(keys, versionOf(name), scope),
    forceFailure,
    calls,
  ];
  const operator = authorizeOperator(settings.adminToken ?? null, limits.unknownKeysPerMinute);
  const takePhotos = photoLimit(limiter, limits);
  const firstPhoto: Gate = (_req, res) => takePhotos(res, 1);
  const enterQueue = takePlaces(queue, clock, deadlineMs);
  const withPlaces =
    (route: Route): Route =>
    async (req, res) => {
      const work = await route(req, res);
      const { photos = 1 } = work;
      await takePhotos(res, photos - 1);
      await enterQueue(res, photos);
      return work;
    };
  const once = idempotent(services, answers, deadlineMs + LEASE_SLACK_MS, linkRenewal(services));
  const answer = chargedAnswer(services, answers);

  const pace: UploadPace = { bytesPerSecond: settings.uploadBytesPerSecondMin, windowMs: PACE_WINDOW_MS };
  const smallBody = [readTyped(JSON_BODY, { bytesMax: BODY_BYTES_MAX, pace }, bodies), parseJson];
  const photoBytesMax = photoBodyBytesMax(settings.imageBytesMax);
  const photoBody = readTyped(JSON_BODY, { bytesMax: photoBytesMax, pace }, bodies);
  const jobBody = readTyped(JSON_BODY, { bytesMax: JOB_BODY_PHOTOS * photoBytesMax, pace }, bodies);
  // Beyond the limit of pictures, so that one that is too large is told so as everywhere (contract 7.2).
  const pictureBody = readTyped(PICTURE_BODY, { bytesMax: photoBytesMax, pace }, bodies);
  const recordsBody = readTyped(JSON_LINES_BODY, { bytesMax: RECORDS_BYTES_MAX, pace }, bodies);
  return {
    read: (name, scope, parameters, route) =>
      through(...admitted(name, scope), ...knownOf(parameters), answer(name, route)),
    json: (name, scope, route) => through(...admitted(name, scope), ...smallBody, once, answer(name, route)),
    photo: (name, route) =>
      through(
        startDeadline(deadlineMs),
        ...admitted(name, 'vision:identify'),
        firstPhoto,
        shedLoad(queue, clock, deadlineMs),
        photoBody,
        once,
        answer(name, withPlaces(route)),
      ),
    job: (name, route) =>
      through(...admitted(name, 'vision:identify'), firstPhoto, jobBody, once, answer(name, route)),
    records: (name, route) =>
      through(...admitted(name, 'catalog:write'), recordsBody, once, answer(name, route)),
    picture: (name, route) =>
      through(...admitted(name, 'catalog:write'), pictureBody, once, answer(name, route)),
    change: (name, scope, route) => through(...admitted(name, scope), once, answer(name, route)),
    operator: (...gates) => through(operator, ...gates),
    operatorNote: (...gates) => through(operator, ...smallBody, ...gates),
  };
}

/** Passes gates one after the other until one has answered: 504 for one that is not passed before the call's deadline. */
const through =
  (...gates: Gate[]): RequestHandler =>
  async (req, res) => {
    for (const gate of gates) {
      if (res.headersSent) return;
      const { deadline } = res.locals;
      const passing = gate(req, res);
      await (deadline?.enforce(Promise.resolve(passing)) ?? passing);
    }
  };

const knownOf = (parameters: Parameters): Gate[] =>
  parameters === 'any' ? [] : [knownParameters(parameters.single ?? [], parameters.lists)];

const parseJson: Gate = (req) => {
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

/** Of the largest bodies with photos a job's is so many: many photos of the usual size (contract 12.2). */
const JOB_BODY_PHOTOS = 2;

/** A photo of the largest size as base64, and room for the rest of the body (contract 12.2). */
const photoBodyBytesMax = (imageBytesMax: number): number => Math.ceil((imageBytesMax * 4) / 3) + 64 * 1024;
