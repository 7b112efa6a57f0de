import type { PartialAnchorHTMLAttributes } from 'preact';
import { useEffect, useState } from 'preact/hooks';

/**
 * Goes to another view: the page's state is its address, so every view can be linked to, and Back goes back. The address
 * never contains a key. `replace` adds no history entry, as between two letters of a search.
 */
export function navigate(search: string, how: 'push' | 'replace' = 'push'): void {
  const address = search === '' ? location.pathname : `?${search}`;
  if (how === 'push') history.pushState(null, '', address);
  else history.replaceState(null, '', address);
  dispatchEvent(new PopStateEvent('popstate'));
}

export function useAddress(): URLSearchParams {
  const [search, setSearch] = useState(location.search);
  useEffect(() => {
    const update = () => setSearch(location.search);
    addEventListener('popstate', update);
    return () => removeEventListener('popstate', update);
  }, []);
  const parameters = new URLSearchParams(search);
  if (viewOf(parameters) === 'catalog') results = parameters.toString();
  return parameters;
}

let results = 'view=catalog';

export const lastResults = (): string => results;

export type View = 'identify' | 'add' | 'catalog' | 'item';

/** The view named by an address; the first one when it names none. */
export function viewOf(parameters: URLSearchParams): View {
  if (parameters.has('item')) return 'item';
  const view = parameters.get('view');
  return view === 'catalog' || view === 'add' ? view : 'identify';
}

/** `to`: the search of the address; empty: the first view. */
type Props = Omit<PartialAnchorHTMLAttributes<HTMLAnchorElement>, 'role'> & Readonly<{ to: string }>;

/** A link within the page: a plain click changes the view, any other opens it as a browser would. */
export function Link({ to, ...rest }: Props) {
  const go = (event: MouseEvent) => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    navigate(to);
  };
  return <a {...rest} href={`?${to}`} onClick={go} />;
}

export const itemLink = (id: string): string => new URLSearchParams({ item: id }).toString();
