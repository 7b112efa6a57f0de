import { useEffect, useRef, useState } from 'preact/hooks';
import { type Answered, type Call, type Suggestion, suggest } from '../service/calls';
import { Failure } from '../service/failure';
import { rememberNames } from '../service/names';
import { useSession } from './session';

/** The state of a call. While the next one is under way, the previous answer stays. */
interface Asked {
  /** The call that was answered: the alternative one if the first found nothing. */
  readonly call: Call | null;
  readonly answered: Answered | null;
  readonly failure: Failure | null;
  readonly busy: boolean;
}

/** Answers of the last minutes: going back costs neither time nor credits. Links in them are valid for an hour. */
const REMEMBERED_MS = 10 * 60_000;
const REMEMBERED_MAX = 60;

/**
 * Makes a call when it changes, and cancels the one before; null makes no call. `again` bypasses the cache.
 *
 * @param otherwise is made if the call finds no rows
 */
export function useAnswer(call: Call | null, otherwise: Call | null = null) {
  const { key, answers, send } = useSession();
  const [state, setState] = useState<Asked>({ call: null, answered: null, failure: null, busy: true });
  const [tries, setTries] = useState(0);
  const name = JSON.stringify([call, otherwise]);
  useEffect(() => {
    if (call === null || key === null) return;
    const known = answers.get(name);
    if (known && Date.now() - known.at < REMEMBERED_MS) {
      setState({ call: known.call, answered: known.answered, failure: null, busy: false });
      return;
    }
    const asking = new AbortController();
    const { signal } = asking;
    setState((before) => ({ ...before, failure: null, busy: true }));
    const ask = async () => {
      const answered = await send(call, { signal });
      if (otherwise === null || answered.answer.total_results > 0) return { call, answered };
      return { call: otherwise, answered: await send(otherwise, { signal }) };
    };
    ask().then(
      (made) => {
        answers.delete(name);
        answers.set(name, { ...made, at: Date.now() });
        for (const oldest of [...answers.keys()].slice(0, -REMEMBERED_MAX)) answers.delete(oldest);
        rememberNames(made.answered.answer);
        setState({ ...made, failure: null, busy: false });
      },
      (failure: unknown) => {
        if (failure instanceof Failure) setState({ call: null, answered: null, failure, busy: false });
      },
    );
    return () => asking.abort();
    // The name represents the calls.
  }, [name, key, tries]);
  const again = () => {
    answers.delete(name);
    setTries(tries + 1);
  };
  return { ...state, again };
}

interface Task {
  readonly busy: boolean;
  readonly failure: Failure | null;
}

/** Work started by the user. A new run replaces the one before; leaving the view cancels it. */
export function useTask() {
  const [state, setState] = useState<Task>({ busy: false, failure: null });
  const running = useRef<AbortController | null>(null);
  useEffect(() => () => running.current?.abort(), []);
  const run = async (work: (signal: AbortSignal) => Promise<void>): Promise<void> => {
    running.current?.abort();
    const own = new AbortController();
    running.current = own;
    setState({ busy: true, failure: null });
    try {
      await work(own.signal);
      if (!own.signal.aborted) setState({ busy: false, failure: null });
    } catch (reason) {
      if (own.signal.aborted) return;
      setState({ busy: false, failure: reason instanceof Failure ? reason : null });
      if (!(reason instanceof Failure)) throw reason;
    }
  };
  return { ...state, run };
}

const NONE: readonly Suggestion[] = [];

/** Suggestions that complete a text; none for a blank one, and none if the service has no answer: the box works without. */
export function useSuggestions(text: string, category: string): readonly Suggestion[] {
  const { key, send } = useSession();
  const [suggestions, setSuggestions] = useState(NONE);
  useEffect(() => {
    if (text.trim() === '' || key === null) {
      setSuggestions(NONE);
      return;
    }
    const asking = new AbortController();
    send(suggest(text, category), { signal: asking.signal }).then(
      ({ answer }) => setSuggestions(answer.data),
      (reason) => reason instanceof Failure && setSuggestions(NONE),
    );
    return () => asking.abort();
  }, [text, category, key]);
  return suggestions;
}

/** A value once it has not changed for a while: the end of a word, not each of its letters. */
export function useLater<Value>(value: Value, ms = 250): Value {
  const [later, setLater] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setLater(value), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return later;
}
