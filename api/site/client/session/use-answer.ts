import { useCallback, useEffect, useState } from 'preact/hooks';
import { type Answered, type Call, Failure, sendCall } from '../service/calls';
import { rememberNames } from '../service/names';
import { useSession } from './session';

/** How a call stands. While the next one is under way, the answer of the one before stays. */
export interface Asked {
  /** The call that was answered: the other one where the first found nothing. */
  readonly call: Call | null;
  readonly answered: Answered | null;
  readonly failure: Failure | null;
  readonly busy: boolean;
  /** Asks again, past what is remembered. */
  readonly again: () => void;
}

/** Answers of the last minutes: going back costs neither time nor credits. Links in them hold for an hour. */
const REMEMBERED_MS = 10 * 60_000;
const REMEMBERED_MAX = 60;
const remembered = new Map<
  string,
  { readonly call: Call; readonly answered: Answered; readonly at: number }
>();

/** Forgets every answer, when the key changes: what one account may see, another may not. */
export const forgetAnswers = (): void => remembered.clear();

/**
 * Makes a call when it changes, and takes back the one before; null asks nothing.
 *
 * @param otherwise is made where the call finds no rows
 */
export function useAnswer(call: Call | null, otherwise: Call | null = null): Asked {
  const { key, note } = useSession();
  const [state, setState] = useState<Omit<Asked, 'again'>>({
    call: null,
    answered: null,
    failure: null,
    busy: true,
  });
  const [tries, setTries] = useState(0);
  const name = JSON.stringify([call, otherwise]);
  useEffect(() => {
    if (call === null || key === null) return;
    const known = remembered.get(name);
    if (known && Date.now() - known.at < REMEMBERED_MS) {
      setState({ call: known.call, answered: known.answered, failure: null, busy: false });
      return;
    }
    const taking = new AbortController();
    setState((before) => ({ ...before, failure: null, busy: true }));
    const ask = async () => {
      const answered = await sendCall(call, { key, signal: taking.signal });
      if (otherwise === null || answered.answer.total_results > 0) return { call, answered };
      return { call: otherwise, answered: await sendCall(otherwise, { key, signal: taking.signal }) };
    };
    ask().then(
      ({ call: made, answered }) => {
        rememberAnswer(name, made, answered);
        rememberNames(answered.answer);
        note(answered);
        setState({ call: made, answered, failure: null, busy: false });
      },
      (failure: unknown) => {
        if (!(failure instanceof Failure)) return;
        note(failure);
        setState({ call: null, answered: null, failure, busy: false });
      },
    );
    return () => taking.abort();
    // The name stands for the calls.
  }, [name, key, tries]);
  const again = useCallback(() => {
    remembered.delete(name);
    setTries((before) => before + 1);
  }, [name]);
  return { ...state, again };
}

function rememberAnswer(name: string, call: Call, answered: Answered): void {
  remembered.delete(name);
  remembered.set(name, { call, answered, at: Date.now() });
  for (const oldest of remembered.keys()) {
    if (remembered.size <= REMEMBERED_MAX) break;
    remembered.delete(oldest);
  }
}
