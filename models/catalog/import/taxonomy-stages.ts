import type { CategoryRecord, TagRecord } from './records';
import type { ImportContext, Stage } from './stage';

/** Categories: their id must be no entity's. */
export function categoriesStage({ store, pictures, categories }: ImportContext): Stage<CategoryRecord> {
  return {
    key: (category) => category.id,
    inOrder: true,
    prepare: async (batch) => batch,
    async check(batch, reject) {
      const entities = await store.entities(batch.map(({ record }) => record.id));
      const fit = batch.filter(({ line, record }) => {
        const isEntity = entities.has(record.id);
        if (isEntity) reject(line, 'id', `"${record.id}" is an entity`);
        return !isEntity;
      });
      const stored = await pictures.storeAll(fit, reject);
      for (const { record } of stored) categories.set(record.id, record);
      return stored;
    },
    write: (records) => store.write('categories', records),
  };
}

/** Tags: their categories must be known. */
export function tagsStage({ store, categories, tags }: ImportContext): Stage<TagRecord> {
  return {
    key: (tag) => tag.id,
    inOrder: true,
    prepare: async (batch) => batch,
    async check(batch, reject) {
      return batch.filter(({ line, record }) => {
        const position = record.categories.findIndex((id) => !categories.has(id));
        if (position < 0) {
          tags.add(record.id);
          return true;
        }
        reject(line, `categories.${position}`, `there is no category "${record.categories[position]}"`);
        return false;
      });
    },
    write: (records) => store.write('tags', records),
  };
}
