import Table from 'cli-table3';

/**
 * The answer of a command on stdout: one JSON document with `--json`, else text. Everything that is not the answer
 * (progress, warnings) belongs on stderr.
 */
export function printAnswer(json: boolean | undefined, document: unknown, text: () => string): void {
  process.stdout.write(`${json ? JSON.stringify(document, null, 2) : printable(text())}\n`);
}

/** Rows as a plain table; an empty list says so. */
export function asTable(
  head: readonly string[],
  rows: readonly (readonly (string | number | null)[])[],
): string {
  if (rows.length === 0) return 'none';
  const table = new Table({ head: [...head], style: { head: [], border: [] } });
  for (const row of rows)
    table.push(row.map((cell) => (cell === null ? '-' : printable(String(cell), WITHIN_LINES))));
  return table.toString();
}

/** What a terminal acts on instead of showing it. A text of several lines may break them. */
const WITHIN_TEXT = /[^\P{Cc}\n\t]|[\p{Bidi_Control}\p{Zl}\p{Zp}]/gu;
const WITHIN_LINES = /[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/gu;

/** A text with names of callers in it, of which a terminal shows every character (contract 14.5). */
export const printable = (text: string, unsafe = WITHIN_TEXT): string =>
  text.replace(unsafe, (each) => `\\u${(each.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`);
