import type { Request, RequestHandler } from 'express';
import type { ApiVersion, Caller, Scope } from '../../models/access/api-key';
import { JOB_ENTRIES_MAX } from '../../models/vision/jobs/job-states';
import type { ApiServices, ApiSettings } from '../api-services';
import { authenticate } from './authenticate';
import { authorizeOperator } from './authorize-operator';
import { startDeadline, withinDeadline, withoutDeadline } from './enforce-deadline';
import { forceFailure } from './force-failure';
import { idempotent } from './idempotency';
import { JSON_BODY, JSON_LINES_BODY, parseJson, parsePhotoJson, readTyped } from './json-body';
import { KeyLookups } from './key-lookups';
import { MemoryBudget } from './memory-budget';
import { type PageAsked, PageMemory } from './page-memory';
import { rateLimit, testCallLimit, visionRateLimit } from './rate-limit';
import { linkRenewal } from './renew-links';
import { shedLoad, takePlace } from './shed-load';
import type { UploadPace } from './upload-pace';

/** Bytes of a body that holds no photo. */
const BODY_BYTES_MAX = 1024 * 1024;
/** Of one that holds records (contract 15.1). */
const RECORDS_BYTES_MAX = 10 * 1024 * 1024;
/** Most bodies, and the answers with an item, are not worth waiting for. */
const LITTLE_BYTES = { body: 64 * 1024, answer: 512 * 1024 };
/** Longer than a burst takes to be worked off, and shorter than callers wait. */
const MEMORY_WAIT_MS = 10_000;
/** A telephone in a tunnel may be silent for so long. */
const PACE_WINDOW_MS = 10_000;
/** A call that has not answered so long after its deadline died with its process. */
const LEASE_SLACK_MS = 15_000;

/**
 * What a call passes before its route, by the kind of endpoint, in the order in which refusals are decided
 * (contract 11.3): 401, 403, 429, then 413 and 415, so that no byte of a body is read for a call that may not be made.
 * Nor for a photo that the workers can't get to in time: its 503 comes before its upload.
 */
export interface EndpointMiddleware {
  /** Endpoints of the catalog without a body that answer a page, or a row of one. */
  page(version: ApiVersion, pageOf: (req: Request) => PageAsked): RequestHandler[];
  /** Endpoints of the catalog that take a JSON body and answer a page. */
  json(version: ApiVersion, pageOf: (req: Request) => PageAsked): RequestHandler[];
  /** Endpoints without a body that answer a little, free of charge, for every key. */
  free(version: ApiVersion): RequestHandler[];
  /** Endpoints that take many photos, each in a JSON body, which are looked at later. */
  job(version: ApiVersion): RequestHandler[];
  /** Endpoints without a body that answer for a job. */
  jobAnswer(version: ApiVersion): RequestHandler[];
  /** Endpoints that take a little JSON and answer a little, once; for keys that may identify. */
  registration(version: ApiVersion): RequestHandler[];
  /** Endpoints without a body that answer a little; for keys that may identify. */
  overview(version: ApiVersion): RequestHandler[];
  /** Endpoints that take a little JSON and answer a little, free of charge; `scope` null is for every key of the account. */
  note(version: ApiVersion, scope: Scope | null): RequestHandler[];
  /** Endpoints that take a photo in a JSON body, which have a deadline (contract 7.7). */
  photo(version: ApiVersion): RequestHandler[];
  /** Endpoints of operators without a body (contract 17.2). */
  operator(): RequestHandler[];
  /** Endpoints of operators that take a little JSON. */
  operatorNote(): RequestHandler[];
  /** Endpoints that change the catalog, free of charge: with a body of records, or without one. */
  records(version: ApiVersion): RequestHandler[];
  change(version: ApiVersion): RequestHandler[];
  /** Endpoints that tell what became of that. */
  changed(version: ApiVersion): RequestHandler[];
}

