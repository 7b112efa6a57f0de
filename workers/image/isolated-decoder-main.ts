/** The process of `decodeIsolated`: decodes one picture. It does not exit by itself, as its exit could be seen before its answer. */
import { getPriority, setPriority } from 'node:os';
import { AppError } from '../../models/errors';
import { decodePicture, restrictSharp } from './decode-picture';
import type { DecodeAnswer, IsolatedRequest } from './isolated-decoder';

/** As the other threads that decode (`scripts/low-priority-pool.cjs`). */
const NICENESS = 10;

async function answerTo({ picture, wanted }: IsolatedRequest): Promise<DecodeAnswer> {
  try {
    return { ok: true, ...(await decodePicture(picture, wanted)) };
  } catch (failure) {
    if (!(failure instanceof AppError)) throw failure;
    return { ok: false, reason: failure.extras.reason, message: failure.message };
  }
}

if (getPriority() < NICENESS) setPriority(NICENESS);
restrictSharp();
process.once('disconnect', () => process.exit());
process.once('message', (request: IsolatedRequest) => {
  void answerTo(request).then((answer) => process.send?.(answer));
});
