import type { Region } from '../../../../models/pricing/estimate';
import type { Row, Variant } from '../service/calls';
import { counted, readable } from '../service/names';
import { itemLink, Link } from '../shell/navigation';
import { Picture } from '../shell/parts';

/** The kind of a row: a product has variants, any other row is the last of its attributes (contract 1.5, 1.6). */
export const kindOf = ({ id, variants, available_tags: tags, attributes = [] }: Row): string => {
  if (tags) return 'category';
  if (variants) return 'product';
  return attributes.find((each) => each.id === id)?.field ?? /^([a-z]+)_/.exec(id)?.[1] ?? 'item';
};

/** The title of a row: the shop's own title if it has one (contract 1.10). */
export const titleOf = ({ title, name }: Pick<Row, 'title' | 'name'>): string => title ?? name;

/**
 * What a row belongs to and the shop's number: for a product its category and brand, for any other row all its levels.
 * Leaves out what its title, or the next of these names, already says.
 */
export const pathOf = (row: Row): string => {
  const { id, attributes = [], sku, variants } = row;
  const [category, ...others] = attributes.filter((each) => each.id !== id);
  const brand = others.find(({ field }) => field === 'brand') ?? others[0];
  const names = [category, ...(variants ? [brand] : others)].flatMap((each) => each?.name ?? []);
  const said = (name: string, at: number) =>
    [titleOf(row), ...names.slice(at + 1)].some((other) =>
      ` ${other} `.toLowerCase().includes(` ${name} `.toLowerCase()),
    );
  return [...names.filter((name, at) => !said(name, at)), ...(sku ? [sku] : [])].join(' · ');
};

export function ShopLink({ row: { url } }: { readonly row: Row }) {
  if (!url?.startsWith('https://')) return null;
  return (
    <a href={url} class="button" target="_blank" rel="noopener noreferrer">
      Open at the shop
    </a>
  );
}

const firstOf = (row: Row, kind: 'images' | 'thumbnails'): string | undefined =>
  [row, ...(row.variants ?? [])].flatMap((each) => each[kind])[0];

/** The main picture of a row: its own, else that of its first variant. */
export const itemPicture = (row: Row) => firstOf(row, 'images');
export const thumbnailOf = (row: Row) => firstOf(row, 'thumbnails') ?? itemPicture(row);

export const variantName = (variant: Variant, at: number): string =>
  variant.fields?.map(({ name }) => name).join(', ') || `Variant ${at + 1}`;

const SOURCE_NAMES = new Map(Object.entries({ ebay: 'eBay', the_realreal: 'The RealReal' }));

/** A marketplace as it spells its own name: each word capitalised, with exceptions. */
export const sourceName = (source: string): string =>
  SOURCE_NAMES.get(source) ?? source.split('_').map(readable).join(' ');

const REGION_NAMES = { NA: 'North America', 'EU-UK': 'United Kingdom', 'EU-IE': 'European Union' } as const;

export const regionName = (region: Region): string => REGION_NAMES[region];

/** An amount in its currency, whole units: estimates are no more exact than that. */
export const money = (amount: number, currency: string): string =>
  new Intl.NumberFormat('en', {
    style: 'currency',
    currency: currency.toUpperCase(),
    currencyDisplay: 'narrowSymbol',
    maximumFractionDigits: 0,
  }).format(amount);

const DAY = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: 'UTC' });

/** A day, the same for every reader. */
export const day = (date: string | Date): string => DAY.format(new Date(date));

/** Never 100%: nothing learnt from pictures is certain. */
export const percent = (value: number): string => {
  if (value > 0.99) return 'Over 99%';
  return value < 0.01 ? 'Under 1%' : `${Math.round(value * 100)}%`;
};

/** Rows as pictures with their names; if no row has a picture, as names alone. */
export function ResultGrid({ rows, busy }: { readonly rows: readonly Row[]; readonly busy: boolean }) {
  const pictures = rows.some((row) => thumbnailOf(row) !== undefined);
  return (
    <ul class={`${pictures ? 'grid' : 'grid names'}${busy ? ' busy' : ''}`}>
      {rows.map((row) => (
        <li key={row.id}>
          <Link to={itemLink(row.id)}>
            {pictures && <Picture src={thumbnailOf(row)} alt="" />}
            <span class="name">{titleOf(row)}</span>
            <span class="path">{underName(row)}</span>
          </Link>
        </li>
      ))}
    </ul>
  );
}

function underName(row: Row): string {
  const { variants } = row;
  if (!variants) return pathOf(row) || readable(kindOf(row));
  const category = row.attributes?.find(({ field }) => field === 'category')?.name;
  return [category, row.sku, counted(variants.length, 'variant')].filter(Boolean).join(', ');
}
