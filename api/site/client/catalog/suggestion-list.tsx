import { readable } from '../item/row-words';
import type { Suggestion } from '../service/answers';

interface Props {
  readonly id: string;
  readonly suggestions: readonly Suggestion[];
  /** Position of the one that the keyboard is at; -1 for none. */
  readonly active: number;
  readonly choose: (suggestion: Suggestion) => void;
}

export const optionId = (list: string, at: number): string => `${list}-${at}`;

/** The list below a search box (the listbox of ARIA's combobox): the focus stays in the box. */
export function SuggestionList({ id, suggestions, active, choose }: Props) {
  return (
    <div id={id} role="listbox" tabIndex={-1} aria-label="Suggestions" class="suggestions">
      {suggestions.map((suggestion, at) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the box.
        <div
          key={suggestion.id}
          id={optionId(id, at)}
          role="option"
          tabIndex={-1}
          aria-selected={at === active}
          // Else the box would lose the focus, and the list be gone before the click.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => choose(suggestion)}
        >
          <span class="name">
            {partsOf(suggestion).map(({ text, matched, from }) =>
              matched ? <mark key={from}>{text}</mark> : text,
            )}
          </span>
          <span class="path">{placeOf(suggestion)}</span>
        </div>
      ))}
    </div>
  );
}

/** The name in pieces, those that were typed and those between. */
function partsOf({ name, matched }: Suggestion) {
  const edges = [0, ...matched.flat(), name.length];
  return edges
    .slice(1)
    .map((to, at) => ({ from: edges[at] ?? 0, text: name.slice(edges[at], to), matched: at % 2 === 1 }))
    .filter(({ text }) => text !== '');
}

/** What kind of row it is, and what it belongs to. */
function placeOf({ id, node, attributes }: Suggestion): string {
  const above = attributes.filter(({ field, id: of }) => field !== 'category' && of !== id);
  return node === 'product' ? readable(node) : [readable(node), ...above.map(({ name }) => name)].join(' · ');
}
