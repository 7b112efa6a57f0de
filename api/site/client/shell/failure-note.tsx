import { useEffect, useState } from 'preact/hooks';
import { type Failure, inWords } from '../service/failure';

interface Props {
  readonly failure: Failure;
  /** What failed, where that does not go without saying. */
  readonly title?: string;
  /** Makes the same call again; offered where that may help. */
  readonly again?: () => void;
}

/** A failure in words that help, with a way on. */
export function FailureNote({ failure, title, again }: Props) {
  const words = inWords(failure);
  const seconds = useCountdown(failure);
  return (
    <div class="failure">
      <div role="alert">
        <h2>{title ?? words.title}</h2>
        <p>{words.text}</p>
      </div>
      {again && words.again && (
        <button type="button" disabled={seconds > 0} onClick={again}>
          {seconds > 0 ? `Try again in ${seconds} s` : 'Try again'}
        </button>
      )}
      {failure.answer.request_id && <p class="fine">Request {failure.answer.request_id}</p>}
    </div>
  );
}

/** Seconds until the service wants to be asked again; 0 when it may be asked now. */
function useCountdown(failure: Failure): number {
  const [left, setLeft] = useState(failure.retryAfterSeconds ?? 0);
  useEffect(() => {
    const until = Date.now() + (failure.retryAfterSeconds ?? 0) * 1000;
    const look = () => setLeft(Math.max(0, Math.ceil((until - Date.now()) / 1000)));
    look();
    const timer = setInterval(look, 250);
    return () => clearInterval(timer);
  }, [failure]);
  return left;
}
