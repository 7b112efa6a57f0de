import { useEffect, useRef, useState } from 'preact/hooks';
import { bytesOf, fitting, type Photo, readableBytes, sentForm } from '../photos/photo';
import { type Answered, type IdentifyOptions, identify } from '../service/calls';
import { Failure } from '../service/failure';
import { rememberNames } from '../service/names';
import { useSession } from '../session/session';

/** The request: photos of one item, and what is wanted. */
export interface Question extends IdentifyOptions {
  readonly photos: readonly Photo[];
}

/** The state of an identification. `faulty` is the photo that made the last request fail. */
type Stage = { readonly question: Question; readonly faulty: Photo | null } & (
  | { readonly is: 'failed'; readonly failure: Failure }
  /** `sent` is the fraction of the photos sent so far, 0 to 1. */
  | { readonly is: 'busy'; readonly sent: number }
  | { readonly is: 'done'; readonly answered: Answered }
);

/** Identifies one item at a time: a new one replaces the one before. The stage is null before the first. */
export function useIdentification(imageBytesMax: number) {
  const { key, send } = useSession();
  const [stage, setStage] = useState<Stage | null>(null);
  const [faulty, setFaulty] = useState<Photo | null>(null);
  const running = useRef<AbortController | null>(null);
  const start = async (question: Question) => {
    if (key === null) return;
    running.current?.abort();
    const own = new AbortController();
    running.current = own;
    const { signal } = own;
    const show = (next: Stage) => {
      if (signal.aborted) return;
      setStage(next);
      setFaulty(next.faulty);
    };
    const onSent = (sent: number) => show({ is: 'busy', question, sent, faulty: null });
    onSent(0);
    try {
      const fit = await fitting(question.photos, imageBytesMax);
      refuseTooLarge(fit, imageBytesMax);
      const photos = await Promise.all(fit.map(sentForm));
      const answered = await send(identify(photos, question), { signal, onSent });
      rememberNames(answered.answer);
      show({ is: 'done', question, answered, faulty: null });
    } catch (reason) {
      const failure = reason instanceof Failure ? reason : new Failure(422, 'The file can’t be read here.');
      show({ is: 'failed', question, failure, faulty: faultyOf(question, failure) });
    }
  };
  /** Cancels what is under way, and keeps what was found. */
  const leave = () => {
    running.current?.abort();
    setStage(null);
  };
  // Answers to one account must not be shown to another; the photos stay.
  useEffect(() => leave, [key]);
  return { stage, faulty, start: (question: Question) => void start(question), leave };
}

/** The photo that can't be used: the one named by the service, or the only one. */
function faultyOf({ photos }: Question, { status, answer }: Failure): Photo | null {
  const only = photos.length === 1 && status === 422 ? 0 : -1;
  return photos[answer.index ?? only] ?? null;
}

/** Reported before an upload of minutes instead of after it. The limit is of all photos together. */
function refuseTooLarge(photos: readonly Photo[], bytesMax: number): void {
  const bytes = bytesOf(photos);
  if (!(bytes > bytesMax)) return;
  const what = photos.length === 1 ? 'It has' : 'Together they have';
  const message = `${what} ${readableBytes(bytes)}; at most ${readableBytes(bytesMax)} can be sent.`;
  throw new Failure(413, message, { reason: 'image_too_large' });
}
