import { lettersOf } from '../../../models/catalog/index-terms';

/** Letters at the beginning of a word that deletions are made of. */
const BEGINNING = 7;
/** Shorter words are no corrections of any word, and words shorter than the next have one deletion at most. */
const CORRECTION_MIN = 3;
const TWO_DELETIONS_MIN = 6;

/**
 * The deletion neighbourhood by which a word of the vocabulary is found: the word less some letters. Two words within n
 * edits of each other (insert, drop, replace, swap neighbours) share a text that lacks at most n letters of each; the
 * first seven letters suffice for that. So a look-up by deletions misses nothing, and what it finds too much is measured
 * afterwards. Words of six letters and more may be meant by one of eight, which may be two edits away; words of three to
 * five by one of four to seven.
 */
export function indexedDeletions(word: string): string[] {
  const { length } = lettersOf(word);
  return length < CORRECTION_MIN ? [] : deletionNeighbourhood(word, length < TWO_DELETIONS_MIN ? 1 : 2);
}

/** What is left of a word less at most so many letters, each text once, those with fewer deletions first. */
export function deletionNeighbourhood(word: string, deletionsMax: number): string[] {
  let lefts = [lettersOf(word).slice(0, BEGINNING)];
  const found = new Set(lefts.map((letters) => letters.join('')));
  for (let deletions = 1; deletions <= deletionsMax; deletions++) {
    lefts = lefts.flatMap((letters) => letters.map((_, at) => letters.toSpliced(at, 1)));
    for (const letters of lefts) found.add(letters.join(''));
  }
  return [...found];
}
