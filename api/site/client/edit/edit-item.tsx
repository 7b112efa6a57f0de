import { useEffect, useRef, useState } from 'preact/hooks';
import { titleOf } from '../item/rows';
import { copyOf, type Photo, usePhotos } from '../photos/photo';
import {
  deleteRecord,
  Failure,
  type RecordAnswer,
  type RecordStatusAnswer,
  type Row,
  readRecord,
  recordStatus,
  sendCall,
} from '../service/calls';
import { useSession } from '../session/session';
import { forgetAnswers } from '../session/use-answer';
import { itemLink, Link, leftResults, navigate } from '../shell/navigation';
import { FailureNote } from '../shell/parts';
import { ItemForm, levelsOf } from './item-form';
import {
  type Draft,
  type Level,
  levelsAt,
  newId,
  type ProductRecord,
  Refused,
  writeItem,
} from './write-item';

/** Pictures that an item may be given at a time. */
const PICTURES_MAX = 10;

interface AddProps {
  /** What it was looked for by. */
  readonly photos: readonly Photo[];
  /** The likeliest row, whose brand and model it may share. */
  readonly like: Row | undefined;
  /** Whether one came to add an item, and nothing is there that it could be. */
  readonly open: boolean;
  /** Begins with another item. */
  readonly another: () => void;
}

/** Adds what the photos show to the catalog, once it is known not to be there (contract 15). */
export function AddItem({ photos, like, open, another }: AddProps) {
  const { categories, mayWrite } = useSession();
  const [opened, setOpened] = useState(open);
  const [id] = useState(newId);
  const [added, setAdded] = useState(false);
  if (!mayWrite || categories.length === 0) return null;
  return (
    <section class="add-item" aria-labelledby="add-item">
      <h2 id="add-item">{added ? 'Added' : 'Is it not in the catalog?'}</h2>
      {added ? (
        <Added id={id} another={another} />
      ) : opened ? (
        <Writing
          id={id}
          start={draftLike(like, categories)}
          given={photos}
          before={null}
          saying="Add to the catalog"
          done={() => setAdded(true)}
          cancel={() => setOpened(false)}
        />
      ) : (
        <p class="choices">
          <button type="button" onClick={() => setOpened(true)}>
            Add it to the catalog
          </button>
        </p>
      )}
    </section>
  );
}

/** Changes a product of the catalog, or takes it out. */
export function ChangeItem({ row, changed }: { readonly row: Row; readonly changed: () => void }) {
  const { key, categories, mayWrite, note } = useSession();
  const [doing, setDoing] = useState<'nothing' | 'removing' | ProductRecord>('nothing');
  const [failure, setFailure] = useState<Failure | null>(null);
  if (!mayWrite || key === null || !row.variants) return null;
  const ask = async (work: () => Promise<void>) => {
    setFailure(null);
    try {
      await work();
    } catch (reason) {
      if (!(reason instanceof Failure)) throw reason;
      note(reason);
      setFailure(reason);
    }
  };
  const sending = { key, signal: new AbortController().signal };
  const read = async () => {
    const { answer } = await sendCall<RecordAnswer>(readRecord(row.id), sending);
    const { products } = answer.data[0] ?? {};
    if (products) setDoing(products);
  };
  const remove = async () => {
    await sendCall(deleteRecord(row.id), sending);
    forgetAnswers();
    navigate(leftResults());
  };
  return (
    <section class="change-item" aria-label="Your catalog">
      {failure && <FailureNote failure={failure} title="This was not done" />}
      {doing === 'nothing' && (
        <p class="choices">
          <button type="button" onClick={() => void ask(read)}>
            Change
          </button>
          <button type="button" onClick={() => setDoing('removing')}>
            Remove
          </button>
        </p>
      )}
      {doing === 'removing' && (
        <div role="alertdialog" aria-labelledby="removing">
          <p id="removing">Take {titleOf(row)} out of the catalog? No search or photo finds it then.</p>
          <p class="choices">
            <button type="button" class="primary" onClick={() => void ask(remove)}>
              Remove it
            </button>
            <button type="button" onClick={() => setDoing('nothing')}>
              Keep it
            </button>
          </p>
        </div>
      )}
      {typeof doing === 'object' && (
        <Writing
          id={row.id}
          start={draftOf(row, doing, categories)}
          given={[]}
          before={doing}
          saying="Save"
          done={() => {
            setDoing('nothing');
            forgetAnswers();
            changed();
          }}
          cancel={() => setDoing('nothing')}
        />
      )}
    </section>
  );
}

