import { foldText } from './fold-text';
import { lettersOf, partBeginning } from './index-terms';
import type { NamePart } from './suggestion';

const WORDS = /[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu;

/**
 * The parts of a name that are words of a query, the last of which may be the beginning of one; of scripts without
 * spaces any part of a word (contract 5.11).
 *
 * @param words folded, in order
 */
export function matchedParts(name: string, words: readonly string[]): NamePart[] {
  return Array.from(name.matchAll(WORDS)).flatMap(({ 0: word, index }) => {
    const part = longestPart(word, words);
    return part ? [[index + part[0], index + part[1]] as const] : [];
  });
}

function longestPart(word: string, words: readonly string[]): NamePart | null {
  const whole = foldText(word);
  const last = words.at(-1);
  const found = words
    .filter((each) => {
      if (partBeginning(each) !== null) return whole.includes(each);
      return each === last ? whole.startsWith(each) : whole === each;
    })
    .sort((left, right) => right.length - left.length);
  return found[0] === undefined ? null : placeOf(found[0], word);
}

/** Where a folded part stands in a word as it is written: letters fold to other lengths. */
function placeOf(part: string, word: string): NamePart | null {
  const starts = [0];
  const foldedStarts = [0];
  for (const letter of lettersOf(word)) {
    starts.push((starts.at(-1) ?? 0) + letter.length);
    foldedStarts.push((foldedStarts.at(-1) ?? 0) + foldText(letter).length);
  }
  const from = foldText(word).indexOf(part);
  const first = foldedStarts.findLastIndex((start) => start <= from);
  const end = foldedStarts.findIndex((start) => start >= from + part.length);
  return first < 0 || end < 0 ? null : [starts[first] ?? 0, starts[end] ?? word.length];
}
