import { parser } from 'sax';

/** How much of a text is examined. */
const LENGTH_MAX = 20_000;
const { ENTITIES } = parser(false);

/** The text of HTML, a line for each paragraph; other text stays as it is. */
export const plainText = (html: string): string =>
  html
    .slice(0, LENGTH_MAX)
    .replace(/<(script|style)\b[\s\S]*?<\/\1>/gi, '')
    .replace(/<(?:br|\/p|\/div|\/li|\/h\d|\/t[dhr])\b[^<>]*>/gi, '\n')
    .replace(/<\/?[a-z!][^<>]*>/gi, '')
    .replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]+\d*));/gi, (entity, decimal, hex, name) =>
      name === undefined
        ? characterOf(decimal, hex)
        : (ENTITIES[name] ?? ENTITIES[name.toLowerCase()] ?? entity),
    )
    .replace(/[^\S\n]+/g, ' ')
    .replace(/\s*\n\s*/g, '\n')
    .trim();

function characterOf(decimal: string | undefined, hex: string | undefined): string {
  const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal);
  const isCharacter = code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
  return isCharacter ? String.fromCodePoint(code) : '';
}
