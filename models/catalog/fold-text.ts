import { createHash } from 'node:crypto';

/** Letters that Unicode does not decompose but readers treat as their plain form. */
const PLAIN: Readonly<Record<string, string>> = {
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  ħ: 'h',
  ı: 'i',
  ł: 'l',
  ŀ: 'l',
  ŋ: 'n',
  ß: 'ss',
  þ: 'th',
  ŧ: 't',
  ĳ: 'ij',
  ſ: 's',
  ς: 'σ',
  // Compatibility decomposition would split these off, but readers see them as part of the preceding letter.
  '\u0e4d\u0e32': '\u0e33',
  '\u0ecd\u0eb2': '\u0eb3',
};
const PLAIN_LETTER = new RegExp(Object.keys(PLAIN).join('|'), 'gu');

/** Nothing to decompose; most text of most catalogs. */
const ASCII = /^[\0-\x7f]*$/;
/** Format characters and all others invisible to readers, such as soft hyphens and joiners (contract 5.15). */
const INVISIBLE = /[\p{Cf}\p{Default_Ignorable_Code_Point}]+/gu;
/** Look-alike signs: the one that represents all, and code points of the others (contract 5.15). */
const LOOKALIKES: Readonly<Record<string, string>> = {
  "'":
    '\u0060\u00b4\u02b9\u02bb-\u02bf\u02c8\u02ca\u02cb\u0374\u0384\u055a\u05f3\u07f4\u07f5\u1fbd\u1fbf\u1fef\u1ffd\u1ffe' +
    '\u2018-\u201b\u2032\u2035\ua78b\ua78c\uff07\uff40',
  '"': '\u02ba\u02ee',
  '°': '\u00ba\u02da\u1d52',
  'No ': '\u2116',
};
const LOOKALIKE = new RegExp(
  Object.values(LOOKALIKES)
    .map((others) => `([${others}])`)
    .join('|'),
  'gu',
);
const SIGNS = Object.keys(LOOKALIKES);
/** The sign of a number in lower case: it folds to `no`, and ends the word. */
const NUMBER_SIGN = /(?<![\p{L}\p{N}\p{M}])n\.?°/gu;
/** Marks on letters that read the same without them; on other letters a mark is part of the letter (contract 5.5). */
export const ACCENTS = /(?<=[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}])\p{M}+/gu;

export const WORDS = /[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu;
/** The same for folded text that is ASCII, in a fraction of the time. */
const ASCII_WORDS = /[a-z0-9]+/g;

/** Bytes of a word that the database can index. */
const WORD_BYTES_MAX = 1_900;

export const visibleText = (text: string): string => text.replace(INVISIBLE, '');

/**
 * Text without case, compatibility forms, the accents of Latin, Greek and Cyrillic letters and invisible characters, with
 * one sign for all its look-alikes, composed: `Hermès` and `HERMES` fold to `hermes`.
 */
export function foldText(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase().replaceAll('`', "'");
  return (
    visibleText(text)
      .replace(LOOKALIKE, signOf)
      .normalize('NFKD')
      .toLowerCase()
      .normalize('NFKD')
      // Some consist of look-alikes.
      .replace(LOOKALIKE, signOf)
      .replace(ACCENTS, '')
      .replace(PLAIN_LETTER, (letter) => PLAIN[letter] ?? letter)
      .replace(NUMBER_SIGN, 'no ')
      .normalize('NFC')
  );
}

const signOf = (...[, ...groups]: (string | undefined)[]): string =>
  SIGNS[groups.findIndex((group) => group !== undefined)] ?? '';

/**
 * The words of a text as search sees them: folded runs of letters with their marks and digits; all else separates,
 * apostrophes too (`l'air` is `l` and `air`; the query `lair` is one edit away). Keeps order and repetitions.
 */
export function wordsOf(text: string): string[] {
  const folded = foldText(text);
  return (folded.match(ASCII.test(folded) ? ASCII_WORDS : WORDS) ?? []).map(indexable);
}

/** Whether a reader sees nothing of a text. */
export const isBlank = (text: string): boolean => visibleText(text).trim() === '';

/** The words of a search text; null when it is blank (contract 5.1). */
export const queryWords = (text: string | null | undefined): string[] | null =>
  isBlank(text ?? '') ? null : wordsOf(text ?? '');

/** A word too long for an index becomes its beginning plus a digest of the whole, so that it still equals only itself. */
function indexable(word: string): string {
  if (word.length * 3 <= WORD_BYTES_MAX || Buffer.byteLength(word) <= WORD_BYTES_MAX) return word;
  const digest = createHash('sha256').update(word).digest('hex');
  const beginning = Array.from(word).slice(0, WORD_BYTES_MAX / 4 - digest.length);
  return beginning.join('') + digest;
}

/** Key that sorts names by code point: space, punctuation and symbols, digits, Latin letters, other scripts (contract 4.12). */
export function nameSortKey(name: string): string {
  let key = '';
  for (const character of foldText(name)) key += rankOf(character) + character;
  return key;
}

/** Ranks by code unit, so that each character is classified only once; characters beyond have no rank here. */
const ranks: string[] = [];

function rankOf(character: string): string {
  if (character.length > 1) return rankByScript(character);
  const unit = character.charCodeAt(0);
  const known = ranks[unit];
  if (known !== undefined) return known;
  const rank = rankByScript(character);
  ranks[unit] = rank;
  return rank;
}

function rankByScript(character: string): string {
  if (/\s/u.test(character)) return '0';
  if (/\p{N}/u.test(character)) return '2';
  if (/\p{Script=Latin}/u.test(character)) return '3';
  if (/[\p{L}\p{M}]/u.test(character)) return '4';
  return '1';
}
