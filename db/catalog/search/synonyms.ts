import { PHRASE_WORDS_MAX, type Synonym } from '../../../models/catalog/synonym';
import { type Sql, sql } from '../../core/sql';

/** Records that are looked at for one query. */
const SYNONYMS_MAX = 200;
/** Words in the readings of a query; its words share them. */
const WORDS_MAX = 200;

/** Words that all together stand for a word of a query. */
export type Reading = readonly string[];

/** A subquery for the synonyms of phrases in a query; the work is bounded however many there are. */
export const synonymsOf = (words: readonly string[]): Sql =>
  sql`SELECT json_agg(found) FROM (
      SELECT phrases, readings FROM synonyms WHERE phrases && ${[...phrasesIn(words).keys()]}::text[]
      ORDER BY id LIMIT ${SYNONYMS_MAX}) AS found`;

/**
 * What the words of a query may also be read as (contract 5.9, 5.10), by word; a reading of a phrase is one of each of
 * its words.
 *
 * @param words of the query in their order
 * @param synonyms of phrases in it
 */
export function readingsOf(
  words: readonly string[],
  synonyms: readonly Synonym[],
): ReadonlyMap<string, readonly Reading[]> {
  const phrases = phrasesIn(words);
  const wordsMax = Math.max(PHRASE_WORDS_MAX, Math.floor(WORDS_MAX / Math.max(1, new Set(words).size)));
  const found = new Map<string, Set<string>>();
  for (const synonym of synonyms) {
    for (const phrase of synonym.phrases.filter((each) => phrases.has(each))) {
      const readings = synonym.readings.filter((reading) => reading !== phrase);
      for (const word of phrases.get(phrase) ?? []) {
        found.set(word, new Set([...(found.get(word) ?? []), ...readings]));
      }
    }
  }
  return new Map([...found].map(([word, readings]) => [word, firstOf(readings, wordsMax)]));
}

/** Every run of words that may be a phrase, with its words. */
function phrasesIn(words: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const phrases = new Map<string, readonly string[]>();
  for (let from = 0; from < words.length; from++) {
    for (let to = from + 1; to <= Math.min(words.length, from + PHRASE_WORDS_MAX); to++) {
      const phrase = words.slice(from, to);
      phrases.set(phrase.join(' '), phrase);
    }
  }
  return phrases;
}

function firstOf(readings: Iterable<string>, wordsMax: number): Reading[] {
  const first: Reading[] = [];
  let left = wordsMax;
  for (const reading of readings) {
    const words = reading.split(' ');
    left -= words.length;
    if (left < 0) break;
    first.push(words);
  }
  return first;
}
