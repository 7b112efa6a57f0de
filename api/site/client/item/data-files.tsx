import type { FileLink, Pricing } from '../service/answers';
import { regionName } from './row-words';

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
