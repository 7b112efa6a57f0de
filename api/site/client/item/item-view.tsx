import { useEffect } from 'preact/hooks';
import { Link } from '../navigation/link';
import { RequestPanel } from '../request/request-panel';
import { showItem } from '../service/calls';
import { useAnswer } from '../service/use-answer';
import { FailureNote } from '../shell/failure-note';
import { Picture } from '../shell/picture';
import { ItemDetails } from './item-details';
import { itemPicture, kindOf, pathOf, readable } from './row-words';

/** One row of the catalog by its id. */
export function ItemView({ id }: { readonly id: string }) {
  const call = showItem(id);
  const { answered, failure, busy, again } = useAnswer(call);
  const row = answered?.answer.data[0];
  useEffect(() => {
    document.title = row ? `${row.name} · Loupe` : 'Loupe';
  }, [row]);
  return (
    <div class="item" aria-busy={busy}>
      <p class="back">
        <Link to="view=catalog">Catalog</Link>
      </p>
      {failure && (
        <>
          <h1 class="hidden" tabIndex={-1}>
            Item
          </h1>
          <FailureNote failure={failure} again={again} />
        </>
      )}
      {row && answered && (
        <>
          <article class="match">
            <Picture src={itemPicture(row)} alt={row.name} eager />
            <div>
              <p class="label">{readable(kindOf(row))}</p>
              <h1 tabIndex={-1}>{row.name}</h1>
              <p class="path">{pathOf(row)}</p>
              <p class="fine">
                Popularity {row.popularity.toLocaleString('en')}
                <br />
                <code>{row.id}</code>
              </p>
            </div>
          </article>
          <ItemDetails row={row} priced renew={again} />
          <RequestPanel call={call} answer={answered.answer} />
        </>
      )}
    </div>
  );
}
