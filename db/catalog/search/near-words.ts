import { lettersOf } from '../../../models/catalog/index-terms';
import { type Sql, sql } from '../../core/sql';
import { deletionNeighbourhood } from './deletion-neighbourhood';
import { editsBetween } from './edit-distance';

/** Words that so many share a deletion of are too many to look at: the deletion says hardly anything about a word. */
const DELETION_WORDS_MAX = 2_000;
/** Stubs that are looked up for one query. */
const DELETIONS_MAX = 400;
/** Words that are looked at for one deletion, and for one query. */
const CANDIDATES_PER_DELETION = 200;
const CANDIDATES_MAX = 6_000;
/** Words before and after a word that are looked at: those that differ at the end, whatever their deletions. */
const BESIDE_MAX = 20;
/** Words within the allowed edits that are handed out for one query. */
const NEAR_MAX = 1_000;

/** A word of the vocabulary that a word of a query may be a misspelling of. */
export interface NearWord {
  readonly word: string;
  readonly edits: number;
}

/** Edits that a word may be away from what was meant, by its letters (contract 5). */
export function editsAllowed(word: string): number {
  const letters = lettersOf(word).length;
  if (letters < 4) return 0;
  return letters < 8 ? 1 : 2;
}

/**
 * The words of the vocabulary within the edits of each word, nearest first.
 *
 * @param candidates what `nearCandidates` selects
 */
export function nearWords(
  words: readonly string[],
  candidates: readonly NearCandidate[],
): ReadonlyMap<string, readonly NearWord[]> {
  const asked = new Map(words.map((word) => [word, lettersOf(word)]));
  const pairs = new Map(candidates.map((pair) => [`${pair.asked} ${pair.known}`, pair]));
  const near = [...pairs.values()]
    .filter(({ asked: word, known }) => word !== known)
    .map(({ asked: word, known }) => ({
      asked: word,
      word: known,
      edits: editsBetween(asked.get(word) ?? [], lettersOf(known), editsAllowed(word)),
    }));
  const found = new Map<string, NearWord[]>();
  for (const { asked: word, ...each } of near
    .filter(({ edits }) => edits < Number.POSITIVE_INFINITY)
    .sort((left, right) => left.edits - right.edits || (left.word < right.word ? -1 : 1))
    .slice(0, NEAR_MAX)) {
    found.set(word, [...(found.get(word) ?? []), each]);
  }
  return found;
}

/** A word of the vocabulary that may be within the edits of a word. */
export interface NearCandidate {
  readonly asked: string;
  readonly known: string;
}

interface AskedDeletion {
  readonly word: string;
  readonly deletion: string;
}

/** The deletions of all words, of each word in turn, so that a limit leaves out those of every word that lack most. */
function deletionsInTurn(
  asked: readonly { readonly word: string; readonly edits: number }[],
): AskedDeletion[] {
  return asked
    .flatMap(({ word, edits }) =>
      deletionNeighbourhood(word, edits).map((deletion, place) => ({ word, deletion, place })),
    )
    .sort((left, right) => left.place - right.place)
    .slice(0, DELETIONS_MAX);
}

/**
 * A query for the words that may be within the edits of some words: those that share a deletion. The work is bounded whatever
 * the vocabulary holds: where more words are alike than can be looked at, those that share more letters with a word are found.
 */
export function nearCandidates(words: readonly string[]): Sql {
  const asked = deletionsInTurn(
    words.map((word) => ({ word, edits: editsAllowed(word) })).filter(({ edits }) => edits > 0),
  );
  // The statistics of the column tell which deletions are common without reading them: an index reads its lists whole.
  return sql`WITH common AS MATERIALIZED (
          SELECT deletion FROM pg_stats CROSS JOIN LATERAL
            ROWS FROM (unnest(most_common_elems::text::text[]), unnest(most_common_elem_freqs)) AS most (deletion, share)
          WHERE schemaname = current_schema() AND tablename = 'search_words' AND attname = 'deletions'
            AND share * (SELECT reltuples FROM pg_class WHERE oid = 'search_words'::regclass) > ${DELETION_WORDS_MAX}
        )
        (SELECT asked.word AS asked, known.word AS known
        FROM unnest(${asked.map(({ word }) => word)}::text[], ${asked.map(({ deletion }) => deletion)}::text[])
          AS asked (word, deletion)
        CROSS JOIN LATERAL words_with_deletion(asked.deletion, ${CANDIDATES_PER_DELETION}) AS known (word)
        WHERE NOT EXISTS (SELECT FROM common WHERE common.deletion = asked.deletion)
        LIMIT ${CANDIDATES_MAX})
        UNION ALL
        SELECT asked.word, beside.word FROM unnest(${[...new Set(asked.map(({ word }) => word))]}::text[]) AS asked (word)
        CROSS JOIN LATERAL (
          (SELECT word FROM search_words WHERE word < asked.word ORDER BY word DESC LIMIT ${BESIDE_MAX})
          UNION ALL
          (SELECT word FROM search_words WHERE word > asked.word ORDER BY word LIMIT ${BESIDE_MAX})) AS beside`;
}
