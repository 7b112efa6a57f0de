import { useEffect, useRef, useState } from 'preact/hooks';
import { readable } from '../item/rows';
import { mayBePicture, type Photos } from '../photos/photo';
import { PhotoTray } from '../photos/photo-tray';
import { useSession } from '../session/session';
import { useLater, useSuggestions } from '../session/use-suggestions';
import { Picture } from '../shell/parts';
import { type Draft, levelsAt, type StoredPicture } from './write-item';

interface Props {
  readonly draft: Draft;
  readonly change: (draft: Draft) => void;
  /** Pictures to send with it. */
  readonly photos: Photos;
  readonly busy: boolean;
  readonly save: () => void;
  readonly cancel: () => void;
  /** What the button says. */
  readonly saying: string;
}

/** What a shop says of an item: where it belongs, what it is called, and its pictures. */
export function ItemForm({ draft, change, photos, busy, save, cancel, saying }: Props) {
  const { categories } = useSession();
  const first = useRef<HTMLSelectElement>(null);
  useEffect(() => first.current?.focus({ preventScroll: true }), []);
  const kinds = levelsOf(categories, draft.category);
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
  const isNamed = draft.title.trim() !== '' || kinds.some((kind) => draft.levels[kind]?.name.trim());
  return (
    <form
      class="item-form"
      onSubmit={(event) => {
        event.preventDefault();
        if (!busy && isNamed) save();
      }}
    >
      <label>
        Category
        <select
          ref={first}
          value={draft.category}
          onChange={({ currentTarget: { value: category } }) => {
            const levels = levelsAt(levelsOf(categories, category), (kind) => draft.levels[kind]);
            change({ ...draft, category, levels });
          }}
        >
          {categories.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      </label>
      {outermost && level(outermost)}
      <TextField
        label="Title"
        max={512}
        value={draft.title}
        change={(title) => change({ ...draft, title })}
      />
      <TextField
        label="Your number (SKU)"
        max={128}
        value={draft.sku}
        change={(sku) => change({ ...draft, sku })}
      />
      <TextField
        label="Its page in your shop"
        placeholder="https://"
        pattern="https://.+"
        value={draft.url}
        change={(url) => change({ ...draft, url })}
      />
      {others.length > 0 && (
        <details open={others.some((kind) => draft.levels[kind]?.name)}>
          <summary>{NAMES.format(others.map(readable))}</summary>
          <div class="fields">{others.map(level)}</div>
        </details>
      )}
      <StoredPictures
        pictures={draft.pictures}
        remove={(gone) => change({ ...draft, pictures: draft.pictures.filter((each) => each !== gone) })}
      />
      {photos.photos.length > 0 && <PhotoTray photos={photos} faulty={null} />}
      {photos.refused && (
        <p class="fault" role="alert">
          {photos.refused}
        </p>
      )}
      <p class="choices">
        <button type="submit" class="primary" disabled={busy || !isNamed}>
          {saying}
        </button>
        {!photos.full && (
          <label class="button">
            <input
              type="file"
              accept="image/jpeg,image/png,image/webp"
              multiple
              onChange={({ currentTarget }) => {
                photos.add([...(currentTarget.files ?? [])].filter(mayBePicture));
                currentTarget.value = '';
              }}
            />
            Add pictures
          </label>
        )}
        <button type="button" onClick={cancel}>
          Cancel
        </button>
      </p>
      {!isNamed && <p class="fine">It needs a title, or a {readable(outermost ?? 'brand').toLowerCase()}.</p>}
    </form>
  );
}

const NAMES = new Intl.ListFormat('en', { type: 'conjunction' });

/** The kinds of the hierarchy of a category, outermost first. */
export const levelsOf = (
  categories: ReturnType<typeof useSession>['categories'],
  category: string,
): readonly string[] =>
  (categories.find(({ id }) => id === category)?.nodes ?? []).filter(
    (node) => node !== 'product' && node !== 'category',
  );

interface TextFieldProps {
  readonly label: string;
  readonly value: string;
  readonly change: (text: string) => void;
  readonly placeholder?: string;
  readonly pattern?: string;
  readonly max?: number;
}

function TextField({ label, value, change, max, ...rest }: TextFieldProps) {
  return (
    <label>
      {label}
      <input
        {...rest}
        {...(max ? { maxLength: max } : {})}
        type="text"
        autocomplete="off"
        value={value}
        onInput={({ currentTarget }) => change(currentTarget.value)}
      />
    </label>
  );
}

interface LevelProps {
  readonly kind: string;
  readonly category: string;
  readonly value: string;
  readonly change: (name: string) => void;
}

/** What an item is at a level, with what the catalog has there as suggestions. */
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

interface StoredProps {
  readonly pictures: readonly StoredPicture[];
  readonly remove: (picture: StoredPicture) => void;
}

function StoredPictures({ pictures, remove }: StoredProps) {
  if (pictures.length === 0) return null;
  return (
    <ul class="tiles" aria-label="Its pictures">
      {pictures.map((picture, at) => (
        <li key={picture.image}>
          <Picture src={picture.thumbnail ?? picture.image} alt={`Picture ${at + 1}`} />
          <span class="acts">
            <button type="button" class="link remove" onClick={() => remove(picture)}>
              Remove<span class="hidden"> picture {at + 1}</span>
            </button>
          </span>
        </li>
      ))}
    </ul>
  );
}
