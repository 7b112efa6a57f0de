import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { type Failure, inWords } from '../service/calls';

interface Props {
  readonly src: string | undefined;
  /** Empty where the name stands beside it. */
  readonly alt: string;
  readonly eager?: boolean;
}

/** A square tile with a whole picture in it. */
export function Picture({ src, alt, eager = false }: Props) {
  const [broken, setBroken] = useState<string>();
  return (
    <span class="picture">
      {src === undefined || broken === src ? (
        <span class="none" aria-hidden={alt === ''}>
          No picture
        </span>
      ) : (
        <img
          src={src}
          alt={alt}
          loading={eager ? 'eager' : 'lazy'}
          decoding="async"
          onError={() => setBroken(src)}
        />
      )}
    </span>
  );
}

/** What may be wider than the screen: it scrolls by itself, by pointer and by arrow keys. */
export function Scrollable({
  label,
  children,
}: {
  readonly label: string;
  readonly children: ComponentChildren;
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard (WCAG 2.1.1)
    <section class="scrollable" tabIndex={0} aria-label={label}>
      {children}
    </section>
  );
}

interface FailureNoteProps {
  readonly failure: Failure;
  /** What failed, where that does not go without saying. */
  readonly title?: string;
  /** Makes the same call again; offered where that may help. */
  readonly again?: () => void;
}

/** A failure in words that help, with a way on. */
export function FailureNote({ failure, title, again }: FailureNoteProps) {
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

/** Whether a place of the page has come into view, or nearly; from then on it has. */
export function useSeen() {
  const place = useRef<HTMLDivElement>(null);
  const [seen, setSeen] = useState(false);
  useEffect(() => {
    if (place.current === null) return;
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) setSeen(true);
      },
      { rootMargin: '200px' },
    );
    observer.observe(place.current);
    return () => observer.disconnect();
  }, []);
  return { place, seen };
}
