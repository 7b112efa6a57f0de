import { useState } from 'preact/hooks';
import type { Row } from '../service/answers';
import { fieldsOf } from '../service/names';
import { FacetGroup } from './facet-group';
import { changed, NODES, type SearchState } from './search-state';

interface Props {
  readonly state: SearchState;
  /** Of the answer that is shown: their attributes are the fields that can be filtered by. */
  readonly rows: readonly Row[];
  readonly categories: readonly Row[];
  readonly go: (next: SearchState) => void;
}

/** Everything that the results can be narrowed by. Values of a field are counted when its group is opened. */
export function Facets({ state, rows, categories, go }: Props) {
  const [open, setOpen] = useState(false);
  const fields = fieldsFor(state, rows);
  const hasTags = categories.some(
    ({ id, available_tags: tags }) => (state.category === '' || state.category === id) && tags?.length,
  );
  const count = [...state.chosen.values()].flat().length;
  return (
    <section class={open ? 'facets open' : 'facets'} aria-label="Filters">
      <button type="button" class="toggle" aria-expanded={open} onClick={() => setOpen(!open)}>
        Filters{count > 0 && ` (${count})`}
      </button>
      <div class="groups">
        <fieldset class="categories">
          <legend>Category</legend>
          {[{ id: '', name: 'All' }, ...categories].map(({ id, name }) => (
            <label key={id}>
              <input
                type="radio"
                name="category"
                checked={state.category === id}
                onChange={() => go(changed(state, { category: id, node: 'product', chosen: new Map() }))}
              />
              <span>{name}</span>
            </label>
          ))}
        </fieldset>
        {[...fields, ...(hasTags ? ['tags'] : [])].map((field) => (
          <FacetGroup key={`${state.category} ${field}`} field={field} state={state} go={go} />
        ))}
      </div>
    </section>
  );
}

/** What the shown kind of rows can be narrowed by: nodes in the order of the taxonomy, then the other fields by name. */
function fieldsFor({ category, node, chosen }: SearchState, rows: readonly Row[]): readonly string[] {
  // Rows that are no product are narrowed by what stands above them.
  const above = rows.flatMap(({ attributes = [] }) => attributes.map(({ field }) => field));
  const seen = new Set([...(node === 'product' ? fieldsOf(category) : above), ...chosen.keys()]);
  for (const field of ['category', 'tags', node]) seen.delete(field);
  const nodes: readonly string[] = NODES;
  const others = [...seen].filter((field) => !nodes.includes(field)).sort();
  return [...nodes.filter((each) => seen.has(each)), ...others];
}
