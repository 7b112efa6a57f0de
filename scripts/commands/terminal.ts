import { resolve } from 'node:path';
import { type Command, InvalidArgumentError } from '@commander-js/extra-typings';
import Table from 'cli-table3';
import { storableDay, storableTime } from '../../api/wire/shared';
import { NAME_LENGTH_MAX } from '../../models/access/api-key';
import { printable, WITHIN_LINES } from '../composition/printable';

/** A command of a group, with the option `--json`. */
export const subcommand = <Usage extends string>(group: Command, usage: Usage, description: string) =>
  group.command(usage).description(description).option('--json', 'print JSON');

/** Prints the answer on stdout: one JSON document, or text. Progress and warnings belong on stderr. */
export function printAnswer<Answer>(
  json: boolean | undefined,
  answer: Answer,
  text: (answer: Answer) => string,
): void {
  process.stdout.write(`${printable(json ? JSON.stringify(answer, null, 2) : text(answer))}\n`);
}

type Cell = string | number | null | readonly string[];

export function asTable(head: readonly string[], rows: readonly (readonly Cell[])[]): string {
  if (rows.length === 0) return 'none';
  const table = new Table({ head: [...head], style: { head: [], border: [] } });
  for (const row of rows) table.push(row.map(textOf));
  return table.toString();
}

/** Escapes control characters, line breaks too; a list has a line for each element. */
export function textOf(cell: Cell): string {
  const lines = typeof cell === 'object' ? (cell ?? ['-']) : [String(cell)];
  return lines.map((line) => printable(line, WITHIN_LINES)).join('\n');
}

export const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;

/** The values of options, parsed; each throws InvalidArgumentError, which commander reports. */

export function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('must be a whole number');
  return Number(text);
}

/** The path of a file to write or read. */
export function pathOf(text: string): string {
  if (text !== '-') return resolve(text);
  throw new InvalidArgumentError('standard input and output are not used; a file of that name is ./-');
}

export function portNumber(text: string): number {
  const port = wholeNumber(text);
  if (port > 65_535) throw new InvalidArgumentError('must be at most 65535');
  return port;
}

export function nameOf(text: string): string {
  const name = text.trim();
  if (name !== '' && name.length <= NAME_LENGTH_MAX) return name;
  throw new InvalidArgumentError(`must have 1 to ${NAME_LENGTH_MAX} characters`);
}

/** A comma-separated list of some of `known`, in their order. */
export function someOf<Name extends string>(known: readonly Name[], text: string): Name[] {
  const named = text.split(',').map((each) => each.trim());
  const found = known.filter((each) => named.includes(each));
  if (found.length > 0 && named.every((each) => known.some((name) => name === each))) return found;
  throw new InvalidArgumentError(`must be some of ${known.join(',')}`);
}

export const FROM_TIME = 'from this day or time on (ISO 8601, UTC unless it says otherwise)';

export function timeOf(text: string): Date {
  if (storableDay.safeParse(text).success) return new Date(text);
  const zoned = [text, `${text}Z`].find((each) => storableTime.safeParse(each).success);
  if (zoned !== undefined) return new Date(zoned);
  throw new InvalidArgumentError('must be a day such as 2026-03-01, or a time such as 2026-03-01T12:00:00Z');
}

/** `30d`, `12h`; ISO 8601 durations without months or years, whose length depends on when they begin. */
const SHORT = /^(\d{1,6})([smhdw])$/;
const ISO = /^P(?=.)(\d{1,6}W)?(\d{1,6}D)?(?:T(?=.)(\d{1,6}H)?(\d{1,6}M)?(\d{1,6}S)?)?$/;
const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400, w: 604_800 };

/** A future day or time, or a duration from now: `2027-03-01`, `2027-03-01T12:00:00Z`, `30d`, `12h`, `P30D`, `PT12H`. */
export function laterTimeOf(text: string): Date {
  const now = Date.now();
  const [, ...parts] = ISO.exec(text) ?? [];
  const durations = SHORT.test(text) ? [text] : parts.filter((part) => part !== undefined);
  const secondsOf = (part: string) =>
    Number(part.slice(0, -1)) * (SECONDS[part.slice(-1).toLowerCase()] ?? 0);
  const seconds = durations.reduce((sum, part) => sum + secondsOf(part), 0);
  const later = durations.length === 0 ? timeOrDuration(text) : new Date(now + 1_000 * seconds);
  if (later.getTime() <= now) throw new InvalidArgumentError('must lie in the future');
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
