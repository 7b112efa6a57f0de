import type { Category } from '../service/calls';

export interface SearchState {
  readonly text: string;
  /** Empty: all categories. */
  readonly category: string;
  readonly node: string;
  readonly sort: string;
  /** 1-based, as people count. */
  readonly page: number;
  /** Chosen ids by field; `tags` is one of the fields. */
  readonly chosen: ReadonlyMap<string, readonly string[]>;
}

/** Products, then the hierarchy of a category or of all, outermost first (contract 3.2); shared kinds keep their positions if possible. */
export function nodesOf(categories: readonly Category[], category: string): readonly string[] {
  const nodes = ['product', 'category'];
  for (const { id, nodes: own } of categories) {
    if (category !== '' && category !== id) continue;
    let before = nodes.length - 1;
    for (const node of [...own].reverse()) {
      const at = nodes.indexOf(node);
      if (at >= 0) before = at;
      else nodes.splice(before, 0, node);
    }
  }
  return nodes;
}

export const SORTS = [
  ['popularity_desc', 'Most popular first'],
  ['popularity_asc', 'Least popular first'],
  ['name_asc', 'Name, A to Z'],
  ['name_desc', 'Name, Z to A'],
] as const;

/** Divisible by two, three and four columns. */
const PAGE_SIZE = 24;
/** The parameters of an address, with the defaults that it leaves out. */
const DEFAULTS = new Map(
  Object.entries({ q: '', category: '', show: 'product', sort: 'popularity_desc', page: '1' }),
);
const OWN = new Set(['view', 'item', ...DEFAULTS.keys()]);

/** Whether an id has the form that ids of its field have (contract 1.1, 3.3): `utm_source=mail` is no filter. */
const isOf = (field: string, id: string): boolean =>
  field === 'tags' ? id.includes(':') : id.startsWith(`${field}_`) && id.length > field.length + 1;

export function readState(parameters: URLSearchParams): SearchState {
  const fields = [...new Set(parameters.keys())].filter((name) => !OWN.has(name));
  const chosen = fields
    .map((field) => [field, parameters.getAll(field).filter((id) => isOf(field, id))] as const)
    .filter(([, ids]) => ids.length > 0);
  const of = (name: string) => parameters.get(name) ?? DEFAULTS.get(name) ?? '';
  const page = Math.max(1, Math.trunc(Number(of('page'))) || 1);
  const [text, category, node, sort] = [of('q'), of('category'), of('show'), of('sort')];
  return { text, category, node, sort, page, chosen: new Map(chosen) };
}

/** The address of a state; default values are left out. */
export function writeState({ text, category, node, sort, page, chosen }: SearchState): string {
  const values = Object.entries({ q: text, category, show: node, sort, page: String(page) });
  const own = values.filter(([name, value]) => value !== DEFAULTS.get(name));
  const facets = [...chosen].flatMap(([field, ids]) => ids.map((id) => [field, id]));
  return new URLSearchParams([['view', 'catalog'], ...own, ...facets]).toString();
}

/** The state with another choice; whatever changes, the first page is shown again. */
export const changed = (state: SearchState, change: Partial<SearchState>): SearchState => ({
  ...state,
  page: 1,
  ...change,
});

export function toggled(state: SearchState, field: string, id: string): SearchState {
  const before = state.chosen.get(field) ?? [];
  const after = before.includes(id) ? before.filter((each) => each !== id) : [...before, id];
  const chosen = new Map(state.chosen);
  if (after.length > 0) chosen.set(field, after);
  else chosen.delete(field);
  return changed(state, { chosen });
}

/** Whether a row may match only some words of a text. */
export const hasSeveralWords = ({ text }: SearchState): boolean => /[^\s]\s+[^\s]/.test(text);

/** How many words of the text rows need (contract 5.18). */
export type Match = 'any' | 'all';

/** The query body for a state (contract 4.1). */
export function queryOf(state: SearchState, match: Match): Record<string, unknown> {
  const { text, category, node, sort, page, chosen } = state;
  const filters = [...chosen].map(([field, include]) => ({ field, include }));
  return {
    ...(text.trim() === '' ? {} : { query: text.trim() }),
    ...(match === 'all' && hasSeveralWords(state) ? { match } : {}),
    ...(category === '' ? {} : { category_id: category }),
    ...(filters.length > 0 ? { filters } : {}),
    ...(node === 'product' ? {} : { taxonomy_node: node }),
    ...(page === 1 ? {} : { page: page - 1 }),
    page_size: PAGE_SIZE,
    ...(sort === 'popularity_desc' || text.trim() !== '' ? {} : { sort }),
  };
}
