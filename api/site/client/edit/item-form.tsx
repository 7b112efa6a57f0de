import { useState } from 'preact/hooks';
import type { Photos } from '../photos/photo';
import { PhotoTray, RemoveButton } from '../photos/photo-tray';
import { readable } from '../service/names';
import { useLater, useSuggestions } from '../session/hooks';
import { useSession } from '../session/session';
import { Button, FileButton, Picture, Select } from '../shell/parts';
import { type Draft, kindsOf, levelsAt } from './write-item';

interface Props {
  readonly draft: Draft;
  readonly change: (draft: Draft) => void;
  /** Pictures to send with it. */
  readonly photos: Photos;
  readonly busy: boolean;
  readonly save: () => void;
  readonly cancel: () => void;
  /** The label of the button. */
  readonly saying: string;
}

/** A shop's data on an item: where it belongs, its name, and its pictures. */
export function ItemForm({ draft, change, photos, busy, save, cancel, saying }: Props) {
  const { categories } = useSession();
  const kinds = kindsOf(categories, draft.category);
  const [outermost, ...others] = kinds;
  const level = (kind: string) => (
    <LevelField
      key={kind}
      kind={kind}
      category={draft.category}
      value={draft.levels[kind]?.name ?? ''}
      change={(name) => change({ ...draft, levels: { ...draft.levels, [kind]: { name, id: null } } })}
    />
  );
  const text = (field: 'title' | 'sku' | 'url') => ({
    value: draft[field],
    change: (value: string) => change({ ...draft, [field]: value }),
  });
  const isNamed = draft.title.trim() !== '' || kinds.some((kind) => draft.levels[kind]?.name.trim());
  return (
    <form
      class="item-form"
      onSubmit={(event) => {
        event.preventDefault();
        if (!busy && isNamed) save();
      }}
    >
      <Select
        label="Category"
        focused
        value={draft.category}
        options={categories.map(({ id, name }) => [id, name])}
        choose={(category) => {
          const levels = levelsAt(kindsOf(categories, category), (kind) => draft.levels[kind]);
          change({ ...draft, category, levels });
        }}
      />
      {outermost && level(outermost)}
      <TextField label="Title" maxLength={512} {...text('title')} />
      <TextField label="Your number (SKU)" maxLength={128} {...text('sku')} />
      <TextField label="Its page in your shop" placeholder="https://" pattern="https://.+" {...text('url')} />
      {others.length > 0 && (
        <details open={others.some((kind) => draft.levels[kind]?.name)}>
          <summary>{NAMES.format(others.map(readable))}</summary>
          <div class="fields">{others.map(level)}</div>
        </details>
      )}
      {draft.pictures.length > 0 && (
        <ul class="tiles" aria-label="Its pictures">
          {draft.pictures.map(({ image, thumbnail }, at) => (
            <li key={image}>
              <Picture src={thumbnail ?? image} alt={`Picture ${at + 1}`} />
              <span class="acts">
                <RemoveButton
                  name={`picture ${at + 1}`}
                  remove={() => change({ ...draft, pictures: draft.pictures.toSpliced(at, 1) })}
                />
              </span>
            </li>
          ))}
        </ul>
      )}
      {photos.photos.length > 0 && <PhotoTray photos={photos} faulty={null} />}
      {photos.refused && (
        <p class="fault" role="alert">
          {photos.refused}
        </p>
      )}
      <p class="choices">
        <Button type="submit" class="primary" disabled={busy || !isNamed}>
          {saying}
        </Button>
        {!photos.full && <FileButton give={photos.add}>Add pictures</FileButton>}
        <Button onClick={cancel}>Cancel</Button>
      </p>
      {!isNamed && <p class="fine">It needs a title, or a {readable(outermost ?? 'brand').toLowerCase()}.</p>}
    </form>
  );
}

const NAMES = new Intl.ListFormat('en', { type: 'conjunction' });

interface TextProps {
  readonly label: string;
  readonly value: string;
  readonly change: (text: string) => void;
  readonly maxLength?: number;
  readonly placeholder?: string;
  readonly pattern?: string;
}

const TextField = ({ label, change, ...rest }: TextProps) => (
  <label>
    {label}
    <input
      {...rest}
      type="text"
      autocomplete="off"
      onInput={({ currentTarget }) => change(currentTarget.value)}
    />
  </label>
);

interface LevelProps {
  readonly kind: string;
  readonly category: string;
  readonly value: string;
  readonly change: (name: string) => void;
}

/** An item's value at one level, with the catalog's values there as suggestions. */
function LevelField({ kind, category, value, change }: LevelProps) {
  const [typing, setTyping] = useState(false);
  const suggestions = useSuggestions(useLater(typing ? value : ''), category);
  const names = suggestions.filter(({ node }) => node === kind).map(({ name }) => name);
  return (
    <label>
      {readable(kind)}
      <input
        type="text"
        autocomplete="off"
        spellcheck={false}
        maxLength={512}
        list={`names-${kind}`}
        value={value}
        onFocus={() => setTyping(true)}
        onBlur={() => setTyping(false)}
        onInput={({ currentTarget }) => change(currentTarget.value)}
      />
      <datalist id={`names-${kind}`}>
        {names.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </label>
  );
}
