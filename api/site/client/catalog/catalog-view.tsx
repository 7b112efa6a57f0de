import { useEffect, useRef } from 'preact/hooks';
import { ResultGrid } from '../item/rows';
import { type CatalogAnswer, queryCatalog } from '../service/calls';
import { nameOf, readable } from '../service/names';
import { useAnswer } from '../session/hooks';
import { useSession } from '../session/session';
import { Link, navigate } from '../shell/navigation';
import { Button, FailureNote, Select, Status, takeFocus } from '../shell/parts';
import { RequestPanel } from '../shell/request-panel';
import { Facets } from './facets';
import { SearchField } from './search-field';
import * as searches from './search-state';

/** The catalog: text, facets, tags, order and pages, all of it in the address. */
export function CatalogView({ parameters }: { readonly parameters: URLSearchParams }) {
  const state = searches.readState(parameters);
  const several = searches.hasSeveralWords(state);
  const all = queryCatalog(searches.queryOf(state, 'all'));
  const any = queryCatalog(searches.queryOf(state, 'any'));
  const { call, answered, failure, busy, again } = useAnswer(all, several ? any : null);
  const answer = answered?.answer;
  const match = call?.body?.['match'] === 'all' ? 'all' : 'any';
  const go = (next: searches.SearchState, how?: 'push' | 'replace') =>
    navigate(searches.writeState(next), how);
  useEffect(() => {
    document.title = state.text === '' ? 'Catalog · Loupe' : `“${state.text}” · Loupe`;
  }, [state.text]);
  const found = answer !== undefined && answer.data.length > 0;
  return (
    <div class="catalog">
      <h1>Catalog</h1>
      <SearchField
        text={state.text}
        category={state.category}
        search={(text) => go(searches.changed(state, { text }), 'replace')}
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

type GoProps = Readonly<{ state: searches.SearchState; go: (next: searches.SearchState) => void }>;

function NothingFound({ state, total, go }: GoProps & { readonly total: number }) {
  const [name, change] = total > 0 ? ['To the first page', {}] : ['Remove all filters', UNFILTERED];
  return (
    <div class="nothing">
      <h2>{total > 0 ? 'There are not as many pages' : 'Nothing matches'}</h2>
      {total === 0 && <p>Fewer filters or other words find more. Nothing was charged.</p>}
      {(total > 0 || state.chosen.size > 0 || state.category !== '') && (
        <Button onClick={() => go(searches.changed(state, change))}>{name}</Button>
      )}
    </div>
  );
}

const UNFILTERED = { chosen: new Map(), category: '' };

function ChosenFilters({ state, go }: GoProps) {
  const chosen = [...state.chosen].flatMap(([field, ids]) => ids.map((id) => ({ field, id })));
  if (chosen.length === 0) return null;
  return (
    <ul class="chosen" aria-label="Filters in use">
      {chosen.map(({ field, id }) => (
        <li key={`${field} ${id}`}>
          <Button onClick={() => go(searches.toggled(state, field, id))}>
            <span class="hidden">Remove </span>
            {nameOf(id)}
          </Button>
        </li>
      ))}
      {chosen.length > 1 && (
        <li>
          <Button class="link" onClick={() => go(searches.changed(state, { chosen: new Map() }))}>
            Remove all
          </Button>
        </li>
      )}
    </ul>
  );
}

function PagesNav({ state, pages }: { readonly state: searches.SearchState; readonly pages: number }) {
  if (pages <= 1) return null;
  const { page } = state;
  const to = (other: number) => searches.writeState({ ...state, page: other });
  const shown = [...new Set([1, page - 1, page, page + 1, pages])]
    .filter((each) => each >= 1 && each <= pages)
    .sort((a, b) => a - b);
  return (
    <nav class="pages" aria-label="Pages">
      {page > 1 && <Link to={to(page - 1)}>Previous</Link>}
      <ol>
        {shown.map((each, at) => (
          <li key={each} class={each - (shown[at - 1] ?? 0) > 1 ? 'gap' : undefined}>
            <Link to={to(each)} aria-label={`Page ${each}`} aria-current={each === page ? 'page' : undefined}>
              {each}
            </Link>
          </li>
        ))}
      </ol>
      {page < pages && <Link to={to(page + 1)}>Next</Link>}
    </nav>
  );
}

const plural = (node: string): string =>
  readable(node)
    .replace(/(?<=[^aeiou])y$/, 'ie')
    .replace(/(?<=s|x|z|ch|sh)$/, 'e')
    .concat('s');

function SearchToolbar({ state, answer, go }: GoProps & { readonly answer: CatalogAnswer | undefined }) {
  const heading = useRef<HTMLHeadingElement>(null);
  const shown = useRef(state.page);
  // The links to other pages are at the bottom; the next page starts at its top.
  useEffect(() => {
    if (shown.current === state.page) return;
    shown.current = state.page;
    takeFocus(heading.current);
    scrollTo({ top: 0 });
  }, [state.page]);
  const total = answer?.total_results ?? 0;
  const words = (total === 1 ? readable : plural)(state.node).toLowerCase();
  const nodes = new Set([...searches.nodesOf(useSession().categories, state.category), state.node]);
  const pages = answer && answer.total_pages > 1 ? `, page ${answer.page + 1} of ${answer.total_pages}` : '';
  const byRelevance = state.text.trim() !== '';
  return (
    <div class="toolbar">
      <h2 id="results" ref={heading}>
        {answer ? `${total.toLocaleString('en')} ${words}${pages}` : 'Results'}
      </h2>
      <Status>{answer ? `${total} ${words} found` : ''}</Status>
      <p class="choices">
        <Select
          label="Show"
          value={state.node}
          options={[...nodes].map((node) => [node, plural(node)])}
          choose={(node) => go(searches.changed(state, { node }))}
        />
        <Select
          label="Sort"
          value={byRelevance ? 'relevance' : state.sort}
          disabled={byRelevance}
          options={byRelevance ? [['relevance', 'Best match first'], ...searches.SORTS] : searches.SORTS}
          choose={(sort) => go(searches.changed(state, { sort }))}
        />
      </p>
    </div>
  );
}
