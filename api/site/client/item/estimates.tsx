import type { FileLink, MarketEstimate, Pricing } from '../service/calls';
import { Scrollable } from '../shell/parts';
import { day, money, percent, regionName, sourceName } from './rows';

const GRADES = [
  ['A', 'Excellent', 'Minimal to no visible wear; nearly new'],
  ['B', 'Great', 'Light wear'],
  ['C', 'Good', 'Moderate wear; functional and presentable'],
  ['D', 'Fair', 'Significant wear; still usable'],
] as const;

/** Resale estimates of a variant: regions over sources, a column for each grade. */
export function EstimatesTable({ estimates }: { readonly estimates: readonly MarketEstimate[] | null }) {
  const regions = [...new Set(estimates?.map(({ region }) => region))];
  return (
    <section aria-labelledby="estimates">
      <h3 id="estimates">Resale estimates</h3>
      {!estimates || estimates.length === 0 ? (
        <p class="fine">There are no estimates for this variant.</p>
      ) : (
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
                <th scope="col" class="number">
                  Confidence
                </th>
                <th scope="col" class="number">
                  Estimated
                </th>
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
                  .map((each) => (
                    <Line key={each.source} estimate={each} />
                  ))}
              </tbody>
            ))}
          </table>
        </Scrollable>
      )}
    </section>
  );
}

function Line({ estimate }: { readonly estimate: MarketEstimate }) {
  return (
    <tr>
      <th scope="row">{sourceName(estimate.source)}</th>
      {GRADES.map(([grade]) => {
        const amount = estimate[grade];
        return (
          <td class="number" key={grade}>
            {amount === null ? <Absent why="not enough signal" /> : money(amount, estimate.currency)}
          </td>
        );
      })}
      <td class="number quiet">
        {estimate.confidence === null ? <Absent why="not given" /> : percent(estimate.confidence)}
      </td>
      <td class="number quiet">{day(estimate.estimated_at)}</td>
    </tr>
  );
}

function Absent({ why }: { readonly why: string }) {
  return (
    <>
      <span aria-hidden="true" class="quiet">
        –
      </span>
      <span class="hidden">{why}</span>
    </>
  );
}

/** The data behind the estimates, as files. */
export function DataFiles({ pricing }: { readonly pricing: Pricing | undefined }) {
  const listings = pricing?.pricing_data ?? [];
  const history = pricing?.historical_estimates ?? [];
  if (listings.length + history.length === 0) return null;
  return (
    <section aria-labelledby="files">
      <h3 id="files">Data files</h3>
      <ul class="files">
        {listings.map((link) => (
          <File key={link.url} what="Listings" link={link} />
        ))}
        {history.map((link) => (
          <File key={link.url} what="Estimate history" link={link} />
        ))}
      </ul>
      <p class="fine">CSV. The links hold for one hour; open the item again for fresh ones.</p>
    </section>
  );
}

function File({ what, link }: { readonly what: string; readonly link: FileLink }) {
  return (
    <li>
      <a href={link.url} download>
        {what}, {regionName(link.region)}
      </a>
    </li>
  );
}