export function buildEndpointMiddleware(services: ApiServices, settings: ApiSettings): EndpointMiddleware {
  const { accounts, limiter } = services;
  const { unknownKeysPerMinute } = settings.limits;
  const keys = new KeyLookups<Caller>((hash) => accounts.callerByKeyHash(hash), unknownKeysPerMinute);
  const calls = rateLimit(limiter, settings.limits);
  const testCalls = testCallLimit(accounts, services.clock, settings.limits);
  const admitted = (version: ApiVersion, scope: Scope | null): RequestHandler[] => [
    authenticate(keys, version, scope),
    forceFailure(settings.visionDeadlineMs),
    calls,
    testCalls,
  ];
  const operator = authorizeOperator(settings.adminToken ?? null, unknownKeysPerMinute);
  const visionCalls = visionRateLimit(limiter, settings.limits);
  const late = shedLoad(services.queue, services.clock, settings.visionDeadlineMs);
  const place = takePlace(services.queue, services.clock, settings.visionDeadlineMs);
  const patience = {
    waitMs: settings.visionDeadlineMs,
    leaseMs: settings.visionDeadlineMs + LEASE_SLACK_MS,
  };
  const renewLinks = linkRenewal(services.signer, services.clock);
  const once = idempotent(services.idempotency, accounts, services.clock, patience, renewLinks);
  const { bodies } = services;
  const answers = new PageMemory(
    new MemoryBudget({
      bytes: settings.answerBytes,
      littleBytes: LITTLE_BYTES.answer,
      waitMs: MEMORY_WAIT_MS,
      what: 'large pages',
    }),
  );
  const pace: UploadPace = { bytesPerSecond: settings.uploadBytesPerSecondMin, windowMs: PACE_WINDOW_MS };
  const smallBody = [readTyped(JSON_BODY, { bytesMax: BODY_BYTES_MAX, pace }, bodies), parseJson];
  const photoBytesMax = photoBodyBytesMax(settings.imageBytesMax);
  const photoBody = readTyped(JSON_BODY, { bytesMax: photoBytesMax, pace }, bodies);
  const jobBody = readTyped(JSON_BODY, { bytesMax: JOB_BODY_PHOTOS * photoBytesMax, pace }, bodies);
  const recordsBody = readTyped(JSON_LINES_BODY, { bytesMax: RECORDS_BYTES_MAX, pace }, bodies);
  const writer = (version: ApiVersion) => admitted(version, 'catalog:write');
  return {
    page: (version, pageOf) => [...admitted(version, 'catalog:read'), answers.gate(pageOf)],
    json: (version, pageOf) => [
      ...admitted(version, 'catalog:read'),
      ...smallBody,
      answers.gate(pageOf),
      once,
    ],
    job: (version) => [
      ...admitted(version, 'vision:identify'),
      ...[visionCalls, jobBody, once, parsePhotoJson],
    ],
    jobAnswer: (version) => [
      ...admitted(version, 'vision:identify'),
      answers.gate(() => ({ rows: JOB_ENTRIES_MAX, priced: true })),
    ],
    registration: (version) => [...admitted(version, 'vision:identify'), ...smallBody, once],
    overview: (version) => admitted(version, 'vision:identify'),
    free: (version) => admitted(version, null),
    note: (version, scope) => [...admitted(version, scope), ...smallBody],
    photo: (version) => [
      startDeadline(settings.visionDeadlineMs),
      ...[...admitted(version, 'vision:identify'), visionCalls, late].map(withinDeadline),
      withoutDeadline(photoBody),
      ...[once, place].map(withinDeadline),
      parsePhotoJson,
    ],
    operator: () => [operator],
    operatorNote: () => [operator, ...smallBody],
    records: (version) => [...writer(version), recordsBody, once],
    change: (version) => [...writer(version), once],
    changed: writer,
  };
}

/** Memory for bodies and what calls fetch, of so many bytes; shared by key. */
export const bodyMemory = (bytes: number): MemoryBudget =>
  new MemoryBudget({
    bytes,
    littleBytes: LITTLE_BYTES.body,
    waitMs: MEMORY_WAIT_MS,
    what: 'large bodies',
  });

/** Of the largest bodies with photos a job's is so many: many photos of the usual size (contract 12.2). */
const JOB_BODY_PHOTOS = 2;

/** A photo of the largest size as base64, and room for the rest of the body (contract 12.2). */
const photoBodyBytesMax = (imageBytesMax: number): number => Math.ceil((imageBytesMax * 4) / 3) + 64 * 1024;
