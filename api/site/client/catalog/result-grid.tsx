import { kindOf, pathOf, readable, thumbnailOf } from '../item/row-words';
import { itemLink, Link } from '../navigation/link';
import type { Row } from '../service/answers';
import { Picture } from '../shell/picture';

/** Rows as pictures with their names. */
export function ResultGrid({ rows, busy }: { readonly rows: readonly Row[]; readonly busy: boolean }) {
  return (
    <ul class={busy ? 'grid busy' : 'grid'}>
      {rows.map((row) => (
        <li key={row.id}>
          <Link to={itemLink(row.id)}>
            <Picture
              src={thumbnailOf(row)}
              alt=""
              otherwise={row.variants ? 'No picture' : readable(kindOf(row))}
            />
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
