import { toLegacyQuery } from '../../api/legacy/schema';
import { Taxonomy } from '../../models/catalog/taxonomy';

const handbags = {
  id: 'handbags',
  name: 'Handbags',
  hierarchy: ['brand', 'model', 'style'],
  nameFields: ['brand'],
};
const known = {
  taxonomy: new Taxonomy([handbags]),
  facetFields: ['brand', 'colour', 'model', 'style'],
  pageSizeMax: 100,
};

test.each(['brand', 'model', 'style', 'family', 'case', 'dial', 'colour'])(
  '%s is a facet, also in a catalog that has no row of it',
  (field) => {
    const { filters } = toLegacyQuery({ [field]: 'a,b', [`exclude_${field}`]: 'c' }, known);
    expect(filters).toEqual([
      { field, include: ['a', 'b'], exclude: [] },
      { field, include: [], exclude: ['c'] },
    ]);
  },
);

test.each(['product', 'keywords', 'size', 'constructor', '__proto__'])(
  '%s is no facet and ignored',
  (name) => {
    expect(toLegacyQuery({ [name]: 'a', [`exclude_${name}`]: 'b' }, known).filters).toEqual([]);
  },
);
