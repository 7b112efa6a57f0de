import { randomUUID } from 'node:crypto';

/** In the placeholder for a photo cut out of a body: that is not base64, and nothing that a caller could write. */
const MARK = randomUUID();

/** Shorter texts cost too little to matter. */
const LENGTH_MIN = 4096;

const NAME = Buffer.from('"base64"');
const QUOTE = 0x22;
const BETWEEN = /^\s*:\s*"/;
/** White space allowed between a name and its value. */
const BETWEEN_MAX = 32;
const DATA_URI = /^data:[a-z0-9.+/-]*;base64,/i;

const PADDING = /={0,2}$/;
/** Digits decoded at a time: a multiple of four, so that each piece decodes by itself. */
const PIECE = 256 * 1024;
const decoded = Buffer.allocUnsafeSlow((PIECE / 4) * 3);

/**
 * Takes the photos out of a JSON body without making strings of them: as text, as a value and as bytes they would take
 * three times their size. Only plainly written ones are cut out (base64 without white space or escapes, perhaps behind a
 * data URI's head); all others stay, and are parsed as usual.
 * @param body afterwards contains the bytes of photos in place of their texts
 * @returns the JSON, with a placeholder in place of each text, and the photos by placeholder
 */
export function extractPhotos(body: Buffer) {
  const photos = new Map<string, Buffer>();
  const parts: Buffer[] = [];
  let kept = 0;
  for (let name = body.indexOf(NAME); name !== -1; ) {
    const behindName = name + NAME.length;
    const between = BETWEEN.exec(body.toString('latin1', behindName, behindName + BETWEEN_MAX));
    const from = behindName + (between?.[0].length ?? 0);
    const to = between ? body.indexOf(QUOTE, from) : from;
    const photo = to - from < LENGTH_MIN ? null : decodedInPlace(body.subarray(from, to));
    if (photo) {
      const stand = `(photo ${photos.size} of ${MARK})`;
      photos.set(stand, photo);
      parts.push(body.subarray(kept, from), Buffer.from(stand));
      kept = to;
    }
    name = to === -1 ? -1 : body.indexOf(NAME, to);
  }
  return { json: photos.size === 0 ? body : Buffer.concat([...parts, body.subarray(kept)]), photos };
}

/** Bytes are fewer than digits, so they overwrite digits that were already read. */
function decodedInPlace(text: Buffer): Buffer | null {
  const head = DATA_URI.exec(text.toString('latin1', 0, 256))?.[0].length ?? 0;
  const padding = PADDING.exec(text.toString('latin1', text.length - 2))?.[0].length ?? 0;
  const digits = text.subarray(head, text.length - padding);
  if (digits.length % 4 === 1) return null;
  let written = 0;
  for (let at = 0; at < digits.length; at += PIECE) {
    const piece = digits.toString('latin1', at, at + PIECE);
    const bytes = decoded.write(piece, 'base64');
    // Non-digits are skipped, so the length shows that they are missing.
    if (bytes !== Math.floor((piece.length * 3) / 4)) {
      digits.write(digits.toString('base64', 0, written), 'latin1');
      return null;
    }
    decoded.copy(digits, written, 0, bytes);
    written += bytes;
  }
  return digits.subarray(0, written);
}
