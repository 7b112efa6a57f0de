import { z } from 'zod';
import { wordsOf } from '../../models/catalog/fold-text';
import type { SynonymRecord } from '../../models/catalog/import/records';
import { PHRASE_WORDS_MAX } from '../../models/catalog/synonym';
import { deletionOf } from './catalog-records';
import { id, label } from './record-values';

const PHRASES_MAX = 50;

const phrase = label
  .transform(wordsOf)
  .refine((words) => words.length > 0, 'holds no word')
  .refine((words) => words.length <= PHRASE_WORDS_MAX, `is longer than ${PHRASE_WORDS_MAX} words`)
  .transform((words) => words.join(' '));

const phrases = (min: number) =>
  z
    .array(phrase)
    .min(min, `holds fewer than ${min}`)
    .max(PHRASES_MAX, `holds more than ${PHRASES_MAX}`)
    .transform((all) => [...new Set(all)]);

const synonym = {
  id,
  from: phrases(1).optional(),
  to: phrases(1).optional(),
  words: phrases(2).optional(),
  deleted: z.literal(false).optional(),
};

export const synonymDeletion = deletionOf(synonym);

/** The accepted form of a synonym, one-way or mutual, and its way into the stored one (contract 13.14). */
export const synonymSchema = z
  .strictObject(synonym)
  .transform(({ id, from, to, words }, context): SynonymRecord => {
    if (words && !from && !to) return { id, phrases: words, readings: words };
    if (from && to && !words) return { id, phrases: from, readings: to };
    context.addIssue({ code: 'custom', message: 'has either "from" and "to" or "words"' });
    return z.NEVER;
  });
