import { useState } from 'preact/hooks';
import { readable } from '../item/row-words';
import type { CatalogAnswer } from '../service/answers';
import { type Call, queryCatalog } from '../service/calls';
import { nameOf } from '../service/names';
import { useAnswer } from '../session/use-answer';
import { useLater } from '../shell/use-later';
import { NODES, type SearchState, toggled } from './search-state';

interface Option {
  readonly id: string;
  readonly name: string;
}

interface Props {
  readonly field: string;
  readonly state: SearchState;
  readonly go: (next: SearchState) => void;
}

/** From as many values on, they can be searched. */
const SEARCHED_FROM = 12;

/** The values of one field, asked for when the group is opened for the first time. */
export function FacetGroup({ field, state, go }: Props) {
  const [open, setOpen] = useState(state.chosen.has(field));
  const [text, setText] = useState('');
  const rested = useLater(text.trim());
  const [partial, setPartial] = useState(false);
  const { answered, failure } = useAnswer(open ? valuesOf(field, state, partial ? rested : '') : null);
  const answer = answered?.answer;
  if (answer && !partial && isNode(field) && answer.total_pages > 1) setPartial(true);
  const all = answer ? optionsOf(field, answer) : [];
  const wanted = text.trim().toLowerCase();
  const options = partial ? all : all.filter(({ name }) => name.toLowerCase().includes(wanted));
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
      {(all.length > SEARCHED_FROM || partial) && (
        <input
          type="search"
          aria-label={`Find in ${name.toLowerCase()}`}
          placeholder="Find"
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
      )}
      {failure && <p role="alert">These can’t be listed now.</p>}
      {answer && answer.total_pages > 1 && (
        <p class="fine">
          {partial ? 'The first hundred; find others by name' : 'Of the hundred most popular products'}
        </p>
      )}
      {answer && <FacetOptions field={field} options={options} state={state} go={go} />}
    </details>
  );
}

/** Values with boxes to tick. What is chosen is always among them, found or not. */
export function FacetOptions({ field, options, state, go }: Props & { readonly options: readonly Option[] }) {
  const chosen = state.chosen.get(field) ?? [];
  const missing = chosen.filter((id) => !options.some((each) => each.id === id));
  const shown = [...missing.map((id) => ({ id, name: nameOf(id) })), ...options];
  if (shown.length === 0) return <p class="fine">None</p>;
  return (
    <ul class="options" aria-label={readable(field)}>
      {shown.map(({ id, name }) => (
        <li key={id}>
          <label>
            <input
              type="checkbox"
              checked={chosen.includes(id)}
              onChange={() => go(toggled(state, field, id))}
            />
            <span>{name}</span>
          </label>
        </li>
      ))}
    </ul>
  );
}

const isNode = (field: string): boolean => (NODES as readonly string[]).includes(field);

/**
 * Where the values of a field come from: rows of its own kind, within what is chosen above it; a field without rows of
 * its own (colour, material) has those of the hundred most popular products.
 */
function valuesOf(field: string, { category, chosen }: SearchState, text: string): Call {
  const scope = category === '' ? {} : { category_id: category };
  if (!isNode(field)) return queryCatalog({ ...scope, page_size: 100 });
  const above = (NODES as readonly string[]).slice(1, (NODES as readonly string[]).indexOf(field));
  const filters = above.flatMap((each) => {
    const include = chosen.get(each);
    return include ? [{ field: each, include }] : [];
  });
  return queryCatalog({
    ...scope,
    taxonomy_node: field,
    ...(filters.length > 0 ? { filters } : {}),
    ...(text === '' ? {} : { query: text }),
    page_size: 100,
    sort: 'name_asc',
  });
}

function optionsOf(field: string, { data }: CatalogAnswer): readonly Option[] {
  if (isNode(field)) return data;
  const seen = new Map<string, Option>();
  for (const { attributes = [] } of data) {
    for (const { field: of, id, name } of attributes) if (of === field) seen.set(id, { id, name });
  }
  return [...seen.values()].sort((a, b) => a.name.localeCompare(b.name));
}
