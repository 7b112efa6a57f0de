import { useEffect, useState } from 'preact/hooks';
import { GRADES, type Grade } from '../../../../models/pricing/estimate';
import type { FileLink } from '../service/answers';
import { Failure } from '../service/failure';
import { Chart, type Line } from './chart';
import { HistoryTable } from './history-table';
import { type HistoryPoint, readHistory } from './read-history';
import { regionName, sourceName } from './row-words';

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

function useHistory(url: string | undefined): { points: HistoryPoint[] | null; failure: Failure | null } {
  const [state, setState] = useState<{ points: HistoryPoint[] | null; failure: Failure | null }>({
    points: null,
    failure: null,
  });
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
