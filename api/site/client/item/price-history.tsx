import { csvParseRows } from 'd3-dsv';
import { useState } from 'preact/hooks';
import { GRADES, type Grade, type GradeValues } from '../../../../models/pricing/estimate';
import type { DataFileLink } from '../../../client/schema';
import { Failure } from '../service/failure';
import { useLoaded } from '../session/hooks';
import { Button, Scrollable, Select } from '../shell/parts';
import { Chart, type Line } from './chart';
import { day, money, regionName, sourceName } from './rows';

type Props = Readonly<{ links: DataFileLink[]; renew: (() => void) | undefined }>;

export function PriceHistory({ links, renew }: Props) {
  const [region, setRegion] = useState<string>();
  const [grade, setGrade] = useState<string>('A');
  const link = links.find((each) => each.region === region) ?? links[0];
  const url = link?.url ?? null;
  const { value: points, failure } = useLoaded(url, (signal, from) => readHistory(from, signal));
  if (!link) return null;
  const lines = linesOf(points ?? [], grade as Grade);
  return (
    <section class="history" aria-labelledby="history">
      <div class="heading">
        <h3 id="history">Price history</h3>
        <p class="choices">
          {links.length > 1 && (
            <Select
              label="Region"
              terse
              value={link.region}
              options={links.map((each) => [each.region, regionName(each.region)])}
              choose={setRegion}
            />
          )}
          <Select
            label="Grade"
            terse
            value={grade}
            options={GRADES.map((each) => [each, `Grade ${each}`])}
            choose={setGrade}
          />
        </p>
      </div>
      {failure && (
        <p role="alert">
          {failure.status === 403 ? 'The link to the history has expired.' : 'The history can’t be read now.'}{' '}
          {renew && (
            <Button class="link" onClick={renew}>
              Ask for it again
            </Button>
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

/** A line for each source with values of the grade, oldest first. */
function linesOf(points: readonly HistoryPoint[], grade: Grade): Line[] {
  const lines = new Map<string, Line>();
  for (const { source, currency, date, values } of points) {
    const value = values[grade];
    if (value === null) continue;
    const before = lines.get(source)?.points ?? [];
    lines.set(source, { name: sourceName(source), currency, points: [...before, { date, value }] });
  }
  return [...lines.values()];
}

/** One line of a history file (contract 2.8). */
type HistoryPoint = Readonly<{ date: Date; source: string; currency: string; values: GradeValues }>;

/**
 * Reads the history behind a signed link. It is shown but not kept (contract 2.5).
 * @throws Failure when the link has expired, or the service is unavailable
 */
async function readHistory(url: string, signal: AbortSignal): Promise<HistoryPoint[]> {
  const answer = await fetch(fromHere(url), { signal }).catch((reason: unknown) => {
    throw signal.aborted ? reason : new Failure(0, 'No answer.');
  });
  if (!answer.ok) throw new Failure(answer.status, 'This link has expired.');
  // Rows and not objects: making objects by header compiles code, which the page's policy forbids.
  const [header = [], ...rows] = csvParseRows(await answer.text());
  return rows.map((row) => {
    const cell = (name: string) => row[header.indexOf(name)] ?? '';
    const amount = (grade: Grade) => [grade, cell(grade) === '' ? null : Number(cell(grade))];
    return {
      date: new Date(cell('date')),
      source: cell('source'),
      currency: cell('currency'),
      values: Object.fromEntries(GRADES.map(amount)) as GradeValues,
    };
  });
}

/** The link as seen from this page, which may only contact its own origin: the same service under its other name. */
function fromHere(url: string): string {
  const { origin, pathname, search } = new URL(url, location.href);
  return origin === location.origin ? url : `files/${pathname.split('/files/').pop() ?? ''}${search}`;
}

function HistoryTable({ points }: { readonly points: readonly HistoryPoint[] }) {
  const shown = (value: number | null, currency: string) => (value === null ? '–' : money(value, currency));
  return (
    <details class="as-table">
      <summary>As a table</summary>
      <Scrollable label="Table of the price history">
        <table>
          <thead>
            <tr>
              {['Date', 'Source', ...GRADES].map((name, at) => (
                <th scope="col" class={at > 1 ? 'number' : undefined} key={name}>
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {points.map(({ date, source, currency, values }) => (
              <tr key={`${date.getTime()} ${source}`}>
                <th scope="row">{day(date)}</th>
                <td>{sourceName(source)}</td>
                {GRADES.map((grade) => (
                  <td class="number" key={grade}>
                    {shown(values[grade], currency)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </Scrollable>
    </details>
  );
}
