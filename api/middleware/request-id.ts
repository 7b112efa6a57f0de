import { randomUUID } from 'node:crypto';
import type { RequestHandler } from 'express';
import './locals';

const KEPT = /^[A-Za-z0-9._-]{8,128}$/;

/** Names each request: an incoming `X-Request-Id` of the right form is kept; every answer carries it (contract 12.1). */
export const requestId: RequestHandler = (req, res, next) => {
  const given = req.get('X-Request-Id');
  res.locals.requestId = given !== undefined && KEPT.test(given) ? given : randomUUID();
  res.setHeader('X-Request-Id', res.locals.requestId);
  next();
};
