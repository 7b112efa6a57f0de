import { csvParseRows } from 'd3-dsv';
import { GRADES, type GradeValues } from '../../../../models/pricing/estimate';
import { Failure } from '../service/failure';

/** One line of a history file (contract 2.8). */
export interface HistoryPoint {
  readonly date: Date;
  readonly source: string;
  readonly currency: string;
  readonly values: GradeValues;
}

/**
 * Reads the history behind a signed link. It is shown and not kept (contract 2.5).
 *
 * @throws Failure when the link has expired, or the service is away
 */
export async function readHistory(url: string, signal: AbortSignal): Promise<HistoryPoint[]> {
  const answer = await fetch(fromHere(url), { signal }).catch((reason: unknown) => {
    throw signal.aborted ? reason : new Failure(0, 'No answer.');
  });
  if (!answer.ok) throw new Failure(answer.status, 'This link has expired.');
  // Rows and not objects: making objects by header compiles code, which the page's policy forbids.
  const [header = [], ...rows] = csvParseRows(await answer.text());
  const column = new Map(header.map((name, at) => [name, at]));
  const cell = (row: readonly string[], name: string) => row[column.get(name) ?? -1] ?? '';
  const amount = (text: string) => (text === '' ? null : Number(text));
  return rows.map((row) => ({
    date: new Date(cell(row, 'date')),
    source: cell(row, 'source'),
    currency: cell(row, 'currency'),
    values: Object.fromEntries(GRADES.map((grade) => [grade, amount(cell(row, grade))])) as GradeValues,
  }));
}

/** The link as seen from this page, which may talk to its own origin only: the same service under its other name. */
function fromHere(url: string): string {
  const { origin, pathname, search } = new URL(url, location.href);
  return origin === location.origin ? url : `files/${pathname.split('/files/').pop() ?? ''}${search}`;
}
