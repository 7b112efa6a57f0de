import type { ReadRecords } from './records';
import type { Stage } from './stage';

/** Synonyms (contract 13.14): they name nothing that must be known, and no row follows from them. */
export const SYNONYMS_STAGE: Stage<ReadRecords['synonyms']> = {
  key: ({ id }) => id,
  inOrder: false,
  prepare: async (batch) => batch,
  check: async (batch) => batch,
  write: (records, transaction) => transaction.write('synonyms', records),
};
