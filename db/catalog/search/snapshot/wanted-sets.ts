import type { ResolvedQuery } from '../../../../models/catalog/catalog-query';
import { facetOf } from '../../../../models/catalog/index-terms';
import type { TermExpansion } from '../term-expansion';
import { categoryTerm, RARE_BEGINNING_MAX, rareBeginningTerm } from './chunk-bitmaps';

/**
 * A term whose products are wanted, as a part of a set of that name. Facets and words without a bitmap are looked up in the
 * indexes; of a beginning all frequent words are meant that are longer; other terms always have a bitmap, or no product.
 */
export interface WantedTerm {
  readonly name: string;
  readonly kind: 'facet' | 'word' | 'beginning' | 'other';
  readonly term: string;
}

export const SCOPE = 'scope';
export const includeName = (at: number): string => `include ${at}`;
export const excludeName = (at: number): string => `exclude ${at}`;
export const readingName = (word: string): string => `reading ${word}`;
export const wayName = (way: 'exact' | 'longer' | 'misspelt', { word }: TermExpansion): string =>
  `${way} ${word}`;

/**
 * The sets of products that a query is answered from, by the terms of their members.
 *
 * @returns null where they have to be found without a snapshot: of rare words only the short beginnings have a term
 */
export function wantedSets(
  { node, sandbox, categories, filters }: ResolvedQuery,
  expansions: readonly TermExpansion[] | null,
): WantedTerm[] | null {
  const words = expansions ?? [];
  if (node !== 'product' || sandbox || words.some(hasLongBeginning)) return null;
  const facets = (name: string, field: string, ids: readonly string[]) =>
    Array.from(new Set(ids), (id): WantedTerm => ({ name, kind: 'facet', term: facetOf(field, id) }));
  return [
    ...(categories ?? []).map((id): WantedTerm => ({ name: SCOPE, kind: 'other', term: categoryTerm(id) })),
    ...filters.flatMap(({ field, include, exclude }, at) => [
      ...facets(includeName(at), field, include),
      ...facets(excludeName(at), field, exclude),
    ]),
    ...words.flatMap(expansionTerms),
  ];
}

const hasLongBeginning = ({ anyLonger, beginning }: TermExpansion): boolean =>
  anyLonger && beginning !== null && Array.from(beginning).length > RARE_BEGINNING_MAX;

function expansionTerms(expansion: TermExpansion): WantedTerm[] {
  const { word, synonyms, longer, misspelt, anyLonger, beginning } = expansion;
  const named = (name: string, words: readonly string[]) =>
    words.map((term): WantedTerm => ({ name, kind: 'word', term }));
  const longerName = wayName('longer', expansion);
  return [
    ...named(wayName('exact', expansion), [word]),
    ...named(longerName, longer),
    ...named(wayName('misspelt', expansion), misspelt),
    ...synonyms.flat().flatMap((reading) => named(readingName(reading), [reading])),
    ...(anyLonger && beginning !== null
      ? [
          { name: longerName, kind: 'beginning', term: beginning } as const,
          { name: longerName, kind: 'other', term: rareBeginningTerm(beginning) } as const,
        ]
      : []),
  ];
}
