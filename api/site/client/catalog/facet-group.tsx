import { useState } from 'preact/hooks';
import { readable } from '../item/row-words';
import type { CatalogAnswer } from '../service/answers';
import { type Call, queryCatalog } from '../service/calls';
import { nameOf } from '../service/names';
import { useAnswer } from '../session/use-answer';
import { queryOf, type SearchState, toggled } from './search-state';

interface Props {
  readonly field: string;
  readonly state: SearchState;
  readonly go: (next: SearchState) => void;
}

/** Values of a field that are listed; from some on, they can be searched. */
const VALUES_MAX = 100;
const SEARCHED_FROM = 12;

/** The values of one field, counted when the group is open. Typing narrows what is listed; Enter, which costs, asks for others. */
export function FacetGroup({ field, state, go }: Props) {
  const [open, setOpen] = useState(state.chosen.has(field));
  const [text, setText] = useState('');
  const [asked, setAsked] = useState('');
  const { answered, failure } = useAnswer(open ? countValues(field, state, asked) : null);
  const values = answered?.answer.facets?.[field];
  const shown = values?.filter(({ name }) => name.toLowerCase().includes(text.trim().toLowerCase()));
  const count = state.chosen.get(field)?.length ?? 0;
  const name = readable(field);
  return (
    <details class="group" open={open} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        {name}
        {count > 0 && (
          <span class="count">
            {count}
            <span class="hidden"> chosen</span>
          </span>
        )}
      </summary>
      {((values?.length ?? 0) > SEARCHED_FROM || text !== '') && (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            setAsked(text.trim());
          }}
        >
          <input
            type="search"
            aria-label={`Find in ${name.toLowerCase()}`}
            placeholder="Find"
            maxLength={512}
            value={text}
            onInput={({ currentTarget }) => {
              setText(currentTarget.value);
              if (currentTarget.value === '') setAsked('');
            }}
          />
        </form>
      )}
      {failure && <p role="alert">These can’t be listed now.</p>}
      {values?.length === VALUES_MAX && (
        <p class="fine">The hundred most frequent; Enter finds others by name</p>
      )}
      {shown && (
        <FacetOptions field={field} values={asked === '' ? shown : (values ?? [])} state={state} go={go} />
      )}
    </details>
  );
}

type Values = NonNullable<CatalogAnswer['facets']>[string];

/** Values with boxes to tick, and how many rows have them. What is chosen is always among them, found or not. */
function FacetOptions({ field, values, state, go }: Props & { readonly values: Values }) {
  const chosen = state.chosen.get(field) ?? [];
  const missing = chosen.filter((id) => !values.some((each) => each.id === id));
  const shown = [...missing.map((id) => ({ id, name: nameOf(id), count: 0 })), ...values];
  if (shown.length === 0) return <p class="fine">None</p>;
  return (
    <ul class="options" aria-label={readable(field)}>
      {shown.map(({ id, name, count }) => (
        <li key={id}>
          <label>
            <input
              type="checkbox"
              checked={chosen.includes(id)}
              onChange={() => go(toggled(state, field, id))}
            />
            <span>{name}</span>
            {count > 0 && <span class="rows">{count.toLocaleString('en')}</span>}
          </label>
        </li>
      ))}
    </ul>
  );
}

/** What is asked for the values of a field: the query without what is chosen of it, since its values are alternatives. */
function countValues(field: string, state: SearchState, text: string): Call {
  const chosen = new Map(state.chosen);
  chosen.delete(field);
  return queryCatalog({
    ...queryOf({ ...state, chosen, page: 1 }),
    page_size: 1,
    includes: [],
    facets: [{ field, limit: VALUES_MAX, ...(text === '' ? {} : { query: text }) }],
  });
}
