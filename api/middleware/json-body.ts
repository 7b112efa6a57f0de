import { createHash } from 'node:crypto';
import { unsupportedMediaType } from '../../models/errors';
import { type Gate, onceClosed } from './call';
import type { MemoryBudget } from './memory-budget';
import { parseJsonObject } from './parse-json-object';
import { type BodyLimits, readBody } from './read-body';

/** What a body may be declared as, in UTF-8, and how that is called in a refusal. */
export interface BodyType {
  readonly name: 'application/json' | 'application/x-ndjson';
  readonly form: RegExp;
}

export const JSON_BODY: BodyType = {
  name: 'application/json',
  form: /^\s*application\/([a-z0-9!#$&^_.+-]+\+)?json\s*$/,
};

export const JSON_LINES_BODY: BodyType = {
  name: 'application/x-ndjson',
  form: /^\s*application\/(x-ndjson|jsonl)\s*$/,
};

/**
 * Reads the bytes of a body into `req.body`: 415 when it is not declared as its type, 413 when it is larger than the
 * limit. They count against the budget until the call ends.
 */
export function readTyped(type: BodyType, limits: BodyLimits, budget: MemoryBudget): Gate {
  return async (req, res) => {
    if (!isDeclared(req.get('Content-Type'), type)) throw unsupportedMediaType(type.name);
    // Operators have no key, and share one part of the memory.
    const reservation = budget.open(res.locals.caller?.keyId ?? '');
    onceClosed(res, () => reservation.close());
    // The clock of the deadline stands still while the caller sends.
    const { deadline } = res.locals;
    deadline?.stop();
    req.body = await readBody(req, reservation, limits, (room) => deadline?.runDuring(room) ?? room);
    deadline?.go();
    if (req.get('Idempotency-Key') === undefined) return;
    res.locals.bodyDigest = createHash('sha256').update(req.body).digest();
  };
}

/** Makes an object of the bytes of a body: 400 when it is empty or no well-formed JSON object. */
export const parseJson: Gate = (req) => {
  req.body = parseJsonObject(req.body);
};

function isDeclared(contentType: string | undefined, { form }: BodyType): boolean {
  const [type = '', ...parameters] = (contentType ?? '').toLowerCase().split(';');
  const charset = /^\s*charset\s*=\s*"?([^"\s]*)"?\s*$/;
  return (
    form.test(type) &&
    parameters.every((parameter) => ['utf-8', 'utf8', undefined].includes(charset.exec(parameter)?.[1]))
  );
}
