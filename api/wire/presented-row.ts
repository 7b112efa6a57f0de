import type { Attribute, CatalogItem, Tag, Variant } from '../../models/catalog/item';
import type { PublicAddress } from '../middleware/public-address';

/** Parts of a row that look the same in every API version (contract 1.2). */
export const presentAttribute = (attribute: Attribute) => ({
  field: attribute.field,
  id: attribute.id,
  name: attribute.name,
});

export const presentTag = (tag: Tag) => ({ id: tag.id, name: tag.name, group: tag.group });

export const presentVariantField = (field: Variant['fields'][number]) => ({
  field: field.field,
  name: field.name,
});

/** The pictures of a row or variant, behind the public address where they are ours. */
export const presentPictures = (of: Pick<CatalogItem, 'images' | 'thumbnails'>, address: PublicAddress) => ({
  images: of.images.map(address),
  thumbnails: of.thumbnails.map(address),
});
