/** Characters that control a terminal. A text of several lines may contain line breaks. */
const WITHIN_TEXT = /[^\P{Cc}\n\t]|[\p{Bidi_Control}\p{Zl}\p{Zp}]/gu;
export const WITHIN_LINES = /[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/gu;

/** Escapes control characters in a text that quotes callers (contract 14.5); JSON keeps its meaning. */
export const printable = (text: string, unsafe = WITHIN_TEXT): string =>
  text.replace(unsafe, (each) => `\\u${(each.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`);
