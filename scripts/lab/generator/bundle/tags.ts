import type { TagRecord } from './records';

const BOTH = ['handbags', 'watches'];

/** The closed vocabulary of tags, by group and display order. */
export const TAGS: readonly TagRecord[] = [
  { id: 'material:exotic', name: 'Exotic', order: 1, categories: BOTH },
  { id: 'material:precious-metal', name: 'Precious Metal', order: 2, categories: ['watches'] },
  { id: 'material:textile', name: 'Textile', order: 3, categories: ['handbags'] },
  { id: 'edition:limited', name: 'Limited Edition', order: 1, categories: BOTH },
  { id: 'edition:runway', name: 'Runway', order: 2, categories: ['handbags'] },
  { id: 'edition:boutique', name: 'Boutique Only', order: 3, categories: BOTH },
  { id: 'occasion:evening', name: 'Evening', order: 1, categories: ['handbags'] },
  { id: 'occasion:travel', name: 'Travel', order: 2, categories: ['handbags'] },
  { id: 'occasion:everyday', name: 'Everyday', order: 3, categories: ['handbags'] },
  { id: 'function:diver', name: 'Diver', order: 1, categories: ['watches'] },
  { id: 'function:chronograph', name: 'Chronograph', order: 2, categories: ['watches'] },
  { id: 'function:dress', name: 'Dress', order: 3, categories: ['watches'] },
  { id: 'finish:gem-set', name: 'Gem-Set', order: 1, categories: ['watches'] },
];
