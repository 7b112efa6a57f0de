import type { ComponentChildren } from 'preact';

interface Props {
  readonly label: string;
  readonly children: ComponentChildren;
}

/** What may be wider than the screen: it scrolls by itself, by pointer and by arrow keys. */
export function Scrollable({ label, children }: Props) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard (WCAG 2.1.1)
    <section class="scrollable" tabIndex={0} aria-label={label}>
      {children}
    </section>
  );
}
