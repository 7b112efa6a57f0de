import { useId, useState } from 'preact/hooks';
import { copyOf, type Photo, usePhotos } from '../photos/photo';
import { PhotoTray, RemoveButton } from '../photos/photo-tray';
import { readable } from '../service/names';
import { useDebounced, useSuggestions, useTask } from '../session/hooks';
import { useSession } from '../session/session';
import * as parts from '../shell/parts';
import { type Draft, kindsOf, levelsAt, type ProductRecord, writeItem } from './write-item';

const PICTURES_MAX = 10;

interface Props {
  readonly id: string;
  readonly start: Draft;
  readonly given: readonly Photo[];
  /** The record as it is, for an item that is changed. */
  readonly before: ProductRecord | null;
  readonly submitLabel: string;
  readonly done: () => void;
  readonly cancel: () => void;
}

export function ItemForm({ id, start, given, before, submitLabel, done, cancel }: Props) {
  const { categories, send } = useSession();
  const [draft, setDraft] = useState(start);
  const [copies] = useState(() => given.map(copyOf));
  const photos = usePhotos(PICTURES_MAX, copies);
  const [step, setStep] = useState('');
  const { busy, failure, run } = useTask();
  const change = (part: Partial<Draft>) => setDraft({ ...draft, ...part });
  const kinds = kindsOf(categories, draft.category);
  const [outermost, ...others] = kinds;
  const level = (kind: string) => (
    <LevelField
      key={kind}
      kind={kind}
      category={draft.category}
      value={draft.levels[kind]?.name ?? ''}
      change={(name) => change({ levels: { ...draft.levels, [kind]: { name, id: null } } })}
    />
  );
  const text = (field: 'title' | 'sku' | 'url') => ({
    value: draft[field],
    change: (value: string) => change({ [field]: value }),
  });
  const isNamed = draft.title.trim() !== '' || kinds.some((kind) => draft.levels[kind]?.name.trim());
  const save = () =>
    void run(async (signal) => {
      setStep('Saving');
      await writeItem(id, draft, photos.photos, before, { send, signal, onStep: setStep });
      if (!signal.aborted) done();
    });
  return (
    <>
      <parts.Form class="item-form" submit={() => !busy && isNamed && save()}>
        <parts.Select
          label="Category"
          focused
          value={draft.category}
          options={categories.map(({ id: category, name }) => [category, name])}
          choose={(category) =>
            change({
              category,
              levels: levelsAt(kindsOf(categories, category), (kind) => draft.levels[kind]),
            })
          }
        />
        {outermost && level(outermost)}
        <TextField label="Title" maxLength={512} {...text('title')} />
        <TextField label="Your number (SKU)" maxLength={128} {...text('sku')} />
        <TextField
          label="Its page in your shop"
          placeholder="https://"
          pattern="https://.+"
          {...text('url')}
        />
        {others.length > 0 && (
          <details open={others.some((kind) => draft.levels[kind]?.name)}>
            <summary>{NAMES.format(others.map(readable))}</summary>
            <div class="fields">{others.map(level)}</div>
          </details>
        )}
        <StoredPictures pictures={draft.pictures} change={(pictures) => change({ pictures })} />
        {photos.photos.length > 0 && <PhotoTray photos={photos} faulty={null} />}
        <parts.Alert words={photos.refused} />
        <p class="choices">
          <parts.Button type="submit" class="primary" disabled={busy || !isNamed}>
            {submitLabel}
          </parts.Button>
          {!photos.full && <parts.FileButton give={photos.add}>Add pictures</parts.FileButton>}
          <parts.Button onClick={cancel}>Cancel</parts.Button>
        </p>
        {!isNamed && (
          <p class="fine">It needs a title, or a {readable(outermost ?? 'brand').toLowerCase()}.</p>
        )}
      </parts.Form>
      <p role="status">{busy ? step : ''}</p>
      {failure && (
        <parts.FailureNote
          failure={failure}
          title={failure.status === 400 ? 'This was not saved' : undefined}
          again={save}
        />
      )}
    </>
  );
}

/** @param children what its input refers to */
function TextField({ label, children, ...input }: parts.TextProps & { readonly label: string }) {
  const id = useId();
  return (
    <label for={id}>
      {label}
      <parts.TextInput {...input} id={id} />
      {children}
    </label>
  );
}

const NAMES = new Intl.ListFormat('en', { type: 'conjunction' });

type PicturesProps = Pick<Draft, 'pictures'> & Readonly<{ change: (pictures: Draft['pictures']) => void }>;

const StoredPictures = ({ pictures, change }: PicturesProps) =>
  pictures.length > 0 ? (
    <ul class="tiles" aria-label="Its pictures">
      {pictures.map(({ image, thumbnail }, at) => (
        <li key={image}>
          <parts.Picture src={thumbnail ?? image} alt={`Picture ${at + 1}`} />
          <span class="acts">
            <RemoveButton name={`picture ${at + 1}`} remove={() => change(pictures.toSpliced(at, 1))} />
          </span>
        </li>
      ))}
    </ul>
  ) : null;

function LevelField({
  kind,
  category,
  ...rest
}: parts.TextProps & Readonly<Record<'kind' | 'category', string>>) {
  const [typing, setTyping] = useState(false);
  const suggestions = useSuggestions(useDebounced(typing ? rest.value : ''), category);
  const list = `names-${kind}`;
  const on = (is: boolean) => () => setTyping(is);
  return (
    <TextField
      label={readable(kind)}
      maxLength={512}
      list={list}
      onFocus={on(true)}
      onBlur={on(false)}
      {...rest}
    >
      <datalist id={list}>
        {suggestions.map(({ node, name }) => node === kind && <option key={name} value={name} />)}
      </datalist>
    </TextField>
  );
}
