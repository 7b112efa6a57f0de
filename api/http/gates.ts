import type { RequestHandler } from 'express';
import type { ApiVersion } from '../../models/access/api-key';
import type { ApiServices, ApiSettings } from '../api-services';
import { admit } from './admit';
import { jsonBody } from './json-body';
import { limitCalls, limitVisionCalls } from './limit-calls';

/** Bytes of a body that holds no photo. */
const BODY_BYTES_MAX = 1024 * 1024;

/**
 * What a call passes before its route, by the kind of endpoint, in the order in which refusals are decided
 * (decisions.md 1): 401, 403, 429, then 413 and 415, so that no byte of a body is read for a call that may not be made.
 */
export interface Gates {
  /** Endpoints without a body. */
  key(version: ApiVersion): RequestHandler[];
  /** Endpoints that take a JSON body. */
  json(version: ApiVersion): RequestHandler[];
  /** Endpoints that take a photo in a JSON body. */
  photo(version: ApiVersion): RequestHandler[];
}

export function buildGates(services: ApiServices, settings: ApiSettings): Gates {
  const { accounts, limiter } = services;
  const calls = limitCalls(limiter, settings.limits);
  const visionCalls = limitVisionCalls(limiter, settings.limits);
  const smallBody = jsonBody(BODY_BYTES_MAX);
  const photoBody = jsonBody(photoBodyBytesMax(settings.imageBytesMax));
  return {
    key: (version) => [admit(accounts, version), calls],
    json: (version) => [admit(accounts, version), calls, ...smallBody],
    photo: (version) => [admit(accounts, version), calls, visionCalls, ...photoBody],
  };
}

/** A photo of the largest size as base64, and room for the rest of the body (decisions.md 1). */
const photoBodyBytesMax = (imageBytesMax: number): number => Math.ceil((imageBytesMax * 4) / 3) + 64 * 1024;
