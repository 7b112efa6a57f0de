import type { Category } from './item';

/** Entity kinds that contract 3.2 names; categories may bring further hierarchy attributes as data. */
const NAMED_NODES = ['product', 'brand', 'model', 'style', 'family', 'case', 'dial', 'category'] as const;

/** The virtual filter field that matches tags (contract 4.3). */
export const TAGS_FIELD = 'tags';

const CATEGORY_SEPARATOR = ',';

/** How several categories of one entity are kept as one text (contract 1.11); no id holds a comma. */
export const joinCategories = (ids: readonly string[]): string => ids.join(CATEGORY_SEPARATOR);

/** The ids of the categories of an entity or row, from the text of `joinCategories`; the first one is its own. */
export const categoriesOf = (joined: string): readonly string[] => joined.split(CATEGORY_SEPARATOR);

const folded = (text: string): string => text.normalize('NFC').toLowerCase();

/** Which nodes may be requested, and the level of each: hierarchies are data of the categories (contract 3.1). */
export class Taxonomy {
  private readonly bySlug: ReadonlyMap<string, Category>;
  /** All kinds of rows that can be listed: `product`, `category`, the named ones, any hierarchy attribute. */
  readonly nodes: ReadonlySet<string>;

  constructor(readonly categories: readonly Category[]) {
    this.bySlug = new Map(categories.map((category) => [category.id, category]));
    this.nodes = new Set([...NAMED_NODES, ...categories.flatMap((category) => category.hierarchy)]);
  }

  /** The category of this slug or name, without regard to case; undefined when there is none. */
  find(slugOrName: string): Category | undefined {
    const wanted = folded(slugOrName.trim());
    return (
      this.bySlug.get(wanted) ??
      this.categories.find((each) => folded(each.id) === wanted || folded(each.name) === wanted)
    );
  }

  /** The nodes that are attributes of other rows and so facets, even if no category of the catalog has them. */
  facetFields(): string[] {
    return [...this.nodes].filter((node) => node !== 'product' && node !== 'category');
  }

  allowedNodes(category: Category): string[] {
    return ['product', ...category.hierarchy, 'category'];
  }

  /** How many hierarchy attributes are above a row: handbags `brand` 0 … `product` 3; a category row is 0. Null when unknown. */
  levelOf({ kind, category }: { kind: string; category: string }): number | null {
    const { hierarchy = null } = this.bySlug.get(category) ?? {};
    if (hierarchy === null || kind === 'product') return hierarchy?.length ?? null;
    const position = kind === 'category' ? 0 : hierarchy.indexOf(kind);
    return position < 0 ? null : position;
  }

  /** What an answer is about, by its first row; null without one (contract 1.9). */
  resolvedBy(first: { kind: string; category: string } | undefined) {
    return first ? { node: first.kind, level: this.levelOf(first) } : null;
  }
}
