import { SURFACES } from '../brush/relief';
import { STRAPS } from '../look/look';
import { DIAL_COLOURS, LEATHER_COLOURS, METALS } from '../vocabulary/colours';
import { surfaceName } from './bag-names';
import { facetId, HANDBAGS, WATCHES } from './identifiers';
import { bareEntity, type CategoryRecord, type EntityRecord } from './records';
import { strapKind } from './watch-names';

/** The two categories and their hierarchies. */
export const CATEGORIES: readonly CategoryRecord[] = [
  {
    id: HANDBAGS,
    name: 'Handbags',
    hierarchy: ['brand', 'model', 'style'],
    name_fields: ['brand', 'model', 'style'],
    popularity: 1_000_000,
    images: [],
    thumbnails: [],
  },
  {
    id: WATCHES,
    name: 'Watches',
    hierarchy: ['brand', 'family', 'model', 'case', 'dial'],
    name_fields: ['brand', 'model', 'case', 'dial'],
    popularity: 900_000,
    images: [],
    thumbnails: [],
  },
];

/** The facet entities: what a product is described by outside its category's hierarchy. */
export function facetEntities(): EntityRecord[] {
  const straps = STRAPS.map((strap) => ({ slug: strap, name: strapKind(strap) }));
  const surfaces = SURFACES.map((surface) => ({ slug: surface, name: surfaceName(surface) }));
  return [
    ...facets(HANDBAGS, 'colour', LEATHER_COLOURS),
    ...facets(HANDBAGS, 'material', surfaces),
    ...facets(HANDBAGS, 'hardware', METALS),
    ...facets(WATCHES, 'colour', DIAL_COLOURS),
    ...facets(WATCHES, 'material', METALS),
    ...facets(WATCHES, 'strap', straps),
  ];
}

const facets = (category: string, kind: string, named: readonly { slug: string; name: string }[]) =>
  named.map(({ slug, name }) => bareEntity(facetId(category, kind, slug), kind, name, category));
