/** What a terminal acts on instead of showing it. A text of several lines may contain line breaks. */
const WITHIN_TEXT = /[^\P{Cc}\n\t]|[\p{Bidi_Control}\p{Zl}\p{Zp}]/gu;
export const WITHIN_LINES = /[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/gu;

/** A text with names from callers in it, of which a terminal shows every character (contract 14.5); JSON stays the same JSON. */
export const printable = (text: string, unsafe = WITHIN_TEXT): string =>
  text.replace(unsafe, (each) => `\\u${(each.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`);
