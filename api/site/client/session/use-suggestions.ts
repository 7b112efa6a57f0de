import { useEffect, useState } from 'preact/hooks';
import { type SuggestAnswer, type Suggestion, sendCall, suggest } from '../service/calls';
import { useSession } from './session';

const NONE: readonly Suggestion[] = [];

/** What completes a text; none of a blank one, and none where the service has no answer: a box works without. */
export function useSuggestions(text: string, category: string): readonly Suggestion[] {
  const { key } = useSession();
  const [suggestions, setSuggestions] = useState(NONE);
  useEffect(() => {
    if (text.trim() === '' || key === null) {
      setSuggestions(NONE);
      return;
    }
    const taking = new AbortController();
    sendCall<SuggestAnswer>(suggest(text, category), { key, signal: taking.signal }).then(
      ({ answer }) => setSuggestions(answer.data),
      () => {
        if (!taking.signal.aborted) setSuggestions(NONE);
      },
    );
    return () => taking.abort();
  }, [text, category, key]);
  return suggestions;
}

/** A value once it has stood still for a while: the end of a word, not each of its letters. */
export function useLater<Value>(value: Value, ms = 250): Value {
  const [later, setLater] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setLater(value), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return later;
}
