import { useEffect, useRef, useState } from 'preact/hooks';
import type { Suggestion } from '../service/calls';
import { readable } from '../service/names';
import { useDebounced, useSuggestions } from '../session/hooks';
import { itemLink, navigate } from '../shell/navigation';
import { LineForm } from '../shell/parts';

/** `category`: its slug; empty: all. */
type Props = Readonly<{ text: string; category: string; search: (text: string) => void }>;

const LIST = 'suggestions';
/** Letters typed in quick succession make one request; shorter than the pause at the end of a word. */
const SUGGEST_MS = 100;

/** Suggests rows while the user types, which is free; searches, which costs, when Enter or the button is pressed. */
export function SearchField({ text, category, search }: Props) {
  const [typed, setTyped] = useState(text);
  const searched = useRef(text);
  // The address may change without a search here: by Back, or by a link. Text typed meanwhile stays.
  useEffect(() => {
    if (text !== searched.current) setTyped(text);
    searched.current = text;
  }, [text]);
  const [open, setOpen] = useState(false);
  const [active, setActive] = useState(-1);
  const suggestions = useSuggestions(useDebounced(open ? typed : '', SUGGEST_MS), category);
  useEffect(() => setActive(-1), [suggestions]);
  const shown = open && suggestions.length > 0;
  const turn = (opened: boolean) => {
    setOpen(opened);
    setActive(-1);
  };
  const choose = ({ id }: Suggestion) => {
    turn(false);
    navigate(itemLink(id));
  };
  const move = (step: number) => {
    setOpen(true);
    // One more position than there are suggestions: that of the box itself.
    const places = suggestions.length + 1;
    setActive((at) => ((at + 1 + step + places) % places) - 1);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    // The keys then belong to an input method.
    if (event.isComposing) return;
    const chosen = shown ? suggestions[active] : undefined;
    if (event.key === 'ArrowDown') move(1);
    else if (event.key === 'ArrowUp') move(-1);
    else if (event.key === 'Escape' && shown) turn(false);
    else if (event.key === 'Enter' && chosen) choose(chosen);
    else return;
    event.preventDefault();
  };
  return (
    <search>
      <LineForm
        label="Search the catalog"
        terse
        type="search"
        role="combobox"
        aria-autocomplete="list"
        aria-expanded={shown}
        aria-controls={shown ? LIST : undefined}
        aria-activedescendant={shown && active >= 0 ? optionId(active) : undefined}
        maxLength={512}
        placeholder="Brand, model, colour, size …"
        value={typed}
        change={(next) => {
          setTyped(next);
          turn(true);
        }}
        onKeyDown={onKeyDown}
        onBlur={() => turn(false)}
        action="Search"
        primary
        submit={() => {
          turn(false);
          searched.current = typed;
          if (typed !== text) search(typed);
        }}
      >
        {shown && <SuggestionList suggestions={suggestions} active={active} choose={choose} />}
      </LineForm>
    </search>
  );
}

interface ListProps {
  readonly suggestions: readonly Suggestion[];
  /** Position of the one selected by keyboard; -1 for none. */
  readonly active: number;
  readonly choose: (suggestion: Suggestion) => void;
}

const optionId = (at: number): string => `${LIST}-${at}`;

/** The list below a search box (the listbox of ARIA's combobox): the focus stays in the box. */
const SuggestionList = ({ suggestions, active, choose }: ListProps) => (
  <div id={LIST} role="listbox" tabIndex={-1} aria-label="Suggestions" class="suggestions">
    {suggestions.map((suggestion, at) => (
      // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the box.
      <div
        key={suggestion.id}
        id={optionId(at)}
        role="option"
        tabIndex={-1}
        aria-selected={at === active}
        // Otherwise the box would lose the focus, and the list would be gone before the click.
        onMouseDown={(event) => event.preventDefault()}
        onClick={() => choose(suggestion)}
      >
        <span class="name">{marked(suggestion)}</span>
        <span class="path">{placeOf(suggestion)}</span>
      </div>
    ))}
  </div>
);

function marked({ name, matched }: Suggestion) {
  const edges = [0, ...matched.flat(), name.length];
  return edges.slice(1).map((to, at) => {
    const text = name.slice(edges[at], to);
    return at % 2 === 1 ? <mark key={to}>{text}</mark> : text;
  });
}

function placeOf({ id, node, attributes }: Suggestion): string {
  const above = attributes.filter(({ field, id: of }) => field !== 'category' && of !== id);
  return node === 'product' ? readable(node) : [readable(node), ...above.map(({ name }) => name)].join(' · ');
}
