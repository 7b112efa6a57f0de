import { useEffect, useRef, useState } from 'preact/hooks';
import { navigate } from '../navigation/address';
import { itemLink } from '../navigation/link';
import { useLater } from '../shell/use-later';
import { optionId, SuggestionList } from './suggestion-list';
import { useSuggestions } from './use-suggestions';

interface Props {
  readonly text: string;
  /** Slug of the category that is looked in; empty: all. */
  readonly category: string;
  readonly search: (text: string) => void;
}

const LIST = 'suggestions';
/** Letters typed at a time are one question, sooner than the end of a word. */
const SUGGEST_MS = 100;

/** Suggests rows while one types, which is free; searches, which costs, when Enter or the button is pressed. */
export function SearchField({ text, category, search }: Props) {
  const [typed, setTyped] = useState(text);
  const searched = useRef(text);
  // The address may change without a search here: by Back, or by a link. What is typed meanwhile stays.
  useEffect(() => {
    if (text !== searched.current) setTyped(text);
    searched.current = text;
  }, [text]);
  const [open, setOpen] = useState(false);
  const [active, setActive] = useState(-1);
  const suggestions = useSuggestions(useLater(open ? typed : '', SUGGEST_MS), category);
  // Others stand in its place now.
  useEffect(() => setActive(-1), [suggestions]);
  const shown = open && suggestions.length > 0;
  const close = () => {
    setOpen(false);
    setActive(-1);
  };
  const choose = ({ id }: { readonly id: string }) => {
    close();
    navigate(itemLink(id));
  };
  const move = (step: number) => {
    setOpen(true);
    // One place more than there are suggestions: that of the box itself.
    const places = suggestions.length + 1;
    setActive((at) => ((at + 1 + step + places) % places) - 1);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    // The keys are those of an input method then.
    if (event.isComposing) return;
    const chosen = shown ? suggestions[active] : undefined;
    if (event.key === 'ArrowDown') move(1);
    else if (event.key === 'ArrowUp') move(-1);
    else if (event.key === 'Escape' && shown) close();
    else if (event.key === 'Enter' && chosen) choose(chosen);
    else return;
    event.preventDefault();
  };
  return (
    <search>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          close();
          searched.current = typed;
          if (typed !== text) search(typed);
        }}
      >
        <label for="query" class="hidden">
          Search the catalog
        </label>
        <div class="line">
          <input
            id="query"
            type="search"
            // biome-ignore lint/a11y/noRedundantRoles: without a list of the browser's it is none by itself.
            role="combobox"
            list={undefined}
            aria-autocomplete="list"
            aria-expanded={shown}
            aria-controls={shown ? LIST : undefined}
            aria-activedescendant={shown && active >= 0 ? optionId(LIST, active) : undefined}
            autocomplete="off"
            spellcheck={false}
            maxLength={512}
            placeholder="Brand, model, colour, size …"
            value={typed}
            onInput={({ currentTarget }) => {
              setTyped(currentTarget.value);
              setOpen(true);
              setActive(-1);
            }}
            onKeyDown={onKeyDown}
            onBlur={close}
          />
          <button type="submit" class="primary">
            Search
          </button>
        </div>
        {shown && <SuggestionList id={LIST} suggestions={suggestions} active={active} choose={choose} />}
      </form>
    </search>
  );
}
