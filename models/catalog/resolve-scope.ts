import type { Caller } from '../access/api-key';
import { badRequest } from '../errors';
import type { CatalogRepository } from '../ports';
import type { Filter, SearchScope } from './catalog-query';
import { TAGS_FIELD, type Taxonomy } from './taxonomy';

/** By slug or name. @throws AppError 400 for an unknown category, or one without rows of the node (contract 4.2) */
export function categorySlug(name: string, node: string, taxonomy: Taxonomy): string {
  const category = taxonomy.find(name);
  if (!category) throw badRequest(`There is no category "${name}".`, { field: 'category_id' });
  const allowed = taxonomy.allowedNodes(category);
  if (!allowed.includes(node)) {
    throw badRequest(`The category "${category.id}" has no "${node}" rows.`, {
      field: 'taxonomy_node',
      allowed_taxonomy_nodes: allowed,
    });
  }
  return category.id;
}

/** The restriction on every search of a key: a test key sees the sandbox (contract 9.8). */
export const sandboxScope = ({ test }: Pick<Caller, 'test'>): Pick<SearchScope, 'sandbox'> =>
  test ? { sandbox: true } : {};

/** The products that a caller may find by a category and filters (contract 7.16). @throws AppError 400 for an unknown category or tag */
export async function scopeOf(
  caller: Caller,
  { category, filters }: { readonly category: string | null; readonly filters: readonly Filter[] },
  taxonomy: Taxonomy,
  catalog: Pick<CatalogRepository, 'tags'>,
): Promise<SearchScope> {
  await checkFilters(filters, catalog, caller);
  const slug = category === null ? null : categorySlug(category, 'product', taxonomy);
  return { category: slug, filters, ...sandboxScope(caller) };
}

/** Values of all filters of a call (contract 4.3): each is looked up, which on the embedded database others wait for. */
export const FILTER_VALUES_MAX = 5_000;

/** @throws AppError 400 for too many values, and for a tag that is not in the vocabulary (contract 3.3, 4.3) */
export async function checkFilters(
  filters: readonly Filter[],
  catalog: Pick<CatalogRepository, 'tags'>,
  { taxonomyVersion }: Caller,
): Promise<void> {
  let values = 0;
  for (const { field, include, exclude, names } of filters) {
    values += include.length + exclude.length;
    if (values <= FILTER_VALUES_MAX) continue;
    const message = `All filters together may have at most ${FILTER_VALUES_MAX} values.`;
    const list = exclude.length > include.length ? 'exclude' : 'include';
    throw badRequest(message, { field: names?.[list] ?? field });
  }
  const named = filters
    .filter(({ field }) => field === TAGS_FIELD)
    .flatMap(({ include, exclude, names }) => [
      ...include.map((id) => ({ id, field: names?.include })),
      ...exclude.map((id) => ({ id, field: names?.exclude })),
    ]);
  if (named.length === 0) return;
  const known = new Set((await catalog.tags(taxonomyVersion)).map((tag) => tag.id));
  const unknown = named.find(({ id }) => !known.has(id));
  if (!unknown) return;
  throw badRequest(`There is no tag "${unknown.id}".`, { field: unknown.field ?? TAGS_FIELD });
}
