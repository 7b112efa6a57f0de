import { useEffect, useRef } from 'preact/hooks';
import { readable } from '../item/rows';
import { type CatalogAnswer } from '../service/calls';
import { fieldsOf } from '../service/names';
import { changed, NODES, type SearchState, SORTS } from './search-state';

interface Props {
  readonly state: SearchState;
  readonly answer: CatalogAnswer | undefined;
  readonly go: (next: SearchState) => void;
}

const PLURALS: Readonly<Record<string, string>> = { family: 'Families', category: 'Categories' };

/** Kinds of rows in the plural. */
const nodeName = (node: string): string => PLURALS[node] ?? `${readable(node)}s`;

/** The kinds of rows that the category has, as far as its products showed them. */
const nodesOf = ({ category, node }: SearchState): readonly string[] => {
  const known = fieldsOf(category);
  if (category === '' || known.length === 0) return NODES;
  return NODES.filter((each) => ['product', 'category', node, ...known].includes(each));
};

/** What was found, what kind of rows is shown, and in which order. */
export function SearchToolbar({ state, answer, go }: Props) {
  const heading = useRef<HTMLHeadingElement>(null);
  const shown = useRef(state.page);
  // Who turns a page by keyboard is at its bottom; the next one starts at its top.
  useEffect(() => {
    if (shown.current === state.page) return;
    shown.current = state.page;
    heading.current?.focus({ preventScroll: true });
    scrollTo({ top: 0 });
  }, [state.page]);
  const total = answer?.total_results ?? 0;
  const noun = nodeName(state.node).toLowerCase();
  const words = total === 1 ? noun.replace(/ies$/, 'y').replace(/s$/, '') : noun;
  const pages = answer && answer.total_pages > 1 ? `, page ${answer.page + 1} of ${answer.total_pages}` : '';
  const byRelevance = state.text.trim() !== '';
  return (
    <div class="toolbar">
      <h2 id="results" ref={heading} tabIndex={-1}>
        {answer ? `${total.toLocaleString('en')} ${words}${pages}` : 'Results'}
      </h2>
      <p class="hidden" role="status">
        {answer ? `${total} ${words} found` : ''}
      </p>
      <p class="choices">
        <label>
          <span>Show</span>
          <select
            value={state.node}
            onChange={({ currentTarget }) => go(changed(state, { node: currentTarget.value }))}
          >
            {nodesOf(state).map((node) => (
              <option key={node} value={node}>
                {nodeName(node)}
              </option>
            ))}
          </select>
        </label>
        <label>
          <span>Sort</span>
          <select
            value={byRelevance ? 'relevance' : state.sort}
            disabled={byRelevance}
            onChange={({ currentTarget }) => go(changed(state, { sort: currentTarget.value }))}
          >
            {byRelevance && <option value="relevance">Best match first</option>}
            {SORTS.map(([sort, name]) => (
              <option key={sort} value={sort}>
                {name}
              </option>
            ))}
          </select>
        </label>
      </p>
    </div>
  );
}
