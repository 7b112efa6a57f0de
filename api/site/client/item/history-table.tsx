import { GRADES } from '../../../../models/pricing/estimate';
import { Scrollable } from '../shell/scrollable';
import type { HistoryPoint } from './read-history';
import { day, money, sourceName } from './row-words';

/** What the plot shows, for whoever reads instead of looking. */
export function HistoryTable({ points }: { readonly points: readonly HistoryPoint[] }) {
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