interface WritingProps {
  readonly id: string;
  readonly start: Draft;
  readonly given: readonly Photo[];
  readonly before: ProductRecord | null;
  readonly saying: string;
  readonly done: () => void;
  readonly cancel: () => void;
}

function Writing({ id, start, given, before, saying, done, cancel }: WritingProps) {
  const { key, note } = useSession();
  const [draft, setDraft] = useState(start);
  const [copies] = useState(() => given.map(copyOf));
  const photos = usePhotos(PICTURES_MAX, copies);
  const [step, setStep] = useState('');
  const [fault, setFault] = useState<Failure | string | null>(null);
  const running = useRef<AbortController | null>(null);
  useEffect(() => () => running.current?.abort(), []);
  const save = async () => {
    if (key === null) return;
    const saving = new AbortController();
    const { signal } = saving;
    running.current = saving;
    setFault(null);
    setStep('Saving');
    try {
      await writeItem(id, draft, photos.photos, before, { key, signal, onStep: setStep });
      if (!signal.aborted) done();
    } catch (reason) {
      if (signal.aborted) return;
      if (reason instanceof Failure) note(reason);
      else if (!(reason instanceof Refused)) throw reason;
      setFault(reason instanceof Failure ? reason : reason.message);
    } finally {
      if (!signal.aborted) setStep('');
    }
  };
  return (
    <>
      <ItemForm
        draft={draft}
        change={setDraft}
        photos={photos}
        busy={step !== ''}
        save={() => void save()}
        cancel={cancel}
        saying={saying}
      />
      <p role="status">{step}</p>
      {typeof fault === 'string' && (
        <p class="fault" role="alert">
          It was not accepted: {fault}
        </p>
      )}
      {fault instanceof Failure && <FailureNote failure={fault} again={() => void save()} />}
    </>
  );
}

const POLL_MS = 1_000;

/** Tells when photos find what was added. */
function Added({ id, another }: { readonly id: string; readonly another: () => void }) {
  const { key } = useSession();
  const [words, setWords] = useState('Searches find it. Its pictures are being looked at.');
  useEffect(() => {
    forgetAnswers();
    if (key === null) return;
    const asking = new AbortController();
    const look = async () => {
      const { answer } = await sendCall<RecordStatusAnswer>(recordStatus(id), { key, signal: asking.signal });
      const { embedded, pending, failed } = answer.pictures;
      if (pending > 0) return void setTimeout(() => void look().catch(() => undefined), POLL_MS);
      if (embedded > 0) setWords('Searches and photos find it.');
      else if (failed > 0)
        setWords('Searches find it. None of its pictures could be read, so photos do not.');
      else setWords('Searches find it. Without a picture, photos do not.');
    };
    look().catch(() => undefined);
    return () => asking.abort();
  }, [id, key]);
  return (
    <>
      <p role="status">{words}</p>
      <p class="choices">
        <Link to={itemLink(id)} class="button">
          Open it
        </Link>
        <button type="button" onClick={another}>
          Add another item
        </button>
      </p>
    </>
  );
}

type Categories = ReturnType<typeof useSession>['categories'];

/** A new item that shares the levels above a product that looks like it. */
function draftLike(like: Row | undefined, categories: Categories): Draft {
  const attributes = like?.attributes ?? [];
  const category = attributes.find(({ field }) => field === 'category')?.id ?? categories[0]?.id ?? '';
  const kinds = levelsOf(categories, category);
  const levels = levelsAt(kinds, (kind) => (kind === kinds[0] ? levelOf(like, kind) : undefined));
  return { category, levels, title: '', sku: '', url: '', pictures: [] };
}

function draftOf(row: Row, record: ProductRecord, categories: Categories): Draft {
  const category = String(record['category'] ?? '');
  const images = record['images'] as readonly string[];
  const thumbnails = record['thumbnails'] as readonly string[];
  return {
    category,
    levels: levelsAt(levelsOf(categories, category), (kind) => levelOf(row, kind)),
    title: row.title ?? '',
    sku: row.sku ?? '',
    url: row.url ?? '',
    pictures: images.map((image, at) => ({ image, thumbnail: thumbnails[at] })),
  };
}

const levelOf = (row: Row | undefined, kind: string): Level | undefined =>
  row?.attributes?.find(({ field }) => field === kind);
