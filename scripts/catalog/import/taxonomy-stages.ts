import type { CategoryRecord, TagRecord } from '../../../db/catalog-import/records';
import { categorySchema, tagSchema } from './catalog-records';
import type { ImportContext } from './import-context';
import { parseRecord } from './parse-record';
import type { Stage } from './stage';

/** Categories: their id must be no entity's. */
export function categoriesStage(context: ImportContext): Stage<CategoryRecord> {
  return {
    file: 'categories.jsonl',
    parse: (text) => parseRecord(text, categorySchema),
    key: (category) => category.id,
    inOrder: true,
    write: (records) => context.target.writeCategories(records),
    async check(batch, reject) {
      const entities = await context.target.entities(batch.map(({ record }) => record.id));
      const fit = batch.filter(({ line, record }) => {
        const isEntity = entities.has(record.id);
        if (isEntity) reject(line, 'id', `"${record.id}" is an entity`);
        return !isEntity;
      });
      const stored = await context.pictures.storeAll(fit, reject);
      for (const { record } of stored) context.categories.add(record.id);
      return stored;
    },
  };
}

/** Tags: their categories must be known. */
export function tagsStage(context: ImportContext): Stage<TagRecord> {
  return {
    file: 'tags.jsonl',
    parse: (text) => parseRecord(text, tagSchema),
    key: (tag) => tag.id,
    inOrder: true,
    write: (records) => context.target.writeTags(records),
    async check(batch, reject) {
      return batch.filter(({ line, record }) => {
        const position = record.categories.findIndex((id) => !context.categories.has(id));
        if (position < 0) {
          context.tags.add(record.id);
          return true;
        }
        reject(line, `categories.${position}`, `there is no category "${record.categories[position]}"`);
        return false;
      });
    },
  };
}
