import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { bytesOf, fitting, type Photo, readableBytes, sentForm } from '../photos/photo';
import { type Answered, Failure, type IdentifyOptions, identify, sendCall } from '../service/calls';
import { rememberNames } from '../service/names';
import { useSession } from '../session/session';

/** What is asked: photos of one item, and what for. */
export interface Question extends IdentifyOptions {
  readonly photos: readonly Photo[];
}

/** Where an identification stands. */
export type Stage =
  /** `faulty` is the photo that the last question failed by. */
  | { readonly is: 'empty'; readonly faulty: Photo | null }
  /** `sent` is the part of the photos that was sent so far, 0 to 1. */
  | { readonly is: 'busy'; readonly question: Question; readonly sent: number }
  | {
      readonly is: 'failed';
      readonly question: Question;
      readonly failure: Failure;
      readonly faulty: Photo | null;
    }
  | { readonly is: 'done'; readonly question: Question; readonly answered: Answered };

export interface Identification {
  readonly stage: Stage;
  readonly start: (question: Question) => void;
  readonly again: () => void;
  /** Takes back what is under way, and leaves what was found. */
  readonly leave: () => void;
}

/** Identifies one item at a time: a new one takes the place of the one before, wherever that stands. */
export function useIdentification(imageBytesMax: number): Identification {
  const { key, note } = useSession();
  const [stage, setStage] = useState<Stage>({ is: 'empty', faulty: null });
  const running = useRef<AbortController | null>(null);
  const latest = useRef<Question | null>(null);

  const start = useCallback(
    async (question: Question) => {
      if (key === null) return;
      running.current?.abort();
      latest.current = question;
      const taking = new AbortController();
      running.current = taking;
      const show = (next: Stage) => {
        if (!taking.signal.aborted) setStage(next);
      };
      show({ is: 'busy', question, sent: 0 });
      try {
        const fit = await fitting(question.photos, imageBytesMax);
        refuseTooLarge(fit, imageBytesMax);
        const photos = await Promise.all(fit.map(sentForm));
        const answered = await sendCall(identify(photos, question), {
          key,
          signal: taking.signal,
          onSent: (sent) => show({ is: 'busy', question, sent }),
        });
        rememberNames(answered.answer);
        note(answered);
        show({ is: 'done', question, answered });
      } catch (reason) {
        if (taking.signal.aborted) return;
        const failure = reason instanceof Failure ? reason : new Failure(422, 'The file can’t be read here.');
        note(failure);
        show({ is: 'failed', question, failure, faulty: faultyOf(question, failure) });
      }
    },
    [key, imageBytesMax],
  );
  const again = useCallback(() => {
    if (latest.current) void start(latest.current);
  }, [start]);
  const leave = useCallback(() => {
    running.current?.abort();
    setStage((before) => ({ is: 'empty', faulty: 'faulty' in before ? before.faulty : null }));
  }, []);
  useEffect(() => () => running.current?.abort(), []);
  // What one account was answered is not another's; the photos stay.
  useEffect(leave, [key]);
  return { stage, start: (question) => void start(question), again, leave };
}

/** The photo that can't be used: the one that the service names, or the only one. */
function faultyOf({ photos }: Question, { status, answer }: Failure): Photo | null {
  const only = photos.length === 1 && status === 422 ? 0 : -1;
  return photos[answer.index ?? only] ?? null;
}

/** Said before an upload of minutes instead of after it. The limit is of all photos together. */
function refuseTooLarge(photos: readonly Photo[], bytesMax: number): void {
  const bytes = bytesOf(photos);
  if (!(bytes > bytesMax)) return;
  const what = photos.length === 1 ? 'It has' : 'Together they have';
  const message = `${what} ${readableBytes(bytes)}; at most ${readableBytes(bytesMax)} can be sent.`;
  throw new Failure(413, message, { reason: 'image_too_large' });
}
