/** Every character that readers do not see: format characters, and what else Unicode has fonts ignore. */
export const INVISIBLE: readonly string[] = Array.from({ length: 0x11_0000 }, (_, code) => code)
  .filter((code) => code < 0xd800 || code > 0xdfff)
  .map((code) => String.fromCodePoint(code))
  .filter((character) => /[\p{Cf}\p{Default_Ignorable_Code_Point}]/u.test(character))
  // Thousands that are not assigned: the first and the last stand for them.
  .filter((character) => /\P{Cn}/u.test(character) || /[\u{e0000}\u{e0fff}\u2065]/u.test(character));

export const APOSTROPHES = "'`´ʹʻʼʽʾʿˈˊˋʹ΄᾽᾿῾՚׳ߴߵ‘’‚‛′‵Ꞌꞌ＇｀\u1fef\u1ffd";

export const NUMBER_SIGNS = ['N°', 'Nº', '№', 'n°', 'Nᵒ', 'N˚', 'N.º', 'Ｎ°'];

export const codePointsOf = (text: string): string =>
  Array.from(text, (each) => `U+${each.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}`).join(
    ' ',
  );
