import { REGION_CURRENCIES, REGIONS, type Region } from '../../pricing/estimate';

/** Signs that stand for only one currency. */
const SIGNS: Readonly<Record<string, string>> = { '€': 'eur', '£': 'gbp', US$: 'usd', $: 'usd' };
const CODES =
  'EUR|USD|GBP|CHF|JPY|SEK|NOK|DKK|PLN|CZK|HUF|CAD|AUD|NZD|HKD|SGD|CNY|KRW|AED|SAR|TRY|BRL|MXN|INR';
const CURRENCY = new RegExp(`US\\$|[€£$]|(?<!\\p{L})(?:${CODES})(?!\\p{L})`, 'giu');

/** The market of a currency (contract 2.4); null for a currency without a market. */
export const regionOf = (currency: string): Region | null =>
  REGIONS.find((region) => REGION_CURRENCIES[region] === currency) ?? null;

/** The currency that a text names by its sign or, of both, by its ISO 4217 code (`$1,200 CAD`), in lower case. */
export function currencyIn(text: string): string | null {
  const found = text.match(CURRENCY) ?? [];
  const named = found.find((each) => /^[a-z]{3}$/i.test(each)) ?? found[0];
  return named === undefined ? null : (SIGNS[named.toUpperCase()] ?? named.toLowerCase());
}

export const withoutCurrency = (text: string): string => text.replace(CURRENCY, ' ');

interface Price {
  readonly amount: number;
  readonly currency: string | null;
}

/**
 * Reads `1200.00 EUR`, `€1.200,00`, `1 200,-`, `1'200.50`. A single separator before exactly three digits separates
 * thousands, unless `decimalPoint` says that the table writes fractions with a point. Null if it is not a price.
 */
export function readPrice(text: string, decimalPoint: boolean): Price | null {
  const bare = withoutCurrency(text)
    .replace(/[\s'’_]+/g, '')
    .replace(/[.,][-–—]+$/, '');
  const number = pointed(bare, decimalPoint);
  return number === null ? null : { amount: Number(number), currency: currencyIn(text) };
}

/** The number without thousands separators and with a point before its fraction; null if it is not a number. */
function pointed(digits: string, decimalPoint: boolean): string | null {
  if (/^0[.,]\d+$/.test(digits) || (decimalPoint && /^\d+\.\d+$/.test(digits)))
    return digits.replace(',', '.');
  if (/^\d{1,3}([.,])\d{3}(?:\1\d{3})*$/.test(digits)) return digits.replace(/[.,]/g, '');
  const [, whole = '', , sign, fraction = ''] =
    /^(\d+(?:([.,])\d{3}(?:\2\d{3})*)?)(?:([.,])(\d*))?$/.exec(digits) ?? [];
  const parts = whole.split(/[.,]/);
  const isSound = whole !== '' && (parts.length === 1 || (sign !== undefined && !whole.includes(sign)));
  return isSound ? `${parts.join('')}.${fraction}0` : null;
}
