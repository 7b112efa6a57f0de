import { useEffect, useState } from 'preact/hooks';
import { titleOf } from '../item/rows';
import { copyOf, type Photo, usePhotos } from '../photos/photo';
import { deleteRecord, type Row, readRecord, recordStatus } from '../service/calls';
import { useTask } from '../session/hooks';
import { useSession } from '../session/session';
import { itemLink, Link, leftResults, navigate } from '../shell/navigation';
import { Button, FailureNote } from '../shell/parts';
import { ItemForm } from './item-form';
import { type Draft, draftLike, draftOf, newId, type ProductRecord, writeItem } from './write-item';

/** How many pictures may be added to an item at a time. */
const PICTURES_MAX = 10;

interface AddProps {
  /** The photos it was searched by. */
  readonly photos: readonly Photo[];
  /** The likeliest row; the item may share its brand. */
  readonly like: Row | undefined;
  /** Whether the user came to add an item, and the catalog has nothing that it could be. */
  readonly open: boolean;
  /** Starts over with another item. */
  readonly another: () => void;
}

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
        <Editor
          id={id}
          start={draftLike(like, categories)}
          given={photos}
          before={null}
          saying="Add to the catalog"
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

/** Changes a product of the catalog, or removes it. */
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
    navigate(leftResults());
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
        <Editor
          id={row.id}
          start={draftOf(row, doing, categories)}
          given={[]}
          before={doing}
          saying="Save"
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

interface EditorProps {
  readonly id: string;
  readonly start: Draft;
  readonly given: readonly Photo[];
  readonly before: ProductRecord | null;
  readonly saying: string;
  readonly done: () => void;
  readonly cancel: () => void;
}

function Editor({ id, start, given, before, saying, done, cancel }: EditorProps) {
  const { send } = useSession();
  const [draft, setDraft] = useState(start);
  const [copies] = useState(() => given.map(copyOf));
  const photos = usePhotos(PICTURES_MAX, copies);
  const [step, setStep] = useState('');
  const { busy, failure, run } = useTask();
  const save = () =>
    void run(async (signal) => {
      setStep('Saving');
      await writeItem(id, draft, photos.photos, before, { send, signal, onStep: setStep });
      if (!signal.aborted) done();
    });
  return (
    <>
      <ItemForm
        draft={draft}
        change={setDraft}
        photos={photos}
        busy={busy}
        save={save}
        cancel={cancel}
        saying={saying}
      />
      <p role="status">{busy ? step : ''}</p>
      {failure && (
        <FailureNote
          failure={failure}
          title={failure.status === 400 ? 'This was not saved' : undefined}
          again={save}
        />
      )}
    </>
  );
}

const POLL_MS = 1_000;

/** Shows when photos find the added item. */
function Added({ id, another }: { readonly id: string; readonly another: () => void }) {
  const { answers, send } = useSession();
  const [words, setWords] = useState('Searches find it. Its pictures are being looked at.');
  useEffect(() => {
    answers.clear();
    const asking = new AbortController();
    const look = async (): Promise<void> => {
      const { answer } = await send(recordStatus(id), { signal: asking.signal });
      const { embedded, pending, failed } = answer.pictures;
      if (pending > 0) {
        setTimeout(() => look().catch(() => undefined), POLL_MS);
      } else if (embedded > 0) {
        setWords('Searches and photos find it.');
      } else if (failed > 0) {
        setWords('Searches find it. None of its pictures could be read, so photos do not.');
      } else setWords('Searches find it. Without a picture, photos do not.');
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
