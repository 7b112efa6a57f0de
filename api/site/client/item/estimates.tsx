import type { DataFileLink, MarketEstimate } from '../../../client/schema';
import type { Variant } from '../service/calls';
import { Scrollable } from '../shell/parts';
import { day, money, percent, regionName, sourceName } from './rows';

const GRADES = [
  ['A', 'Excellent', 'Minimal to no visible wear; nearly new'],
  ['B', 'Great', 'Light wear'],
  ['C', 'Good', 'Moderate wear; functional and presentable'],
  ['D', 'Fair', 'Significant wear; still usable'],
] as const;

export function EstimatesTable({ estimates }: { readonly estimates: readonly MarketEstimate[] }) {
  if (estimates.length === 0) return <p class="fine">There are no estimates for this variant.</p>;
  const regions = [...new Set(estimates.map(({ region }) => region))];
  return (
    <Scrollable label="Table of estimates">
      <table>
        <thead>
          <tr>
            <th scope="col">Source</th>
            {GRADES.map(([grade, name, meaning]) => (
              <th scope="col" class="number" key={grade} title={meaning}>
                {grade} <span>{name}</span>
              </th>
            ))}
            {['Confidence', 'Estimated'].map((name) => (
              <th scope="col" class="number" key={name}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        {regions.map((region) => (
          <tbody key={region}>
            <tr class="region">
              <th scope="rowgroup" colSpan={7}>
                {regionName(region)}
              </th>
            </tr>
            {estimates
              .filter((each) => each.region === region)
              .map(({ source, currency, confidence, estimated_at: at, ...grades }) => (
                <tr key={source}>
                  <th scope="row">{sourceName(source)}</th>
                  {GRADES.map(([grade]) => (
                    <td class="number" key={grade}>
                      <Known
                        value={grades[grade]}
                        why="not enough signal"
                        show={(value) => money(value, currency)}
                      />
                    </td>
                  ))}
                  <td class="number quiet">
                    <Known value={confidence} why="not given" show={percent} />
                  </td>
                  <td class="number quiet">{day(at)}</td>
                </tr>
              ))}
          </tbody>
        ))}
      </table>
    </Scrollable>
  );
}

function Known({ value, why, show }: { value: number | null; why: string; show: (value: number) => string }) {
  if (value !== null) return <>{show(value)}</>;
  return (
    <>
      <span aria-hidden="true" class="quiet">
        –
      </span>
      <span class="hidden">{why}</span>
    </>
  );
}

export function DataFiles({ pricing }: { readonly pricing: NonNullable<Variant['pricing']> | undefined }) {
  const named = (what: string, links: readonly DataFileLink[] | null = []) =>
    (links ?? []).map(({ url, region }) => ({ url, name: `${what}, ${regionName(region)}` }));
  const files = [
    ...named('Listings', pricing?.pricing_data),
    ...named('Estimate history', pricing?.historical_estimates),
  ];
  if (files.length === 0) return null;
  return (
    <section aria-labelledby="files">
      <h3 id="files">Data files</h3>
      <ul class="files">
        {files.map(({ url, name }) => (
          <li key={url}>
            <a href={url} download>
              {name}
            </a>
          </li>
        ))}
      </ul>
      <p class="fine">CSV. The links hold for one hour; open the item again for fresh ones.</p>
    </section>
  );
}
