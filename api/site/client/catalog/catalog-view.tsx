import { useEffect } from 'preact/hooks';
import { ResultGrid } from '../item/rows';
import { queryCatalog } from '../service/calls';
import { nameOf } from '../service/names';
import { useAnswer } from '../session/hooks';
import { Link, navigate } from '../shell/navigation';
import { Button, FailureNote } from '../shell/parts';
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

/** The catalog: text, facets, tags, order and pages, all of it in the address. */
export function CatalogView({ parameters }: { readonly parameters: URLSearchParams }) {
  const state = readState(parameters);
  const several = hasSeveralWords(state);
  const [all, any] = [queryCatalog(queryOf(state, 'all')), queryCatalog(queryOf(state, 'any'))];
  const { call, answered, failure, busy, again } = useAnswer(all, several ? any : null);
  const answer = answered?.answer;
  const match = call?.body?.['match'] === 'all' ? 'all' : 'any';
  const go = (next: SearchState, how?: 'push' | 'replace') => navigate(writeState(next), how);
  useEffect(() => {
    document.title = state.text === '' ? 'Catalog · Loupe' : `“${state.text}” · Loupe`;
  }, [state.text]);
  const found = answer !== undefined && answer.data.length > 0;
  return (
    <div class="catalog">
      <h1 tabIndex={-1}>Catalog</h1>
      <SearchField
        text={state.text}
        category={state.category}
        search={(text) => go(changed(state, { text }), 'replace')}
      />
      <Facets state={state} match={match} rows={answer?.data ?? []} go={go} />
      <section class="results" aria-labelledby="results" aria-busy={busy}>
        <SearchToolbar state={state} answer={answer} go={go} />
        <ChosenFilters state={state} go={go} />
        {found && several && match === 'any' && (
          <p role="status">Nothing has all of these words. This is what has some of them.</p>
        )}
        {failure && <FailureNote failure={failure} again={again} />}
        {found && <ResultGrid rows={answer.data} busy={busy} />}
        {answer && !found && <NothingFound state={state} total={answer.total_results} go={go} />}
        {answer && <PagesNav state={state} pages={answer.total_pages} />}
        {answer && <RequestPanel call={call ?? all} answer={answer} />}
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
        <Button onClick={() => go(changed(state, {}))}>To the first page</Button>
      </div>
    );
  }
  return (
    <div class="nothing">
      <h2>Nothing matches</h2>
      <p>Fewer filters or other words find more. Nothing was charged.</p>
      {(state.chosen.size > 0 || state.category !== '') && (
        <Button onClick={() => go(changed(state, { chosen: new Map(), category: '' }))}>
          Remove all filters
        </Button>
      )}
    </div>
  );
}

/** The active filters, each with a control to remove it. */
function ChosenFilters({ state, go }: GoProps) {
  const chosen = [...state.chosen].flatMap(([field, ids]) => ids.map((id) => ({ field, id })));
  if (chosen.length === 0) return null;
  return (
    <ul class="chosen" aria-label="Filters in use">
      {chosen.map(({ field, id }) => (
        <li key={`${field} ${id}`}>
          <Button onClick={() => go(toggled(state, field, id))}>
            <span class="hidden">Remove </span>
            {nameOf(id)}
            <span aria-hidden="true" class="cross">
              ×
            </span>
          </Button>
        </li>
      ))}
      {chosen.length > 1 && (
        <li>
          <Button class="link" onClick={() => go(changed(state, { chosen: new Map() }))}>
            Remove all
          </Button>
        </li>
      )}
    </ul>
  );
}

/** The first page, the last, and those around this one. */
function PagesNav({ state, pages }: { readonly state: SearchState; readonly pages: number }) {
  if (pages <= 1) return null;
  const { page } = state;
  const to = (other: number) => writeState({ ...state, page: other });
  const shown = [...new Set([1, page - 1, page, page + 1, pages])]
    .filter((each) => each >= 1 && each <= pages)
    .sort((a, b) => a - b);
  return (
    <nav class="pages" aria-label="Pages">
      {page > 1 && (
        <Link to={to(page - 1)} rel="prev">
          Previous
        </Link>
      )}
      <ol>
        {shown.map((each, at) => (
          <li key={each} class={each - (shown[at - 1] ?? 0) > 1 ? 'gap' : undefined}>
            <Link to={to(each)} aria-label={`Page ${each}`} aria-current={each === page ? 'page' : undefined}>
              {each}
            </Link>
          </li>
        ))}
      </ol>
      {page < pages && (
        <Link to={to(page + 1)} rel="next">
          Next
        </Link>
      )}
    </nav>
  );
}
