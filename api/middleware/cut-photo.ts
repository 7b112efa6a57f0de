/** A body without the text of its photo, and the photo. */
export interface CutBody {
  /** The JSON, with `STAND_IN` where the text stood. */
  readonly json: Buffer;
  readonly photo: Buffer;
}

/** What stands in a body for a photo that was cut out of it; no base64. */
export const STAND_IN = '(the photo)';

/** Shorter texts cost nothing. */
const LENGTH_MIN = 4096;

const NAME = Buffer.from('"base64"');
const QUOTE = 0x22;
const BETWEEN = /^\s*:\s*"/;
/** White space between a name and its value that is still looked at. */
const BETWEEN_MAX = 32;
const DATA_URI = /^data:[a-z0-9.+/-]*;base64,/i;

/** Digits of either alphabet. */
const DIGITS = /^[A-Za-z0-9+/_-]*$/;
const PADDING = /={0,2}$/;
/** A multiple of four, so that each piece decodes by itself. */
const PIECE = 256 * 1024;

/**
 * Takes the photo out of a JSON body without making a text of it: as text, as a value and as bytes it would take three
 * times its size. Only what is written plainly is cut out (base64 without white space or escapes, perhaps behind a data
 * URI's head); all else is null, and goes the ordinary way.
 *
 * @param body holds the photo's bytes in place of their text afterwards
 */
export function cutPhoto(body: Buffer): CutBody | null {
  const name = body.indexOf(NAME);
  if (name === -1) return null;
  const behindName = name + NAME.length;
  const between = BETWEEN.exec(body.toString('latin1', behindName, behindName + BETWEEN_MAX));
  if (!between) return null;
  const from = behindName + between[0].length;
  const to = body.indexOf(QUOTE, from);
  if (to - from < LENGTH_MIN) return null;
  const json = Buffer.concat([body.subarray(0, from), Buffer.from(STAND_IN), body.subarray(to)]);
  const photo = decodedInPlace(body.subarray(from, to));
  return photo && { json, photo };
}

function decodedInPlace(text: Buffer): Buffer | null {
  const head = DATA_URI.exec(text.toString('latin1', 0, 256))?.[0].length ?? 0;
  const padding = PADDING.exec(text.toString('latin1', text.length - 2))?.[0].length ?? 0;
  const digits = text.subarray(head, text.length - padding);
  if (digits.length % 4 === 1) return null;
  for (const at of pieces(digits)) if (!DIGITS.test(digits.toString('latin1', at, at + PIECE))) return null;
  let written = 0;
  // Bytes are fewer than digits: what is written was read before.
  for (const at of pieces(digits)) {
    written += digits.write(digits.toString('latin1', at, at + PIECE), written, 'base64');
  }
  return digits.subarray(0, written);
}

function* pieces({ length }: Buffer): Generator<number> {
  for (let at = 0; at < length; at += PIECE) yield at;
}
