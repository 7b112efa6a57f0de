import type { RequestHandler } from 'express';
import type { ApiVersion } from '../../models/access/api-key';
import type { ApiServices, ApiSettings } from '../api-services';
import { linkRenewal } from '../files/renew-links';
import { admit } from './admit';
import { answerOnce } from './answer-once';
import { parseJson, parsePhotoJson, readJson } from './json-body';
import { inTime, startDeadline, unhurried } from './keep-deadline';
import { limitCalls, limitVisionCalls } from './limit-calls';
import { refuseLate, takePlace } from './refuse-late';
import { roomForBodies } from './room-for-bodies';

/** Bytes of a body that holds no photo. */
const BODY_BYTES_MAX = 1024 * 1024;
/** A call that has not answered so long after its deadline died with its process. */
const LEASE_SLACK_MS = 15_000;

/**
 * What a call passes before its route, by the kind of endpoint, in the order in which refusals are decided
 * (decisions.md 1): 401, 403, 429, then 413 and 415, so that no byte of a body is read for a call that may not be made.
 * Nor for a photo that the workers can't get to in time: its 503 comes before its upload.
 */
export interface Gates {
  /** Endpoints without a body. */
  key(version: ApiVersion): RequestHandler[];
  /** Endpoints that take a JSON body. */
  json(version: ApiVersion): RequestHandler[];
  /** Endpoints that take a photo in a JSON body, which have a deadline (decisions.md 8). */
  photo(version: ApiVersion): RequestHandler[];
}

export function buildGates(services: ApiServices, settings: ApiSettings): Gates {
  const { accounts, limiter } = services;
  const calls = limitCalls(limiter, settings.limits);
  const visionCalls = limitVisionCalls(limiter, settings.limits);
  const late = refuseLate(services.queue, services.clock, settings.visionDeadlineMs);
  const place = takePlace(services.queue, services.clock, settings.visionDeadlineMs);
  const patience = {
    waitMs: settings.visionDeadlineMs,
    leaseMs: settings.visionDeadlineMs + LEASE_SLACK_MS,
  };
  const renewLinks = linkRenewal(services.signer, services.clock);
  const once = answerOnce(services.idempotency, accounts, services.clock, patience, renewLinks);
  const smallBody = [readJson(BODY_BYTES_MAX), once, parseJson];
  const bodyBytesMax = photoBodyBytesMax(settings.imageBytesMax);
  const photoBody = readJson(bodyBytesMax);
  // A body of the largest size takes about 100 MB until its photo is decoded (docs/hostile-input.md).
  const room = roomForBodies(bodyBytesMax, bodyBytesMax);
  return {
    key: (version) => [admit(accounts, version), calls],
    json: (version) => [admit(accounts, version), calls, ...smallBody],
    photo: (version) => [
      startDeadline(settings.visionDeadlineMs),
      ...[admit(accounts, version), calls, visionCalls, late, room].map(inTime),
      unhurried(photoBody),
      ...[once, place].map(inTime),
      parsePhotoJson,
    ],
  };
}

/** A photo of the largest size as base64, and room for the rest of the body (decisions.md 1). */
const photoBodyBytesMax = (imageBytesMax: number): number => Math.ceil((imageBytesMax * 4) / 3) + 64 * 1024;
