import { itemLink, Link } from '../navigation/link';
import type { Row } from '../service/answers';
import { Picture } from '../shell/picture';
import { kindOf, pathOf, readable, thumbnailOf } from './row-words';

/** Rows as pictures with their names; where no row has a picture, as names alone. */
export function ResultGrid({ rows, busy }: { readonly rows: readonly Row[]; readonly busy: boolean }) {
  const pictures = rows.some((row) => thumbnailOf(row) !== undefined);
  return (
    <ul class={`${pictures ? 'grid' : 'grid names'}${busy ? ' busy' : ''}`}>
      {rows.map((row) => (
        <li key={row.id}>
          <Link to={itemLink(row.id)}>
            {pictures && <Picture src={thumbnailOf(row)} alt="" />}
            <span class="name">{row.name}</span>
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
  const count = `${variants.length} ${variants.length === 1 ? 'variant' : 'variants'}`;
  return category ? `${category}, ${count}` : count;
}
