import type { RequestHandler } from 'express';
import { AppError, unavailable } from '../../models/errors';
import type { ApiSettings, ReadinessCheck } from '../api-services';
import { errorBody } from '../middleware/error-body';
import '../middleware/locals';

/** A check that takes longer counts as failed. */
const CHECK_MS_MAX = 3000;

/** 200 as long as the process answers at all. */
export const showHealth: RequestHandler = (_req, res) => {
  res.set('Cache-Control', 'no-store').json({ status: 'alive' });
};

/** 200 when this process can serve, else 503; either way with the state of each thing that it uses. */
export function showReadiness({ readiness, inference, lifecycle }: ApiSettings): RequestHandler {
  return async (_req, res) => {
    const results = await Promise.all(
      readiness.map(async (each) => ({ ...each, fault: await faultOf(each) })),
    );
    const failed = toldOf(results.filter(({ isOptional }) => !isOptional));
    const states = {
      process: lifecycle(),
      ...Object.fromEntries(results.map(({ name, fault }) => [name, fault === null ? 'ok' : 'failed'])),
    };
    res.set('Cache-Control', 'no-store');
    if (lifecycle() === 'ready' && failed.length === 0) {
      const warnings = toldOf(results.filter(({ isOptional }) => isOptional));
      res.json({ status: 'ready', checks: states, warnings, inference: inference() });
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

/** What fails, with the reason where it may be told. */
const toldOf = (results: readonly { readonly name: string; readonly fault: string | null }[]): string[] =>
  results.flatMap(({ name, fault }) => (fault === null ? [] : [fault === '' ? name : `${name} (${fault})`]));

/** Null when all is well; else why not, as far as it may be told to anybody: in words of ours. */
async function faultOf(check: ReadinessCheck): Promise<string | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`${check.name} took too long`)), CHECK_MS_MAX);
  });
  try {
    await Promise.race([check.check(), late]);
    return null;
  } catch (failure) {
    return failure instanceof AppError && failure.code === 'unavailable' ? failure.message : '';
  } finally {
    clearTimeout(timer);
  }
}
