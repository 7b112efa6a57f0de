import { SURFACES } from '../../../../workers/image/distortion/relief';
import { STRAPS } from '../look/look';
import { DIAL_COLOURS, LEATHER_COLOURS, METALS } from '../vocabulary/colours';
import { surfaceName } from './bag-names';
import { facetId, HANDBAGS, WATCHES } from './identifiers';
import type { CategoryRecord, EntityRecord } from './records';
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
    ...LEATHER_COLOURS.map((colour) => facet(HANDBAGS, 'colour', colour)),
    ...surfaces.map((surface) => facet(HANDBAGS, 'material', surface)),
    ...METALS.map((metal) => facet(HANDBAGS, 'hardware', metal)),
    ...DIAL_COLOURS.map((colour) => facet(WATCHES, 'colour', colour)),
    ...METALS.map((metal) => facet(WATCHES, 'material', metal)),
    ...straps.map((strap) => facet(WATCHES, 'strap', strap)),
  ];
}

function facet(category: string, kind: string, { slug, name }: { slug: string; name: string }): EntityRecord {
  return {
    id: facetId(category, kind, slug),
    kind,
    name,
    category,
    parents: {},
    popularity: 0,
    images: [],
    thumbnails: [],
    keywords: [],
  };
}
