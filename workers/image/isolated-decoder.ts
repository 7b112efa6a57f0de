import { type ChildProcess, fork } from 'node:child_process';
import { type ImageFault, unprocessable } from '../../models/errors';
import type { Cut } from './cut-region';
import { DecodeBudget, type DecodeCaller } from './decode-budget';
import type { DecodedPicture, EncodedPicture } from './decode-picture';

/** A picture to decode, in another process. */
export interface IsolatedRequest extends EncodedPicture {
  /** What to cut out of it; the whole of it when left out. */
  readonly cut?: Cut | undefined;
}

/** What came of it: a prepared JPEG, or the fault of the picture. */
export type DecodeAnswer =
  | ({ readonly ok: true } & DecodedPicture)
  | { readonly ok: false; readonly reason: ImageFault | undefined; readonly message: string };

/** Longer than the decoder's own limit and the start of a process. */
const LONGEST_MS = 20_000;

/**
 * Decodes pictures that take more memory than all others together may have: one at a time, each in a process of its own,
 * which takes that memory with it when it ends. What starts a process for such pictures alone is that they are rare.
 */
export class IsolatedDecoder {
  readonly #turns = new DecodeBudget({ bytesMax: 1, decodersMax: 1 });

  /**
   * Waits for the turn of its account. A caller that gives up ends the process, too.
   *
   * @throws the reason of `signal` when it is aborted, AppError 422 for a picture that can't be decoded
   */
  prepare(request: IsolatedRequest, { signal, account }: DecodeCaller = {}): Promise<DecodedPicture> {
    const turn = { bytes: 1, pixels: request.pixelsMax, account, signal };
    return this.#turns.run(turn, () => decodeAlone(request, signal));
  }
}

async function decodeAlone(request: IsolatedRequest, signal?: AbortSignal): Promise<DecodedPicture> {
  const child = fork(require.resolve('./isolated-decoder-main'), [], {
    execArgv: ['--require', require.resolve('tsx/cjs')],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const end = (): boolean => child.kill('SIGKILL');
  const late = setTimeout(end, LONGEST_MS);
  signal?.addEventListener('abort', end, { once: true });
  try {
    const answer = await answerOf(child, request);
    if (!answer.ok) throw unprocessable(answer.reason ?? 'image_undecodable', answer.message);
    return { ...answer, jpeg: Buffer.from(answer.jpeg) };
  } finally {
    clearTimeout(late);
    signal?.removeEventListener('abort', end);
    end();
  }
}

/** The process may end without a word: no memory was left for it, or it took too long. */
function answerOf(child: ChildProcess, request: IsolatedRequest): Promise<DecodeAnswer> {
  return new Promise((resolve, reject) => {
    child.once('message', (answer) => resolve(answer as DecodeAnswer));
    child.once('error', reject);
    child.once('exit', () =>
      reject(
        unprocessable('image_too_large', 'The image takes more memory or time to decode than there is.'),
      ),
    );
    child.send(request);
  });
}
