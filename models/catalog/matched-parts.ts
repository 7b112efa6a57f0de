import { foldText, WORDS } from './fold-text';
import { graphemes, partBeginning } from './index-terms';

/** The start and the end (exclusive) of a part of a name, in UTF-16 code units. */
export type NamePart = readonly [from: number, to: number];

interface QueryWord {
  readonly text: string;
  /** Whether it may be the beginning of a longer word. */
  readonly begun: boolean;
}

/**
 * The parts of a name that are words of a query, the last of which may be the beginning of a word; in scripts without
 * spaces any part of a word. Two neighbouring words of either are also read as one word of the other (contract 5.11).
 * @param words folded, in order
 */
export function matchedParts(name: string, words: readonly string[]): NamePart[] {
  const { folded, places } = foldPlaced(name);
  const single = words.map((text, at) => ({ text, begun: at === words.length - 1 }));
  const asked = [
    ...single,
    ...single.slice(1).map(({ text, begun }, at) => ({ text: words[at] + text, begun })),
  ];
  const own = Array.from(folded.matchAll(WORDS), ({ 0: text, index }) => ({ text, from: index }));
  const found = own.flatMap((word, at): NamePart[] => {
    const next = own[at + 1];
    return [...partIn(word, asked), ...(next ? partOverBoth(word, next, single) : [])];
  });
  return merged(found.map(([from, to]) => [places[from]?.[0] ?? 0, places[to - 1]?.[1] ?? name.length]));
}

interface OwnWord {
  readonly text: string;
  readonly from: number;
}

function partIn({ text, from }: OwnWord, asked: readonly QueryWord[]): NamePart[] {
  const [longest] = asked
    .filter((each) => {
      if (partBeginning(each.text) !== null) return text.includes(each.text);
      return each.begun ? text.startsWith(each.text) : text === each.text;
    })
    .sort((left, right) => right.text.length - left.text.length);
  if (!longest) return [];
  const start = from + text.indexOf(longest.text);
  return [[start, start + longest.text.length]];
}

/** From the beginning of a word into the next one, if both together are a word of the query. */
function partOverBoth(word: OwnWord, next: OwnWord, asked: readonly QueryWord[]): NamePart[] {
  const joined = word.text + next.text;
  return asked
    .filter(
      ({ text, begun }) =>
        text === joined || (begun && text.length > word.text.length && joined.startsWith(text)),
    )
    .map(({ text }) => [word.from, next.from + text.length - word.text.length]);
}

/** The folded text, and where each of its code units comes from: folding changes the number of letters, but never across a space. */
function foldPlaced(text: string): { readonly folded: string; readonly places: readonly NamePart[] } {
  let whole = '';
  const places: NamePart[] = [];
  for (const { 0: run, index } of text.matchAll(/[^ ]+| +/g)) {
    let before = '';
    for (const { segment, index: at } of graphemes.segment(run)) {
      const folded = foldText(run.slice(0, at + segment.length));
      const end = index + at + segment.length;
      for (let unit = sharedLength(before, folded); unit < folded.length; unit++) {
        places[whole.length + unit] = [
          unit < before.length ? (places[whole.length + unit]?.[0] ?? 0) : index + at,
          end,
        ];
      }
      before = folded;
    }
    whole += before;
    places.length = whole.length;
  }
  return { folded: whole, places };
}

function sharedLength(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length += 1;
  return length;
}

/** The parts from left to right, overlapping ones merged. */
function merged(parts: readonly NamePart[]): NamePart[] {
  const apart: NamePart[] = [];
  for (const [from, to] of [...parts].sort((left, right) => left[0] - right[0])) {
    const last = apart.at(-1);
    if (last && from < last[1]) apart[apart.length - 1] = [last[0], Math.max(last[1], to)];
    else apart.push([from, to]);
  }
  return apart;
}
