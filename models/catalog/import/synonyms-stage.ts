import type { ReadRecords } from './records';
import type { ImportContext, Stage } from './stage';

/** Synonyms (contract 13.14): they name nothing that must be known, and no row follows from them. */
export const synonymsStage = ({ store }: ImportContext): Stage<ReadRecords['synonyms']> => ({
  key: ({ id }) => id,
  inOrder: false,
  prepare: async (batch) => batch,
  check: async (batch) => batch,
  write: (records) => store.write('synonyms', records),
});
