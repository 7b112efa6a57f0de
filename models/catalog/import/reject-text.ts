const REASON_LENGTH_MAX = 500;
/** Longer than the paths of most systems may be. */
const PLACE_LENGTH_MAX = 5_000;

/** Where something is at fault, on one line: ids and names are the bundle's own and may hold anything. */
export const placeText = (place: string): string => oneLine(place, PLACE_LENGTH_MAX);

/** What is at fault there, on one line. */
export const reasonText = (reason: string): string => oneLine(reason, REASON_LENGTH_MAX);

function oneLine(text: string, lengthMax: number): string {
  const line = text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ');
  return line.length <= lengthMax ? line : `${line.slice(0, lengthMax)}…`;
}
