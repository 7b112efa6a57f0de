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
};
const PLAIN_LETTER = new RegExp(`[${Object.keys(PLAIN).join('')}]`, 'gu');

/** Nothing to decompose; most text of most catalogs. */
const ASCII = /^[\0-\x7f]*$/;

const WORDS = /[\p{L}\p{N}]+/gu;
/** The same of folded text that is ASCII, in a fraction of the time. */
const ASCII_WORDS = /[a-z0-9]+/g;

/** Text without case, accents and compatibility forms: `Hermès` and `HERMES` fold to `hermes`. */
export function foldText(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase();
  return text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .replace(PLAIN_LETTER, (letter) => PLAIN[letter] ?? letter);
}

/**
 * The words of a text as search sees them: folded runs of letters and digits; all else separates, apostrophes too
 * (`l'air` is `l` and `air`; who types `lair` is one edit away). Order kept, repetitions kept.
 */
export function wordsOf(text: string): string[] {
  const folded = foldText(text);
  return folded.match(ASCII.test(folded) ? ASCII_WORDS : WORDS) ?? [];
}

/**
 * Key that sorts names by code point into the order of decisions.md 7: space, punctuation and symbols, digits, Latin
 * letters, other scripts; case-insensitive and accent-folding, nothing else normalised.
 */
export function nameSortKey(name: string): string {
  let key = '';
  for (const character of foldText(name)) key += rankOf(character) + character;
  return key;
}

/** Ranks by code unit, so that a character is looked at closely once; those beyond have none of their own. */
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
  if (/\p{L}/u.test(character)) return '4';
  return '1';
}
