import { useEffect } from 'preact/hooks';
import { ResultGrid } from '../item/result-grid';
import { navigate } from '../navigation/address';
import { RequestPanel } from '../request/request-panel';
import type { Row } from '../service/answers';
import { listCategories, queryCatalog } from '../service/calls';
import { useAnswer } from '../session/use-answer';
import { FailureNote } from '../shell/failure-note';
import { ChosenFilters } from './chosen-filters';
import { Facets } from './facets';
import { PagesNav } from './pages-nav';
import { SearchField } from './search-field';
import { changed, queryOf, readState, type SearchState, writeState } from './search-state';
import { SearchToolbar } from './search-toolbar';

const NO_ROWS: readonly Row[] = [];

/** The catalog: text, facets, tags, order and pages, all of it in the address. */
export function CatalogView({ parameters }: { readonly parameters: URLSearchParams }) {
  const state = readState(parameters);
  const call = queryCatalog(queryOf(state));
  const { answered, failure, busy, again } = useAnswer(call);
  const categories = useAnswer(listCategories).answered?.answer.data ?? NO_ROWS;
  const answer = answered?.answer;
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
      <Facets state={state} rows={answer?.data ?? NO_ROWS} categories={categories} go={go} />
      <section class="results" aria-labelledby="results" aria-busy={busy}>
        <SearchToolbar state={state} answer={answer} go={go} />
        <ChosenFilters state={state} go={go} />
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
              <RequestPanel call={call} answer={answer} />
            </>
          )
        )}
        {!answer && !failure && <p class="waiting">Searching</p>}
      </section>
    </div>
  );
}

interface NothingProps {
  readonly state: SearchState;
  readonly total: number;
  readonly go: (next: SearchState) => void;
}

function NothingFound({ state, total, go }: NothingProps) {
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
