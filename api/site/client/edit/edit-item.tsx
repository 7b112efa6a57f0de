import { useEffect, useState } from 'preact/hooks';
import { titleOf } from '../item/rows';
import type { Photo } from '../photos/photo';
import { deleteRecord, type Row, readRecord, recordStatus } from '../service/calls';
import { useTask } from '../session/hooks';
import { useSession } from '../session/session';
import { itemLink, Link, lastResults, navigate } from '../shell/navigation';
import { Button, FailureNote } from '../shell/parts';
import { ItemForm } from './item-form';
import { draftLike, draftOf, newId, type ProductRecord } from './write-item';

/** `like`: the likeliest row, whose brand it may share; `open`: whether to start with the form. */
type AddProps = Readonly<{
  photos: readonly Photo[];
  like: Row | undefined;
  open: boolean;
  another: () => void;
}>;

/** Adds the item in the photos to the catalog, once it is known to be missing there (contract 15). */
export function AddItem({ photos, like, open, another }: AddProps) {
  const { categories, mayWrite } = useSession();
  const [stage, setStage] = useState<'closed' | 'open' | 'added'>(open ? 'open' : 'closed');
  const [id] = useState(newId);
  if (!mayWrite || categories.length === 0) return null;
  return (
    <section class="add-item" aria-labelledby="add-item">
      <h2 id="add-item">{stage === 'added' ? 'Added' : 'Is it not in the catalog?'}</h2>
      {stage === 'added' && <Added id={id} another={another} />}
      {stage === 'open' && (
        <ItemForm
          id={id}
          start={draftLike(like, categories)}
          given={photos}
          before={null}
          submitLabel="Add to the catalog"
          done={() => setStage('added')}
          cancel={() => setStage('closed')}
        />
      )}
      {stage === 'closed' && (
        <p class="choices">
          <Button onClick={() => setStage('open')}>Add it to the catalog</Button>
        </p>
      )}
    </section>
  );
}

export function ChangeItem({ row, changed }: { readonly row: Row; readonly changed: () => void }) {
  const { categories, mayWrite, answers, send } = useSession();
  const [doing, setDoing] = useState<'nothing' | 'removing' | ProductRecord>('nothing');
  const { failure, run } = useTask();
  if (!mayWrite || !row.variants) return null;
  const stop = () => setDoing('nothing');
  const read = async () => {
    const { answer } = await send(readRecord(row.id));
    const { products } = answer.data[0] ?? {};
    if (products) setDoing(products);
  };
  const remove = async () => {
    await send(deleteRecord(row.id));
    answers.clear();
    navigate(lastResults());
  };
  return (
    <section class="change-item" aria-label="Your catalog">
      {failure && <FailureNote failure={failure} title="This was not done" />}
      {doing === 'nothing' && (
        <p class="choices">
          <Button onClick={() => void run(read)}>Change</Button>
          <Button onClick={() => setDoing('removing')}>Remove</Button>
        </p>
      )}
      {doing === 'removing' && (
        <div role="alertdialog" aria-labelledby="removing">
          <p id="removing">Take {titleOf(row)} out of the catalog? No search or photo finds it then.</p>
          <p class="choices">
            <Button class="primary" onClick={() => void run(remove)}>
              Remove it
            </Button>
            <Button onClick={stop}>Keep it</Button>
          </p>
        </div>
      )}
      {typeof doing === 'object' && (
        <ItemForm
          id={row.id}
          start={draftOf(row, doing, categories)}
          given={[]}
          before={doing}
          submitLabel="Save"
          done={() => {
            stop();
            answers.clear();
            changed();
          }}
          cancel={stop}
        />
      )}
    </section>
  );
}

const POLL_MS = 1_000;

function Added({ id, another }: { readonly id: string; readonly another: () => void }) {
  const { answers, send } = useSession();
  const [words, setWords] = useState('Searches find it. Its pictures are being looked at.');
  useEffect(() => {
    answers.clear();
    const asking = new AbortController();
    const look = async (): Promise<void> => {
      const { answer } = await send(recordStatus(id), { signal: asking.signal });
      const { embedded, pending, failed } = answer.pictures;
      if (pending > 0) setTimeout(() => look().catch(() => undefined), POLL_MS);
      else if (embedded > 0) setWords('Searches and photos find it.');
      else
        setWords(
          `Searches find it. ${failed > 0 ? 'None of its pictures could be read, so' : 'Without a picture,'} photos do not.`,
        );
    };
    look().catch(() => undefined);
    return () => asking.abort();
  }, [id]);
  return (
    <>
      <p role="status">{words}</p>
      <p class="choices">
        <Link to={itemLink(id)} class="button">
          Open it
        </Link>
        <Button onClick={another}>Add another item</Button>
      </p>
    </>
  );
}
