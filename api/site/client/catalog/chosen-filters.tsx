import { nameOf } from '../service/names';
import { changed, type SearchState, toggled } from './search-state';

interface Props {
  readonly state: SearchState;
  readonly go: (next: SearchState) => void;
}

/** What narrows the results, each with the way to remove it. */
export function ChosenFilters({ state, go }: Props) {
  const chosen = [...state.chosen].flatMap(([field, ids]) => ids.map((id) => ({ field, id })));
  if (chosen.length === 0) return null;
  return (
    <ul class="chosen" aria-label="Filters in use">
      {chosen.map(({ field, id }) => (
        <li key={`${field} ${id}`}>
          <button type="button" onClick={() => go(toggled(state, field, id))}>
            <span class="hidden">Remove </span>
            {nameOf(id)}
            <span aria-hidden="true" class="cross">
              ×
            </span>
          </button>
        </li>
      ))}
      {chosen.length > 1 && (
        <li>
          <button type="button" class="link" onClick={() => go(changed(state, { chosen: new Map() }))}>
            Remove all
          </button>
        </li>
      )}
    </ul>
  );
}
