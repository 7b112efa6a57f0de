import { REGION_CURRENCIES, REGIONS, type Region } from '../../pricing/estimate';
import dictionary from './columns.json';

const { signs, words } = dictionary.currencies;
const CODE_OF: Readonly<Record<string, string>> = { ...signs, ...words };
const oneOf = (texts: readonly string[]) => texts.map((text) => text.replace(/[$.\\]/g, '\\$&')).join('|');
const wordOf = (texts: readonly string[]) => `(?<!\\p{L})(?:${oneOf(texts)})(?!\\p{L})`;
const CURRENCY = new RegExp(`${oneOf(Object.keys(signs))}|${wordOf(Object.keys(words))}`, 'giu');
const IN_CURRENCY = new RegExp(`(?:(?<!\\p{L})(?:in|en)\\s+)?(?:${CURRENCY.source})`, 'giu');
const SIGNED = Object.entries(signs).flatMap(([sign, code]) => (sign.endsWith('$') ? [] : code));
const TAX_OR_NEGOTIABLE = new RegExp(`\\(?${wordOf(dictionary.words.price)}\\)?`, 'giu');

/** The market of a currency (contract 2.4); null for a currency without a market. */
export const regionOf = (currency: string): Region | null =>
  REGIONS.find((region) => REGION_CURRENCIES[region] === currency) ?? null;

/** The currency that a text names by its sign or, of both, by its ISO 4217 code (`$1,200 CAD`), in lower case. A `$` is of the `usual` one, such as dollars or pesos, unless that has another sign. */
export function currencyIn(text: string, usual: string | null = null): string | null {
  const found = text.match(CURRENCY) ?? [];
  const named = found.find((each) => /^[a-z]{3}$/i.test(each)) ?? found[0];
  if (named === '$' && usual !== null && !SIGNED.includes(usual)) return usual;
  return CODE_OF[named?.toLowerCase() ?? ''] ?? null;
}

export const withoutCurrency = (text: string): string =>
  text.replace(TAX_OR_NEGOTIABLE, ' ').replace(IN_CURRENCY, ' ');

/** With digits and separators as in ASCII instead of Arabic and full-width ones. */
const inAscii = (text: string): string =>
  text
    .normalize('NFKC')
    .replace(/[\u0660-\u066c]/g, (sign) => "0123456789%.'"[sign.charCodeAt(0) - 0x660] ?? '');

const RANGE = /\d[\s.,]*(?:[\p{Pd}−~]|(?<!\p{L})(?:to|bis|à)(?!\p{L}))\s*\d/u;

/** 0, with or without a currency, is how systems write that there is no price. A range (`5 - 7`) has no single one. */
export const isNoAmount = (text: string): boolean =>
  !/[1-9]/.test(inAscii(text)) || RANGE.test(withoutCurrency(inAscii(text)));

/**
 * Reads `1200.00 EUR`, `€1.200,00`, `1 200,-`, `1'200.50`, `₹1,23,456`. A single separator before exactly three digits separates
 * thousands, unless `decimalPoint` says that the table writes fractions with a point. Null if it is not a price.
 */
export function readPrice(text: string, decimalPoint: boolean, usual: string | null = null) {
  // Two amounts must not become one: `950 € 1200 €`.
  const bare = inAscii(text)
    .replace(TAX_OR_NEGOTIABLE, '')
    .replace(CURRENCY, '¤')
    .replace(/^[\s¤]+|[\s¤]+$|(?<!\d)\s+|\s+(?!\d)/g, '')
    .replace(/(?<![\d.,])\d{1,3}(?:[\s'’_]\d{3})+(?!\d)/g, (grouped) => grouped.replace(/\D/g, ''))
    .replace(/¤?[.,/]?(?<!\p{Pd})\p{Pd}+$/u, '');
  const number = pointed(bare, decimalPoint);
  return number === null ? null : { amount: Number(number), currency: currencyIn(text, usual) };
}

/** The number without thousands separators and with a point before its fraction; null if it is not a number. */
function pointed(digits: string, decimalPoint: boolean): string | null {
  if (/^0[.,]\d+$/.test(digits) || (decimalPoint && /^\d+\.\d+$/.test(digits)))
    return digits.replace(',', '.');
  if (/^\d{1,3}([.,])(?:(?:\d{3}\1)*|(?:\d\d\1)*)\d{3}$/.test(digits)) return digits.replace(/[.,]/g, '');
  const [, whole = '', , sign, fraction = ''] =
    /^(\d+(?:([.,])(?:(?:\d{3}\2)*|(?:\d\d\2)*)\d{3})?)(?:([.,])(\d*))?$/.exec(digits) ?? [];
  const parts = whole.split(/[.,]/);
  const isSound = whole !== '' && (parts.length === 1 || (sign !== undefined && !whole.includes(sign)));
  return isSound ? `${parts.join('')}.${fraction}0` : null;
}
