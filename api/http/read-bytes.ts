import type { Request } from 'express';
import { badRequest } from '../../models/errors';

/**
 * The bytes of a body that says how long it is and has no coding, read into the one buffer that they need. Calls back
 * with 400 when it breaks off.
 *
 * @param length what `Content-Length` says; Node lets no other number of bytes pass
 */
export function readBytes(
  req: Request,
  length: number,
  done: (failure: unknown, bytes: Buffer | null) => void,
): void {
  const bytes = Buffer.allocUnsafeSlow(length);
  let read = 0;
  const take = (chunk: Buffer): void => {
    read += chunk.copy(bytes, read);
  };
  const end = (failure: unknown): void => {
    req.off('data', take).off('end', whole).off('error', end).off('close', broken);
    done(failure ?? null, failure ? null : bytes);
  };
  const whole = (): void => end(read === length ? null : incomplete());
  const broken = (): void => end(incomplete());
  req.on('data', take).once('end', whole).once('error', end).once('close', broken);
}

const incomplete = () => badRequest('The body broke off before its end.');
