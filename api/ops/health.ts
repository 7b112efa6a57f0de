import { setTimeout as delay } from 'node:timers/promises';
import type { RequestHandler } from 'express';
import { z } from 'zod';
import { AppError, unavailable } from '../../models/errors';
import type { ApiSettings, ReadinessCheck } from '../api-services';
import { errorBody } from '../middleware/error-handler';
import { OUTPUT, part } from '../wire/shared';

/** A check that takes longer counts as failed. */
const CHECK_MS_MAX = 3000;

export const healthAnswer = part('Health', { status: z.literal('alive').describe('The process answers') });

/** The answer of `/readyz` when the process can serve (contract 14.4); a 503 has the same `checks`. */
export const readinessAnswer = part('Readiness', {
  status: z
    .enum(['ready', 'degraded'])
    .describe(
      '`ready`: the process serves everything. `degraded`: some functions fail; `warnings` names them',
    ),
  checks: z
    .record(z.string(), z.enum(['ok', 'failed', 'starting', 'ready', 'stopping']))
    .describe('`process` (its state) and each dependency: `ok` or `failed`')
    .register(OUTPUT, { id: 'ReadinessChecks' }),
  warnings: z.array(z.string()).describe('Failed optional dependencies, with the reason'),
  inference: z
    .record(z.string(), z.enum(['tensorflow', 'onnx', 'wasm', 'cpu']))
    .describe('The backend of each model loaded in this process'),
});

export const showHealth: RequestHandler = (_req, res) => {
  res.set('Cache-Control', 'no-store').json({ status: 'alive' } satisfies z.input<typeof healthAnswer>);
};

/** 200 when this process can serve, else 503, with the state of each dependency. */
export function showReadiness({ readiness, inference, lifecycle }: ApiSettings): RequestHandler {
  return async (_req, res) => {
    const results = await Promise.all(
      readiness.map(async (each) => ({ ...each, fault: await faultOf(each) })),
    );
    const failed = faults(results.filter(({ isOptional }) => !isOptional));
    const states = {
      process: lifecycle(),
      ...Object.fromEntries(results.map(({ name, fault }) => [name, fault === null ? 'ok' : 'failed'])),
    };
    res.set('Cache-Control', 'no-store');
    if (lifecycle() === 'ready' && failed.length === 0) {
      const warnings = faults(results.filter(({ isOptional }) => isOptional));
      const status = warnings.length === 0 ? 'ready' : 'degraded';
      res.json({ status, checks: states, warnings, inference: inference() });
      return;
    }
    const why = failed.length > 0 ? `not ready: ${failed.join(', ')}` : `the process is ${lifecycle()}`;
    const failure = unavailable(`The service can't serve; ${why}.`, 2);
    res
      .status(failure.status)
      .set(failure.headers)
      .json({ ...errorBody(failure, res.locals.requestId), checks: states });
  };
}

/** The failed checks, with the reason if it may be disclosed. */
const faults = (results: readonly { readonly name: string; readonly fault: string | null }[]): string[] =>
  results.flatMap(({ name, fault }) => (fault === null ? [] : [fault === '' ? name : `${name} (${fault})`]));

/** Null when the check passes, else the reason, without internal details. */
async function faultOf({ check }: ReadinessCheck): Promise<string | null> {
  const late = delay(CHECK_MS_MAX, '', { ref: false });
  const done = check().then(() => null);
  return Promise.race([done, late]).catch((failure: unknown) =>
    failure instanceof AppError && failure.code === 'unavailable' ? failure.message : '',
  );
}
