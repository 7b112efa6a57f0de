import type { ComponentChildren } from 'preact';
import { navigate } from './address';

interface Props {
  /** The search of the address to go to; empty: the first view. */
  readonly to: string;
  readonly class?: string;
  readonly rel?: string;
  readonly 'aria-current'?: 'page' | 'true' | undefined;
  readonly 'aria-label'?: string;
  readonly children: ComponentChildren;
}

/** A link within the page: a plain click changes the view, any other opens it as a browser would. */
export function Link({ to, children, ...rest }: Props) {
  return (
    <a
      {...rest}
      href={to === '' ? '?' : `?${to}`}
      onClick={(event) => {
        if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
        event.preventDefault();
        navigate(to);
      }}
    >
      {children}
    </a>
  );
}

export const itemLink = (id: string): string => new URLSearchParams({ item: id }).toString();
