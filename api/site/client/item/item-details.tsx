import { useState } from 'preact/hooks';
import { GRADES } from '../../../../models/pricing/estimate';
import type { Row } from '../service/calls';
import { Link } from '../shell/navigation';
import { DataFiles, EstimatesTable } from './estimates';
import { PriceHistory } from './price-history';
import { kindOf, money, readable, regionName, sourceName, variantName } from './rows';

interface Props {
  readonly row: Row;
  /** Whether prices were asked for. */
  readonly priced: boolean;
  /** Asks for the row again, with fresh links. */
  readonly renew?: () => void;
}

/** What is known about a row: where it stands, its variants, what they sell for. */
export function ItemDetails({ row, priced, renew }: Props) {
  const variants = row.variants ?? [];
  const [chosen, setChosen] = useState(() =>
    Math.max(
      0,
      variants.findIndex(({ pricing }) => pricing?.market_estimates?.length),
    ),
  );
  const variant = variants[chosen] ?? variants[0];
  const kind = kindOf(row);
  return (
    <div class="details">
      <Taxonomy row={row} />
      {variants.length > 0 && (
        <fieldset class="variants">
          <legend>{variants.length === 1 ? 'Variant' : 'Variants'}</legend>
          {variants.map((each, at) => (
            <label key={each.id}>
              <input
                type="radio"
                name={`variant-${row.id}`}
                checked={each === variant}
                onChange={() => setChosen(at)}
              />
              <span>{variantName(each, at)}</span>
            </label>
          ))}
        </fieldset>
      )}
      {priced && variant && (
        <>
          <EstimatesTable estimates={variant.pricing?.market_estimates ?? null} />
          <PriceHistory
            key={variant.id}
            links={variant.pricing?.historical_estimates ?? null}
            {...(renew ? { renew } : {})}
          />
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

function Taxonomy({ row }: { readonly row: Row }) {
  const attributes = row.attributes ?? [];
  if (attributes.length === 0) return null;
  const fields = [...new Set(attributes.map(({ field }) => field))];
  return (
    <section aria-labelledby={`taxonomy-${row.id}`}>
      <h3 id={`taxonomy-${row.id}`}>Taxonomy</h3>
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

/** What the dearest variant of a taxonomy row sells for (contract 2.3). */
function BestEstimate({ row: { id, max_market_estimate: best } }: { readonly row: Row }) {
  if (!best) return null;
  const grade = GRADES.find((each) => best[each] !== null);
  const amount = grade && best[grade];
  if (amount == null) return null;
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

const productsOf = (row: Row, kind: string): string =>
  kind === 'category'
    ? new URLSearchParams({ view: 'catalog', category: row.id }).toString()
    : filteredBy(row.attributes ?? [], kind, row.id);

/** The products that have an attribute; the category goes with it, since fields belong to categories. */
function filteredBy(attributes: NonNullable<Row['attributes']>, field: string, id: string): string {
  const category = attributes.find((each) => each.field === 'category')?.id;
  const wanted = new URLSearchParams({ view: 'catalog' });
  if (category !== undefined) wanted.set('category', category);
  if (field !== 'category') wanted.append(field, id);
  return wanted.toString();
}
