import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Collects everything that nothing refers to, again and again until `work` has ended. */
export async function whileCollecting<Result>(work: Promise<Result>): Promise<Result> {
  setFlagsFromString('--expose-gc');
  const turns = setInterval(runInNewContext('gc'), 10);
  return work.finally(() => clearInterval(turns));
}
