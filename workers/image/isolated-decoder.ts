import { type ChildProcess, fork } from 'node:child_process';
import { type ImageFault, unprocessable } from '../../models/errors';
import type { EncodedPicture, OutputForm, SmallPicture } from './decode-picture';

export interface IsolatedRequest {
  readonly picture: EncodedPicture;
  readonly wanted: OutputForm;
}

export type DecodeAnswer =
  | ({ readonly ok: true } & SmallPicture)
  | { readonly ok: false; readonly reason: ImageFault | undefined; readonly message: string };

/** Longer than the decoder's own limit and the start of a process. */
const LONGEST_MS = 20_000;

/**
 * Decodes a picture that exceeds the shared decoding memory in a process of its own, which returns its memory by ending.
 * @param signal ends the process, too @throws AppError 422 for a picture that can't be decoded
 */
export async function decodeIsolated(request: IsolatedRequest, signal?: AbortSignal): Promise<SmallPicture> {
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
    return { ...answer, data: Buffer.from(answer.data) };
  } finally {
    clearTimeout(late);
    signal?.removeEventListener('abort', end);
    end();
  }
}

/** The process may end without an answer: no memory was left for it, or it took too long. */
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
