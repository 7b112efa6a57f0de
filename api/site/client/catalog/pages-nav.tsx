import { Link } from '../navigation/link';
import { type SearchState, writeState } from './search-state';

interface Props {
  readonly state: SearchState;
  readonly pages: number;
}

/** The first, the last and those around this page. */
export function PagesNav({ state, pages }: Props) {
  if (pages <= 1) return null;
  const to = (page: number) => writeState({ ...state, page });
  return (
    <nav class="pages" aria-label="Pages">
      {state.page > 1 && (
        <Link to={to(state.page - 1)} rel="prev">
          Previous
        </Link>
      )}
      <ol>
        {shownPages(state.page, pages).map((page, at, all) => (
          <li key={page} class={page - (all[at - 1] ?? 0) > 1 ? 'gap' : undefined}>
            <Link
              to={to(page)}
              aria-label={`Page ${page}`}
              aria-current={page === state.page ? 'page' : undefined}
            >
              {page}
            </Link>
          </li>
        ))}
      </ol>
      {state.page < pages && (
        <Link to={to(state.page + 1)} rel="next">
          Next
        </Link>
      )}
    </nav>
  );
}

const shownPages = (page: number, pages: number): number[] =>
  [...new Set([1, page - 1, page, page + 1, pages])]
    .filter((each) => each >= 1 && each <= pages)
    .sort((a, b) => a - b);
