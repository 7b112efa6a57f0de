import { useCallback, useEffect, useState } from 'preact/hooks';
import { type Answered, type Call, Failure, sendCall } from '../service/calls';
import { rememberNames } from '../service/names';
import { useSession } from './session';

/** How a call stands. While the next one is under way, the answer of the one before stays. */
export interface Asked {
  readonly answered: Answered | null;
  readonly failure: Failure | null;
  readonly busy: boolean;
  /** Asks again, past what is remembered. */
  readonly again: () => void;
}

/** Answers of the last minutes: going back costs neither time nor credits. Links in them hold for an hour. */
const REMEMBERED_MS = 10 * 60_000;
const REMEMBERED_MAX = 60;
const remembered = new Map<string, { readonly answered: Answered; readonly at: number }>();

/** Forgets every answer, when the key changes: what one account may see, another may not. */
export const forgetAnswers = (): void => remembered.clear();

/** Makes a call when it changes, and takes back the one before; null asks nothing. */
export function useAnswer(call: Call | null): Asked {
  const { key, note } = useSession();
  const [state, setState] = useState<Omit<Asked, 'again'>>({ answered: null, failure: null, busy: true });
  const [tries, setTries] = useState(0);
  const name = JSON.stringify(call);
  useEffect(() => {
    if (call === null || key === null) return;
    const known = remembered.get(name);
    if (known && Date.now() - known.at < REMEMBERED_MS) {
      setState({ answered: known.answered, failure: null, busy: false });
      return;
    }
    const taking = new AbortController();
    setState(({ answered }) => ({ answered, failure: null, busy: true }));
    sendCall(call, { key, signal: taking.signal }).then(
      (answered) => {
        rememberAnswer(name, answered);
        rememberNames(answered.answer);
        note(answered);
        setState({ answered, failure: null, busy: false });
      },
      (failure: unknown) => {
        if (!(failure instanceof Failure)) return;
        note(failure);
        setState({ answered: null, failure, busy: false });
      },
    );
    return () => taking.abort();
    // The name stands for the call.
  }, [name, key, tries]);
  const again = useCallback(() => {
    remembered.delete(name);
    setTries((before) => before + 1);
  }, [name]);
  return { ...state, again };
}

function rememberAnswer(name: string, answered: Answered): void {
  remembered.delete(name);
  remembered.set(name, { answered, at: Date.now() });
  for (const oldest of remembered.keys()) {
    if (remembered.size <= REMEMBERED_MAX) break;
    remembered.delete(oldest);
  }
}
