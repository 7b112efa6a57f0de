import { useEffect, useState } from 'preact/hooks';
import type { SuggestAnswer, Suggestion } from '../service/answers';
import { suggest } from '../service/calls';
import { sendCall } from '../service/send-call';
import { useSession } from '../session/session';

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
