import type { CategoryRecord, ReadRecords, TagRecord } from './records';
import type { Stage, WriteContext } from './stage';

/** Categories: their id must be no entity's. */
export function categoriesStage({ pictures, taxonomy }: WriteContext): Stage<CategoryRecord> {
  return {
    key: (category) => category.id,
    inOrder: ({ id }) => [id],
    prepare: (batch, reject) => pictures.storeAll(batch, reject),
    async check(batch, reject, transaction) {
      const entities = await transaction.entities(batch.map(({ record }) => record.id));
      return batch.filter(({ line, record }) => {
        const isEntity = entities.has(record.id);
        if (isEntity) reject(line, 'id', `"${record.id}" is an entity`);
        else taxonomy.addCategory(record);
        return !isEntity;
      });
    },
    write: (records, transaction) => transaction.write('categories', records),
  };
}

/** Tags: their categories must be known. */
export function tagsStage({ taxonomy }: WriteContext): Stage<TagRecord> {
  return {
    key: (tag) => tag.id,
    inOrder: ({ id }) => [id],
    prepare: async (batch) => batch,
    async check(batch, reject) {
      return batch.filter(({ line, record }) => {
        const position = record.categories.findIndex((id) => !taxonomy.categories.has(id));
        if (position < 0) {
          taxonomy.addTag(record.id);
          return true;
        }
        reject(line, `categories.${position}`, `there is no category "${record.categories[position]}"`);
        return false;
      });
    },
    write: (records, transaction) => transaction.write('tags', records),
  };
}

/** Synonyms (contract 13.14): they name nothing that must be known, and no row follows from them. */
export const SYNONYMS_STAGE: Stage<ReadRecords['synonyms']> = {
  key: ({ id }) => id,
  inOrder: () => [],
  prepare: async (batch) => batch,
  check: async (batch) => batch,
  write: (records, transaction) => transaction.write('synonyms', records),
};
