import { InvalidArgumentError } from 'commander';
import { z } from 'zod';

const day = z.iso.date();
const time = z.iso.datetime({ offset: true });

/**
 * The start of a day, or a time; both of UTC where no offset is given.
 *
 * @throws InvalidArgumentError, which commander tells
 */
export function timeOf(text: string): Date {
  if (day.safeParse(text).success) return new Date(text);
  const zoned = [text, `${text}Z`].find((each) => time.safeParse(each).success);
  if (zoned === undefined) {
    throw new InvalidArgumentError(
      'must be a day such as 2026-03-01, or a time such as 2026-03-01T12:00:00Z',
    );
  }
  return new Date(zoned);
}

/** `30d`, `12h`; of ISO 8601 what has no months or years, whose length depends on when they begin. */
const SHORT = /^(\d{1,6})([smhdw])$/;
const ISO = /^P(?=.)(?:(\d{1,6})W)?(?:(\d{1,6})D)?(?:T(?=.)(?:(\d{1,6})H)?(?:(\d{1,6})M)?(?:(\d{1,6})S)?)?$/;
const SECONDS = { s: 1, m: 60, h: 3_600, d: 86_400, w: 604_800 } as const;

/**
 * A day, a time, or a duration from `now` on: `2027-03-01`, `2027-03-01T12:00:00Z`, `30d`, `12h`, `P30D`, `PT12H`.
 *
 * @throws InvalidArgumentError for what is none of them, or not after `now`
 */
export function laterTimeOf(text: string, now: Date): Date {
  const ms = durationMs(text);
  const later = ms === null ? timeOrDuration(text) : new Date(now.getTime() + ms);
  if (later <= now) throw new InvalidArgumentError('must lie in the future');
  return later;
}

function timeOrDuration(text: string): Date {
  try {
    return timeOf(text);
  } catch {
    throw new InvalidArgumentError(
      'must be a day (2027-03-01), a time, or a duration such as 30d, 12h or P30D',
    );
  }
}

/** Null for what is no duration. */
function durationMs(text: string): number | null {
  const short = SHORT.exec(text);
  if (short) return Number(short[1]) * SECONDS[short[2] as keyof typeof SECONDS] * 1_000;
  const [iso, ...parts] = ISO.exec(text) ?? [];
  if (iso === undefined) return null;
  const { w, d, h, m, s } = SECONDS;
  return [w, d, h, m, s].reduce(
    (sum, seconds, index) => sum + Number(parts[index] ?? 0) * seconds * 1_000,
    0,
  );
}
