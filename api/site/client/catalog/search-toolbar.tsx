import { useEffect, useRef } from 'preact/hooks';
import { readable } from '../item/rows';
import type { CatalogAnswer } from '../service/calls';
import { useSession } from '../session/session';
import { changed, nodesOf, type SearchState, SORTS } from './search-state';

interface Props {
  readonly state: SearchState;
  readonly answer: CatalogAnswer | undefined;
  readonly go: (next: SearchState) => void;
}

/** Kinds of rows in the plural. */
const plural = (node: string): string =>
  readable(node)
    .replace(/(?<=[^aeiou])y$/, 'ie')
    .replace(/(?<=s|x|z|ch|sh)$/, 'e')
    .concat('s');

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
  const words = (total === 1 ? readable : plural)(state.node).toLowerCase();
  const nodes = nodesOf(useSession().categories, state.category);
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
            {[...new Set([...nodes, state.node])].map((node) => (
              <option key={node} value={node}>
                {plural(node)}
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
