import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { identify } from '../service/calls';
import { Failure } from '../service/failure';
import { rememberNames } from '../service/names';
import { type Answered, sendCall } from '../service/send-call';
import { useSession } from '../session/session';
import { letGo, type Photo, readableBytes, wireForm } from './photo';

/** Where an identification stands. */
export type Stage =
  | { readonly is: 'empty' }
  /** `sent` is the part of the photo that was sent so far, 0 to 1. */
  | { readonly is: 'busy'; readonly photo: Photo; readonly sent: number }
  | { readonly is: 'failed'; readonly photo: Photo; readonly failure: Failure }
  | { readonly is: 'done'; readonly photo: Photo; readonly answered: Answered; readonly pricing: boolean };

export interface Identification {
  readonly stage: Stage;
  readonly start: (photo: Photo, pricing: boolean) => void;
  readonly again: () => void;
  readonly clear: () => void;
}

/** Identifies one photo at a time: a new one takes the place of the one before, wherever that stands. */
export function useIdentification(imageBytesMax: number): Identification {
  const { key, note } = useSession();
  const [stage, setStage] = useState<Stage>({ is: 'empty' });
  const running = useRef<AbortController | null>(null);
  const latest = useRef<{ photo: Photo; pricing: boolean } | null>(null);

  const start = useCallback(
    async (photo: Photo, pricing: boolean) => {
      if (key === null) return;
      running.current?.abort();
      if (latest.current?.photo !== photo) letGo(latest.current?.photo ?? null);
      latest.current = { photo, pricing };
      const taking = new AbortController();
      running.current = taking;
      const show = (next: Stage) => {
        if (!taking.signal.aborted) setStage(next);
      };
      show({ is: 'busy', photo, sent: 0 });
      try {
        refuseTooLarge(photo, imageBytesMax);
        const answered = await sendCall(identify(await wireForm(photo), pricing), {
          key,
          signal: taking.signal,
          onSent: (sent) => show({ is: 'busy', photo, sent }),
        });
        rememberNames(answered.answer);
        note(answered);
        show({ is: 'done', photo, answered, pricing });
      } catch (reason) {
        if (taking.signal.aborted) return;
        const failure = reason instanceof Failure ? reason : new Failure(422, 'The file can’t be read here.');
        note(failure);
        show({ is: 'failed', photo, failure });
      }
    },
    [key, imageBytesMax],
  );
  const again = useCallback(() => {
    if (latest.current) void start(latest.current.photo, latest.current.pricing);
  }, [start]);
  const clear = useCallback(() => {
    running.current?.abort();
    letGo(latest.current?.photo ?? null);
    latest.current = null;
    setStage({ is: 'empty' });
  }, []);
  useEffect(() => () => running.current?.abort(), []);
  return { stage, start: (photo, pricing) => void start(photo, pricing), again, clear };
}

/** Said before an upload of minutes instead of after it. */
function refuseTooLarge(photo: Photo, bytesMax: number): void {
  if (photo.kind !== 'file' || !(photo.file.size > bytesMax)) return;
  const message = `It has ${readableBytes(photo.file.size)}; at most ${readableBytes(bytesMax)} can be sent.`;
  throw new Failure(422, message, { reason: 'image_too_large' });
}
