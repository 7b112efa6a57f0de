import express, { type RequestHandler } from 'express';
import { badRequest, payloadTooLarge, unsupportedMediaType } from '../../models/errors';
import { failureField } from './failure-field';
import { parseJsonObject } from './parse-json-object';

/**
 * Reads the bytes of a JSON body into `req.body`: 415 when it is not declared as UTF-8 JSON, 413 when it is larger than
 * `bytesMax` (compressed bodies: once inflated).
 */
export function readJson(bytesMax: number): RequestHandler {
  const readBytes = express.raw({ type: () => true, limit: bytesMax });
  return (req, res, next) => {
    if (!isJson(req.get('Content-Type'))) throw unsupportedMediaType();
    readBytes(req, res, (failure?: unknown) =>
      next(failure === undefined ? undefined : bodyFailure(failure, bytesMax)),
    );
  };
}

/** Makes an object of the bytes of a body: 400 when it is empty or no well-formed JSON object. */
export const parseJson: RequestHandler = (req, _res, next) => {
  req.body = parseJsonObject(req.body instanceof Buffer ? req.body : Buffer.alloc(0));
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
