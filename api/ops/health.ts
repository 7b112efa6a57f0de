import type { RequestHandler } from 'express';
import { unavailable } from '../../models/errors';
import type { LifecycleState, ReadinessCheck } from '../api-services';
import { errorBody } from '../http/error-body';
import '../http/locals';

/** A check that takes longer counts as failed. */
const CHECK_MS_MAX = 3000;

/** 200 as long as the process answers at all. */
export const showHealth: RequestHandler = (_req, res) => {
  res.set('Cache-Control', 'no-store').json({ status: 'alive' });
};

/** 200 when this process can serve, else 503; either way with the state of each thing that it needs. */
export function showReadiness(
  checks: readonly ReadinessCheck[],
  lifecycle: () => LifecycleState,
): RequestHandler {
  return async (_req, res) => {
    const results = await Promise.all(checks.map(async (each) => [each.name, await stateOf(each)] as const));
    const failed = results.filter(([, state]) => state !== 'ok').map(([name]) => name);
    const states = { process: lifecycle(), ...Object.fromEntries(results) };
    res.set('Cache-Control', 'no-store');
    if (lifecycle() === 'ready' && failed.length === 0) {
      res.json({ status: 'ready', checks: states });
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

async function stateOf(check: ReadinessCheck): Promise<'ok' | 'failed'> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`${check.name} took too long`)), CHECK_MS_MAX);
  });
  try {
    await Promise.race([check.check(), late]);
    return 'ok';
  } catch {
    return 'failed';
  } finally {
    clearTimeout(timer);
  }
}
