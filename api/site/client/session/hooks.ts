import { useEffect, useRef, useState } from 'preact/hooks';
import { type Call, type Suggestion, suggest } from '../service/calls';
import { Failure } from '../service/failure';
import { rememberNames } from '../service/names';
import { type CachedAnswer, useSession } from './session';

type Loaded<Value> = Readonly<{ value: Value | null; failure: Failure | null; busy: boolean }>;

const NOTHING = { value: null, failure: null, busy: true };

type Load<Value> = (signal: AbortSignal, name: string) => Promise<Value>;

/** Loads a value by its name, keeping the previous value meanwhile. A new name cancels a running load; null loads nothing. */
export function useLoaded<Value>(name: string | null, load: Load<Value> | null) {
  const [state, setState] = useState<Loaded<Value>>(NOTHING);
  const [tries, setTries] = useState(0);
  useEffect(() => {
    if (name === null || load === null) return setState(NOTHING);
    const loading = new AbortController();
    setState((before) => ({ ...before, failure: null, busy: true }));
    load(loading.signal, name).then(
      (value) => setState({ value, failure: null, busy: false }),
      (failure) => failure instanceof Failure && setState({ value: null, failure, busy: false }),
    );
    return () => loading.abort();
  }, [name, tries]);
  return { ...state, again: () => setTries(tries + 1) };
}

/** Going back costs neither time nor credits for this long; links in answers are valid for an hour. */
const CACHE_MS = 10 * 60_000;
const CACHED_MAX = 60;

/** Makes a call when it changes; `again` bypasses the cache. @param otherwise is made if `call` finds no rows */
export function useAnswer(call: Call | null, otherwise: Call | null = null) {
  const { key, answers, send } = useSession();
  const wanted = call && key && JSON.stringify([key, call, otherwise]);
  const ask = async (made: Call, signal: AbortSignal): Promise<CachedAnswer> => ({
    call: made,
    answered: await send(made, { signal }),
    at: Date.now(),
  });
  const load =
    call &&
    (async (signal: AbortSignal, name: string) => {
      const known = answers.get(name);
      if (known && Date.now() - known.at < CACHE_MS) return known;
      let made = await ask(call, signal);
      if (otherwise && made.answered.answer.total_results === 0) made = await ask(otherwise, signal);
      answers.delete(name);
      answers.set(name, made);
      for (const oldest of [...answers.keys()].slice(0, -CACHED_MAX)) answers.delete(oldest);
      rememberNames(made.answered.answer);
      return made;
    });
  const { value, again, ...state } = useLoaded(wanted, load);
  const renew = () => {
    if (wanted) answers.delete(wanted);
    again();
  };
  return { ...state, call: value?.call ?? null, answered: value?.answered ?? null, again: renew };
}

const NONE: readonly Suggestion[] = [];

/** Suggestions that complete a text; none for a blank one, or if the service fails. */
export function useSuggestions(text: string, category: string): readonly Suggestion[] {
  const { key, send } = useSession();
  const name = text.trim() === '' ? null : key && JSON.stringify([key, text, category]);
  const { value } = useLoaded(name, (signal) => send(suggest(text, category), { signal }));
  return value?.answer.data ?? NONE;
}

/** Work started by the user. A new run replaces the previous one; leaving the view cancels it. */
export function useTask() {
  const [state, setState] = useState<Omit<Loaded<never>, 'value'>>({ busy: false, failure: null });
  const running = useRef<AbortController | null>(null);
  const cancel = () => running.current?.abort();
  useEffect(() => cancel, []);
  const run = async (work: (signal: AbortSignal) => Promise<void>): Promise<void> => {
    cancel();
    const own = new AbortController();
    const { signal } = own;
    running.current = own;
    setState({ busy: true, failure: null });
    try {
      await work(signal);
      if (!signal.aborted) setState({ busy: false, failure: null });
    } catch (reason) {
      if (signal.aborted) return;
      setState({ busy: false, failure: reason instanceof Failure ? reason : null });
      if (!(reason instanceof Failure)) throw reason;
    }
  };
  return { ...state, run, cancel };
}

export function useDebounced<Value>(value: Value, ms = 250): Value {
  const [later, setLater] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setLater(value), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return later;
}
