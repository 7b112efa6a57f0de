/** What `LoneDecoder` starts: decodes the one picture that it is sent, and ends. */
import { getPriority, setPriority } from 'node:os';
import { AppError } from '../../models/errors';
import { guardSharp, preparedPicture } from './decode-picture';
import type { LoneAnswer, LoneRequest } from './lone-decoder';

/** As the other threads that decode (`scripts/modest-pool.cjs`). */
const NICENESS = 10;

async function answerTo({ bytes, pixelsMax }: LoneRequest): Promise<LoneAnswer> {
  try {
    return { ok: true, ...(await preparedPicture(Buffer.from(bytes), pixelsMax)) };
  } catch (failure) {
    if (!(failure instanceof AppError)) throw failure;
    return { ok: false, reason: failure.extras.reason, message: failure.message };
  }
}

if (getPriority() < NICENESS) setPriority(NICENESS);
guardSharp();
process.once('disconnect', () => process.exit());
process.once('message', (request: LoneRequest) => {
  void answerTo(request).then((answer) => process.send?.(answer, () => process.exit()));
});
