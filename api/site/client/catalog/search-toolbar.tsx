import { useEffect, useRef } from 'preact/hooks';
import type { CatalogAnswer } from '../service/calls';
import { readable } from '../service/names';
import { useSession } from '../session/session';
import { Select } from '../shell/parts';
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
  // The links to other pages are at the bottom; the next page starts at its top.
  useEffect(() => {
    if (shown.current === state.page) return;
    shown.current = state.page;
    heading.current?.focus({ preventScroll: true });
    scrollTo({ top: 0 });
  }, [state.page]);
  const total = answer?.total_results ?? 0;
  const words = (total === 1 ? readable : plural)(state.node).toLowerCase();
  const nodes = new Set([...nodesOf(useSession().categories, state.category), state.node]);
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
        <Select
          label="Show"
          value={state.node}
          options={[...nodes].map((node) => [node, plural(node)])}
          choose={(node) => go(changed(state, { node }))}
        />
        <Select
          label="Sort"
          value={byRelevance ? 'relevance' : state.sort}
          disabled={byRelevance}
          options={byRelevance ? [['relevance', 'Best match first'], ...SORTS] : SORTS}
          choose={(sort) => go(changed(state, { sort }))}
        />
      </p>
    </div>
  );
}
