import { useState } from 'preact/hooks';
import { GRADES } from '../../../../models/pricing/estimate';
import type { Row } from '../service/calls';
import { readable } from '../service/names';
import { Link } from '../shell/navigation';
import { Radios } from '../shell/parts';
import { DataFiles, EstimatesTable } from './estimates';
import { PriceHistory } from './price-history';
import { kindOf, money, regionName, sourceName, variantName } from './rows';

/** `renew` fetches the row again, with fresh links. */
type Props = Readonly<{ row: Row; priced: boolean; renew?: () => void }>;

export function ItemDetails({ row, priced, renew }: Props) {
  const { variants = [] } = row;
  const [chosen, setChosen] = useState(
    () => variants.find(({ pricing }) => pricing?.market_estimates?.length)?.id,
  );
  const variant = variants.find(({ id }) => id === chosen) ?? variants[0];
  const kind = kindOf(row);
  return (
    <div class="details">
      <Taxonomy row={row} />
      {variants.length > 0 && (
        <Radios
          class="variants"
          legend={variants.length === 1 ? 'Variant' : 'Variants'}
          options={variants.map((each, at) => ({ id: each.id, name: variantName(each, at) }))}
          chosen={variant?.id}
          choose={setChosen}
        />
      )}
      {priced && variant && (
        <>
          <section aria-labelledby="estimates">
            <h3 id="estimates">Resale estimates</h3>
            <EstimatesTable estimates={variant.pricing?.market_estimates ?? []} />
          </section>
          <PriceHistory key={variant.id} links={variant.pricing?.historical_estimates ?? []} renew={renew} />
          <DataFiles pricing={variant.pricing} />
        </>
      )}
      {priced && !variant && <BestEstimate row={row} />}
      {kind !== 'product' && (
        <p>
          <Link to={productsOf(row, kind)} class="button">
            All products of this {kind}
          </Link>
        </p>
      )}
    </div>
  );
}

function Taxonomy({ row: { id: rowId, attributes = [] } }: { readonly row: Row }) {
  if (attributes.length === 0) return null;
  const fields = [...new Set(attributes.map(({ field }) => field))];
  return (
    <section aria-labelledby={`taxonomy-${rowId}`}>
      <h3 id={`taxonomy-${rowId}`}>Taxonomy</h3>
      <dl class="taxonomy">
        {fields.map((field) => (
          <div key={field}>
            <dt>{readable(field)}</dt>
            {attributes
              .filter((each) => each.field === field)
              .map(({ id, name }) => (
                <dd key={id}>
                  <Link to={filteredBy(attributes, field, id)}>{name}</Link>
                </dd>
              ))}
          </div>
        ))}
      </dl>
    </section>
  );
}

/** The price of the most expensive variant of a taxonomy row (contract 2.3). */
function BestEstimate({ row: { id, max_market_estimate: best } }: { readonly row: Row }) {
  if (!best) return null;
  const grade = GRADES.find((each) => best[each] !== null);
  const amount = grade && best[grade];
  if (amount === undefined || amount === null) return null;
  return (
    <section aria-labelledby={`best-${id}`}>
      <h3 id={`best-${id}`}>Highest estimate</h3>
      <p>
        <strong class="figure">{money(amount, best.currency)}</strong> in grade {grade},{' '}
        {sourceName(best.source)}, {regionName(best.region)}
      </p>
    </section>
  );
}

const productsOf = ({ id, attributes = [] }: Row, kind: string): string =>
  kind === 'category'
    ? new URLSearchParams({ view: 'catalog', category: id }).toString()
    : filteredBy(attributes, kind, id);

/** The products that have an attribute; the category goes with it, since fields belong to categories. */
function filteredBy(attributes: NonNullable<Row['attributes']>, field: string, id: string): string {
  const category = attributes.find((each) => each.field === 'category')?.id;
  const wanted = new URLSearchParams({ view: 'catalog' });
  if (category !== undefined) wanted.set('category', category);
  if (field !== 'category') wanted.append(field, id);
  return wanted.toString();
}
