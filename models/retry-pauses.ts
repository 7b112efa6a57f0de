/** Milliseconds; doubled from the first to the last, at which they stay. */
const FIRST_MS = 2_000;
const LAST_MS = 3_600_000;

/** With the pauses between them these take a day. */
const TRIES_MAX = 35;

/**
 * Milliseconds until the next try of what was tried so often and failed, now in two seconds and later every hour; null
 * after a day of tries.
 */
export const pauseAfter = (tries: number): number | null =>
  tries >= TRIES_MAX ? null : Math.min(FIRST_MS * 2 ** (tries - 1), LAST_MS);
