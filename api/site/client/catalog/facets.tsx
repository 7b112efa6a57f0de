import { useState } from 'preact/hooks';
import { type Call, queryCatalog, type Row } from '../service/calls';
import { fieldsOf, nameOf, readable } from '../service/names';
import { useAnswer } from '../session/hooks';
import { useSession } from '../session/session';
import { Button, Form, Radios, TextInput } from '../shell/parts';
import { changed, type Match, nodesOf, queryOf, type SearchState, toggled } from './search-state';

type Props = Readonly<{ state: SearchState; match: Match; go: (next: SearchState) => void }>;

/**
 * All fields that can narrow the results. Values of a field are counted when its group is opened.
 * @param rows of the shown answer: their attributes are the fields to filter by
 */
export function Facets({ rows, ...props }: Props & { readonly rows: readonly Row[] }) {
  const { state, go } = props;
  const { categories } = useSession();
  const [open, setOpen] = useState(false);
  const fields = fieldsFor(state, nodesOf(categories, state.category), rows);
  const count = [...state.chosen.values()].flat().length;
  return (
    <section class={open ? 'facets open' : 'facets'} aria-label="Filters">
      <Button class="toggle" aria-expanded={open} onClick={() => setOpen(!open)}>
        Filters{count > 0 && ` (${count})`}
      </Button>
      <div class="groups">
        <Radios
          class="categories"
          legend="Category"
          options={[{ id: '', name: 'All' }, ...categories]}
          chosen={state.category}
          choose={(category) => go(changed(state, { category, node: 'product', chosen: new Map() }))}
        />
        {[...fields, 'tags'].map((field) => (
          <FacetGroup key={`${state.category} ${field}`} field={field} {...props} />
        ))}
      </div>
    </section>
  );
}

/** The fields that can narrow the shown kind of rows: nodes in the order of the taxonomy, then the other fields by name. */
function fieldsFor({ category, node, chosen }: SearchState, nodes: readonly string[], rows: readonly Row[]) {
  // Rows that are not products are narrowed by what they belong to.
  const above = rows.flatMap(({ attributes = [] }) => attributes.map(({ field }) => field));
  const seen = new Set([...(node === 'product' ? fieldsOf(category) : above), ...chosen.keys()]);
  for (const field of ['category', 'tags', node]) seen.delete(field);
  const others = [...seen].filter((field) => !nodes.includes(field)).sort();
  return [...nodes.filter((each) => seen.has(each)), ...others];
}

/** How many values of a field are listed, and from how many on they can be searched. */
const VALUES_MAX = 100;
const SEARCHED_FROM = 12;

/** The values of one field, counted when the group is open. Typing narrows the list; Enter, which costs, requests others. */
function FacetGroup({ field, state, match, go }: Props & { readonly field: string }) {
  const chosen = state.chosen.get(field) ?? [];
  const [open, setOpen] = useState(chosen.length > 0);
  const [text, setText] = useState('');
  const [asked, setAsked] = useState('');
  const { answered, failure } = useAnswer(open ? countValues(field, state, match, asked) : null);
  const values = answered?.answer.facets?.[field];
  const narrowed = asked === '' ? text.trim().toLowerCase() : '';
  const found = values?.filter(({ name }) => name.toLowerCase().includes(narrowed)) ?? [];
  // Chosen values are always listed, found or not.
  const missing = chosen.filter((id) => !found.some((each) => each.id === id));
  const shown = [...missing.map((id) => ({ id, name: nameOf(id), count: 0 })), ...found];
  const name = readable(field);
  return (
    <details class="group" open={open} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        {name}
        {chosen.length > 0 && (
          <span class="count">
            {chosen.length}
            <span class="hidden"> chosen</span>
          </span>
        )}
      </summary>
      {((values?.length ?? 0) > SEARCHED_FROM || text !== '') && (
        <Form submit={() => setAsked(text.trim())}>
          <TextInput
            type="search"
            aria-label={`Find in ${name.toLowerCase()}`}
            placeholder="Find"
            maxLength={512}
            value={text}
            change={(typed) => {
              setText(typed);
              if (typed === '') setAsked('');
            }}
          />
        </Form>
      )}
      {failure && <p role="alert">These can’t be listed now.</p>}
      {values?.length === VALUES_MAX && (
        <p class="fine">The hundred most frequent; Enter finds others by name</p>
      )}
      {values && shown.length === 0 && <p class="fine">None</p>}
      {values && shown.length > 0 && (
        <ul class="options" aria-label={name}>
          {shown.map(({ id, name: value, count }) => (
            <li key={id}>
              <label>
                <input
                  type="checkbox"
                  checked={chosen.includes(id)}
                  onChange={() => go(toggled(state, field, id))}
                />
                <span>{value}</span>
                {count > 0 && <span class="rows">{count.toLocaleString('en')}</span>}
              </label>
            </li>
          ))}
        </ul>
      )}
    </details>
  );
}

/** Counts the values of a field: the query without the chosen values of the field, since its values are alternatives. */
function countValues(field: string, state: SearchState, match: Match, text: string): Call {
  const chosen = new Map(state.chosen);
  chosen.delete(field);
  return queryCatalog({
    ...queryOf({ ...state, chosen, page: 1 }, match),
    page_size: 1,
    includes: [],
    facets: [{ field, limit: VALUES_MAX, ...(text === '' ? {} : { query: text }) }],
  });
}
