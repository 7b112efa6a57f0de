import { useEffect } from 'preact/hooks';
import { ResultGrid } from '../item/rows';
import { queryCatalog, type Row } from '../service/calls';
import { nameOf } from '../service/names';
import { useAnswer } from '../session/use-answer';
import { Link, navigate } from '../shell/navigation';
import { FailureNote } from '../shell/parts';
import { RequestPanel } from '../shell/request-panel';
import { Facets } from './facets';
import { SearchField } from './search-field';
import {
  changed,
  hasSeveralWords,
  queryOf,
  readState,
  type SearchState,
  toggled,
  writeState,
} from './search-state';
import { SearchToolbar } from './search-toolbar';

const NO_ROWS: readonly Row[] = [];

/** The catalog: text, facets, tags, order and pages, all of it in the address. */
export function CatalogView({ parameters }: { readonly parameters: URLSearchParams }) {
  const state = readState(parameters);
  const [all, any] = [queryCatalog(queryOf(state, 'all')), queryCatalog(queryOf(state, 'any'))];
  const { call, answered, failure, busy, again } = useAnswer(all, hasSeveralWords(state) ? any : null);
  const answer = answered?.answer;
  const match = call?.body?.['match'] === 'all' ? 'all' : 'any';
  const go = (next: SearchState, how?: 'push' | 'replace') => navigate(writeState(next), how);
  useEffect(() => {
    document.title = state.text === '' ? 'Catalog · Loupe' : `“${state.text}” · Loupe`;
  }, [state.text]);
  return (
    <div class="catalog">
      <h1 tabIndex={-1}>Catalog</h1>
      <SearchField
        text={state.text}
        category={state.category}
        search={(text) => go(changed(state, { text }), 'replace')}
      />
      <Facets state={state} match={match} rows={answer?.data ?? NO_ROWS} go={go} />
      <section class="results" aria-labelledby="results" aria-busy={busy}>
        <SearchToolbar state={state} answer={answer} go={go} />
        <ChosenFilters state={state} go={go} />
        {answer && answer.data.length > 0 && match === 'any' && hasSeveralWords(state) && (
          <p role="status">Nothing has all of these words. This is what has some of them.</p>
        )}
        {failure ? (
          <FailureNote failure={failure} again={again} />
        ) : (
          answer && (
            <>
              {answer.data.length > 0 ? (
                <ResultGrid rows={answer.data} busy={busy} />
              ) : (
                <NothingFound state={state} total={answer.total_results} go={go} />
              )}
              <PagesNav state={state} pages={answer.total_pages} />
              <RequestPanel call={call ?? all} answer={answer} />
            </>
          )
        )}
        {!answer && !failure && <p class="waiting">Searching</p>}
      </section>
    </div>
  );
}

interface GoProps {
  readonly state: SearchState;
  readonly go: (next: SearchState) => void;
}

function NothingFound({ state, total, go }: GoProps & { readonly total: number }) {
  if (total > 0) {
    return (
      <div class="nothing">
        <h2>There are not as many pages</h2>
        <button type="button" onClick={() => go(changed(state, {}))}>
          To the first page
        </button>
      </div>
    );
  }
  return (
    <div class="nothing">
      <h2>Nothing matches</h2>
      <p>Fewer filters or other words find more. Nothing was charged.</p>
      {(state.chosen.size > 0 || state.category !== '') && (
        <button type="button" onClick={() => go(changed(state, { chosen: new Map(), category: '' }))}>
          Remove all filters
        </button>
      )}
    </div>
  );
}

/** What narrows the results, each with the way to remove it. */
function ChosenFilters({ state, go }: GoProps) {
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

/** The first, the last and those around this page. */
function PagesNav({ state, pages }: { readonly state: SearchState; readonly pages: number }) {
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
