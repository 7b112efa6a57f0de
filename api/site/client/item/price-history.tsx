import { csvParseRows } from 'd3-dsv';
import { useEffect, useState } from 'preact/hooks';
import { GRADES, type Grade, type GradeValues } from '../../../../models/pricing/estimate';
import { Failure, type FileLink } from '../service/calls';
import { Scrollable } from '../shell/parts';
import { Chart, type Line } from './chart';
import { day, money, regionName, sourceName } from './rows';

interface Props {
  readonly links: readonly FileLink[] | null;
  /** Asks for the item again, with fresh links. */
  readonly renew?: () => void;
}

/** How the estimates of a variant went, plotted by source for one region and grade. */
export function PriceHistory({ links, renew }: Props) {
  const [region, setRegion] = useState(0);
  const [grade, setGrade] = useState<Grade>('A');
  const link = links?.[region] ?? links?.[0];
  const { points, failure } = useHistory(link?.url);
  if (!link) return null;
  const lines = linesOf(points ?? [], grade);
  return (
    <section class="history" aria-labelledby="history">
      <div class="heading">
        <h3 id="history">Price history</h3>
        <p class="choices">
          {links && links.length > 1 && (
            <select
              aria-label="Region"
              value={region}
              onChange={({ currentTarget }) => setRegion(Number(currentTarget.value))}
            >
              {links.map((each, at) => (
                <option key={each.region} value={at}>
                  {regionName(each.region)}
                </option>
              ))}
            </select>
          )}
          <select
            aria-label="Grade"
            value={grade}
            onChange={({ currentTarget }) => setGrade(currentTarget.value as Grade)}
          >
            {GRADES.map((each) => (
              <option key={each} value={each}>
                Grade {each}
              </option>
            ))}
          </select>
        </p>
      </div>
      {failure && (
        <p role="alert">
          {failure.status === 403 ? 'The link to the history has expired.' : 'The history can’t be read now.'}{' '}
          {renew && (
            <button type="button" class="link" onClick={renew}>
              Ask for it again
            </button>
          )}
        </p>
      )}
      {points && lines.length === 0 && <p class="fine">There is no history in grade {grade}.</p>}
      {lines.length > 0 && (
        <Chart lines={lines} label={`Estimates in grade ${grade}, ${regionName(link.region)}`} />
      )}
      {points && points.length > 0 && <HistoryTable points={points} />}
    </section>
  );
}

interface History {
  readonly points: readonly HistoryPoint[] | null;
  readonly failure: Failure | null;
}

function useHistory(url: string | undefined): History {
  const [state, setState] = useState<History>({ points: null, failure: null });
  useEffect(() => {
    if (url === undefined) return;
    const taking = new AbortController();
    readHistory(url, taking.signal).then(
      (points) => setState({ points, failure: null }),
      (failure: unknown) => {
        if (failure instanceof Failure) setState({ points: null, failure });
      },
    );
    return () => taking.abort();
  }, [url]);
  return state;
}

/** A line for each source that has values of the grade, oldest first. */
function linesOf(points: readonly HistoryPoint[], grade: Grade): Line[] {
  const bySource = new Map<string, Line>();
  for (const { source, currency, date, values } of points) {
    const value = values[grade];
    if (value === null) continue;
    const line = bySource.get(source) ?? { name: sourceName(source), currency, points: [] };
    bySource.set(source, { ...line, points: [...line.points, { date, value }] });
  }
  return [...bySource.values()];
}

/** One line of a history file (contract 2.8). */
interface HistoryPoint {
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
async function readHistory(url: string, signal: AbortSignal): Promise<HistoryPoint[]> {
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

/** What the plot shows, for screen readers. */
function HistoryTable({ points }: { readonly points: readonly HistoryPoint[] }) {
  return (
    <details class="as-table">
      <summary>As a table</summary>
      <Scrollable label="Table of the price history">
        <table>
          <thead>
            <tr>
              <th scope="col">Date</th>
              <th scope="col">Source</th>
              {GRADES.map((grade) => (
                <th scope="col" class="number" key={grade}>
                  {grade}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {points.map(({ date, source, currency, values }) => (
              <tr key={`${date.getTime()} ${source}`}>
                <th scope="row">{day(date)}</th>
                <td>{sourceName(source)}</td>
                {GRADES.map((grade) => {
                  const value = values[grade];
                  return (
                    <td class="number" key={grade}>
                      {value === null ? '–' : money(value, currency)}
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </Scrollable>
    </details>
  );
}
