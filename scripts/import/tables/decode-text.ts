import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { decodeStream, encodingExists, getDecoder } from 'iconv-lite';

const MARKS: readonly (readonly [mark: readonly number[], encoding: string])[] = [
  [[0xef, 0xbb, 0xbf], 'utf-8'],
  [[0xff, 0xfe], 'utf-16le'],
  [[0xfe, 0xff], 'utf-16be'],
];
const CHUNK = 256 * 1024;
/** Replaces bytes that are not a character of the encoding. */
export const REPLACEMENT = '\ufffd';
export const MISSING_BYTES = 'holds bytes that are no character of the encoding of the file';

/** Excel, old and new, other archives and PDF. */
const NO_TEXT = ['PK\x03\x04', '\xd0\xcf\x11\xe0', '%PDF'];
const WEB_PAGE = /^\W*(?:<\?xml[^>]*>\s*)?<(?:!doctype\s+)?html\b/i;
const WORDPRESS = /WordPress eXtended RSS|xmlns:wp=/;
/** The encodings that are left to their bytes are often declared wrongly. */
const DECLARED =
  /^<\?xml\s[^>]*\bencoding=["'](?!iso-8859-1["']|windows-1252)((?:iso-8859|windows|koi8|euc|gb|big5|shift_jis)[\w-]*)["']/i;
/** Text in these is hardly ever valid UTF-8, unlike short text in two bytes a character. */
const ONE_BYTE = /^(?:iso|windows-12|koi8)/i;

/** Japanese syllables in Shift_JIS. In Windows-1252 the first byte is hardly ever used. */
const KANA = /\x83[\x40-\x96]|\x82[\x9f-\xf1]/g;

/**
 * By byte order mark; else UTF-16 if there are zeros, what XML declares (one byte a character only for bytes that
 * are not UTF-8), UTF-8 if most non-ASCII is valid, Shift_JIS by its kana, or Windows-1252.
 * @throws Error for a file that is no table
 */
export async function encodingOf(path: string): Promise<string> {
  const head = await buffer(createReadStream(path, { end: 1023 }));
  const start = head.toString('latin1');
  const fault =
    (start.startsWith('\x1f\x8b') && 'is gzipped; unpack it, or fetch it with curl --compressed') ||
    (NO_TEXT.some((each) => start.startsWith(each)) &&
      'is not a text file; save a spreadsheet as CSV (Excel: File, Save As, CSV UTF-8; Google Sheets: File, Download, CSV; Numbers: File, Export To, CSV)') ||
    (WEB_PAGE.test(start) && 'is a web page, such as an error or a login, and no table') ||
    (WORDPRESS.test(start) && 'is an export of WordPress; export the products of WooCommerce as CSV') ||
    (/^\W*[[{]\s*[{"]/.test(start) && 'is JSON; a table is CSV, TSV or XML');
  if (fault) throw new Error(`${path} ${fault}.`);
  const marked = MARKS.find(([mark]) => mark.every((byte, position) => head[position] === byte));
  if (marked) return marked[1];
  const zeros = [0, 1].map(
    (odd) => head.filter((byte, position) => byte === 0 && position % 2 === odd).length,
  );
  if (Math.max(...zeros) > head.length / 8)
    return (zeros[1] ?? 0) > (zeros[0] ?? 0) ? 'utf-16le' : 'utf-16be';
  const [, declared = ''] = DECLARED.exec(start) ?? [];
  const isDeclared = encodingExists(declared);
  if (isDeclared && !ONE_BYTE.test(declared)) return declared.toLowerCase();
  const utf8 = getDecoder('utf-8');
  let sound = 0;
  let broken = 0;
  let kana = 0;
  for await (const chunk of createReadStream(path, { highWaterMark: CHUNK })) {
    const beyondAscii = utf8.write(chunk).match(/[^\0-\x7f]/g) ?? [];
    const replaced = beyondAscii.filter((character) => character === REPLACEMENT).length;
    broken += replaced;
    if (replaced > 0) kana += chunk.toString('latin1').match(KANA)?.length ?? 0;
    sound += beyondAscii.length - replaced;
  }
  if (isDeclared && broken > 0) return declared.toLowerCase();
  if (broken <= sound) return 'utf-8';
  return kana * 20 > broken ? 'shift_jis' : 'windows-1252';
}

/** The text of a file, without its byte order mark. @param onBytes receives how many bytes were read so far */
export async function* decodedText(
  path: string,
  encoding: string,
  onBytes: (bytes: number) => void,
): AsyncGenerator<string> {
  const raw = createReadStream(path, { highWaterMark: CHUNK });
  raw.on('data', () => onBytes(raw.bytesRead));
  // The loop ends with the error of what fails, and closes the file when it is left.
  for await (const text of pipeline(raw, decodeStream(encoding), () => undefined)) yield String(text);
}
