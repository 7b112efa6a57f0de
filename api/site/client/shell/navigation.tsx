import type { PartialAnchorHTMLAttributes } from 'preact';
import { useEffect, useState } from 'preact/hooks';

/** The page's state is its address: every view can be linked to, and Back goes back. The address never contains a key. */
const listeners = new Set<() => void>();

/** Goes to another view. `replace` adds no history entry, as between two letters of a search. */
export function navigate(search: string, how: 'push' | 'replace' = 'push'): void {
  const address = search === '' ? location.pathname : `?${search}`;
  if (how === 'push') history.pushState(null, '', address);
  else history.replaceState(null, '', address);
  for (const listener of listeners) listener();
}

/** The parameters of the address, as they change. */
export function useAddress(): URLSearchParams {
  const [search, setSearch] = useState(location.search);
  useEffect(() => {
    const update = () => setSearch(location.search);
    listeners.add(update);
    addEventListener('popstate', update);
    return () => {
      listeners.delete(update);
      removeEventListener('popstate', update);
    };
  }, []);
  const parameters = new URLSearchParams(search);
  if (viewOf(parameters) === 'catalog') results = parameters.toString();
  return parameters;
}

let results = 'view=catalog';

/** The catalog as it was left, for returning from an item. */
export const leftResults = (): string => results;

export type View = 'identify' | 'add' | 'catalog' | 'item';

/** The view named by an address; the first one when it names none. */
export function viewOf(parameters: URLSearchParams): View {
  if (parameters.has('item')) return 'item';
  const view = parameters.get('view');
  return view === 'catalog' || view === 'add' ? view : 'identify';
}

interface Props extends Omit<PartialAnchorHTMLAttributes<HTMLAnchorElement>, 'role'> {
  /** The search of the address to go to; empty: the first view. */
  readonly to: string;
}

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
