import type { ComponentType } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { type Row, showItem, showSimilar } from '../service/calls';
import { readable } from '../service/names';
import { useAnswer } from '../session/hooks';
import { Link, lastResults } from '../shell/navigation';
import { FailureNote, Picture, takeFocus } from '../shell/parts';
import { RequestPanel } from '../shell/request-panel';
import { ItemDetails } from './item-details';
import { itemPicture, kindOf, pathOf, ResultGrid, ShopLink, titleOf } from './rows';

/** `acts`: actions on the row; `changed` fetches it again. */
type Props = Readonly<{ id: string; acts: ComponentType<{ row: Row; changed: () => void }> }>;

export function ItemView({ id, acts: Acts }: Props) {
  const call = showItem(id);
  const { answered, failure, busy, again } = useAnswer(call);
  const row = answered?.answer.data[0];
  const picture = row && itemPicture(row);
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (document.activeElement?.id === 'main') takeFocus(heading.current);
    document.title = row ? `${titleOf(row)} · Loupe` : 'Loupe';
  }, [row, failure]);
  return (
    <div class="item" aria-busy={busy}>
      <p class="back">
        <Link to={lastResults()}>{lastResults() === 'view=catalog' ? 'Catalog' : 'Back to the results'}</Link>
      </p>
      {failure && (
        <>
          <h1 class="hidden" ref={heading}>
            Item
          </h1>
          <FailureNote failure={failure} again={again} />
        </>
      )}
      {row && (
        <div class={picture === undefined ? 'alone' : 'columns'}>
          {picture !== undefined && <Picture src={picture} alt={titleOf(row)} eager />}
          <article>
            <p class="label">{readable(kindOf(row))}</p>
            <h1 ref={heading}>{titleOf(row)}</h1>
            <p class="path">{pathOf(row)}</p>
            <p class="fine facts">
              Popularity {row.popularity.toLocaleString('en')}, <code>{row.id}</code>
            </p>
            <p class="onward">
              <ShopLink row={row} />
            </p>
            <Acts row={row} changed={again} />
            <h2 class="hidden">Details</h2>
            <ItemDetails row={row} priced renew={again} />
            <RequestPanel call={call} answer={answered.answer} />
          </article>
        </div>
      )}
      {row && kindOf(row) === 'product' && <SimilarItems key={row.id} id={row.id} />}
    </div>
  );
}

/** Products that look like one: fetched once their section comes nearly into view; renders nothing if there are none. */
function SimilarItems({ id }: { readonly id: string }) {
  const place = useRef<HTMLDivElement>(null);
  const [seen, setSeen] = useState(false);
  useEffect(() => {
    if (place.current === null) return;
    const look: IntersectionObserverCallback = (entries) =>
      entries.some(({ isIntersecting }) => isIntersecting) && setSeen(true);
    const observer = new IntersectionObserver(look, { rootMargin: '200px' });
    observer.observe(place.current);
    return () => observer.disconnect();
  }, []);
  const { answered } = useAnswer(seen ? showSimilar(id) : null);
  const rows = answered?.answer.data ?? [];
  return (
    <div ref={place}>
      {rows.length > 0 && (
        <section class="similar" aria-labelledby="similar">
          <h2 id="similar">Similar</h2>
          <ResultGrid rows={rows} busy={false} />
        </section>
      )}
    </div>
  );
}
