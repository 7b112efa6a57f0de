import express, { type Request, type RequestHandler } from 'express';
import { badRequest, payloadTooLarge, unsupportedMediaType } from '../../models/errors';
import { cutPhoto } from '../vision/cut-photo';
import { failureField } from './failure-field';
import { parseJsonObject } from './parse-json-object';
import { readBytes } from './read-bytes';
import './locals';

/**
 * Reads the bytes of a JSON body into `req.body`: 415 when it is not declared as UTF-8 JSON, 413 when it is larger than
 * `bytesMax` (compressed bodies: once inflated).
 */
export function readJson(bytesMax: number): RequestHandler {
  const readAny = express.raw({ type: () => true, limit: bytesMax });
  return (req, res, next) => {
    if (!isJson(req.get('Content-Type'))) throw unsupportedMediaType();
    const length = plainLength(req);
    if (length >= LARGE_BYTES && length <= bytesMax) {
      readBytes(req, length, (failure, bytes) => {
        req.body = bytes;
        next(failure ?? undefined);
      });
    } else {
      readAny(req, res, (failure?: unknown) =>
        next(failure === undefined ? undefined : bodyFailure(failure, bytesMax)),
      );
    }
  };
}

/** Bodies that are worth no copy. */
const LARGE_BYTES = 64 * 1024;

/** The length of a body that says it and is sent as it is; else -1. */
function plainLength(req: Request): number {
  const coding = req.get('Content-Encoding') ?? 'identity';
  return coding.toLowerCase() === 'identity' ? Number(req.get('Content-Length') ?? -1) : -1;
}

/** Makes an object of the bytes of a body: 400 when it is empty or no well-formed JSON object. */
export const parseJson: RequestHandler = (req, _res, next) => {
  req.body = parseJsonObject(req.body instanceof Buffer ? req.body : Buffer.alloc(0));
  next();
};

/** As `parseJson`, for a body that may hold a photo, which is taken out of it. */
export const parsePhotoJson: RequestHandler = (req, res, next) => {
  const bytes = req.body instanceof Buffer ? req.body : Buffer.alloc(0);
  const cut = cutPhoto(bytes);
  req.body = parseJsonObject(cut?.json ?? bytes);
  if (cut) res.locals.photo = cut.photo;
  next();
};

function isJson(contentType: string | undefined): boolean {
  const [type = '', ...parameters] = (contentType ?? '').toLowerCase().split(';');
  const charset = /^\s*charset\s*=\s*"?([^"\s]*)"?\s*$/;
  return (
    /^\s*application\/([a-z0-9!#$&^_.+-]+\+)?json\s*$/.test(type) &&
    parameters.every((parameter) => ['utf-8', 'utf8', undefined].includes(charset.exec(parameter)?.[1]))
  );
}

function bodyFailure(failure: unknown, bytesMax: number): unknown {
  switch (failureField(failure, 'type')) {
    case 'entity.too.large':
      return payloadTooLarge(bytesMax);
    case 'encoding.unsupported':
      return unsupportedMediaType();
    default:
      return typeof failureField(failure, 'status') === 'number'
        ? badRequest('The body could not be read; check its Content-Length and Content-Encoding.')
        : failure;
  }
}
