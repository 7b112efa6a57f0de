import { useEffect, useRef, useState } from 'preact/hooks';
import { Button } from '../shell/parts';
import { FramedPicture, FrameEditor } from './frame-editor';
import type { Photo, Photos } from './photo';

type Props = Readonly<{ photos: Photos; faulty: Photo | null }>;

export function PhotoTray({ photos: { photos, remove, frame }, faulty }: Props) {
  const [opened, setOpened] = useState<number>();
  const list = useRef<HTMLUListElement>(null);
  const [removed, setRemoved] = useState<number>();
  const open = photos.find(({ id }) => id === opened);
  // The focused element is gone; the next of its kind gets the focus.
  useEffect(() => {
    if (removed === undefined) return;
    const others = list.current?.querySelectorAll<HTMLElement>('.remove') ?? [];
    others[Math.min(removed, others.length - 1)]?.focus();
    setRemoved(undefined);
  }, [removed]);
  return (
    <div class="tray">
      <ul class="tiles" ref={list} aria-label="Your pictures">
        {photos.map((photo, at) => (
          <Tile
            key={photo.id}
            photo={photo}
            name={`picture ${at + 1}`}
            faulty={photo.id === faulty?.id}
            open={photo === open}
            toggle={() => setOpened(photo === open ? undefined : photo.id)}
            remove={() => {
              remove(photo);
              setRemoved(at);
            }}
          />
        ))}
      </ul>
      {open && (
        <FrameEditor
          key={open.id}
          photo={open}
          name={`picture ${photos.indexOf(open) + 1}`}
          change={(next) => frame(open, next)}
          close={() => {
            setOpened(undefined);
            list.current?.querySelector<HTMLElement>('[aria-expanded="true"]')?.focus();
          }}
        />
      )}
    </div>
  );
}

interface TileProps extends Readonly<Record<'toggle' | 'remove', () => void>> {
  readonly photo: Photo;
  readonly name: string;
  readonly faulty: boolean;
  readonly open: boolean;
}

function Tile({ photo, name, faulty, open, toggle, remove }: TileProps) {
  const [seen, setSeen] = useState(false);
  return (
    <li class={faulty ? 'faulty' : undefined}>
      <FramedPicture
        photo={photo}
        alt={photo.name}
        shown={photo.kind === 'file'}
        onSize={() => setSeen(true)}
      />
      {!seen && <span class="fine name">{photo.name}</span>}
      {faulty && <span class="fault">Can’t be used</span>}
      <span class="acts">
        {seen && (
          <Button class="link" aria-expanded={open} onClick={toggle}>
            Frame<span class="hidden"> the item in {name}</span>
          </Button>
        )}
        <RemoveButton name={name} remove={remove} />
      </span>
    </li>
  );
}

/** @param name the picture's, for screen readers */
export const RemoveButton = ({ name, remove }: { name: string; remove: () => void }) => (
  <Button class="link remove" onClick={remove}>
    Remove<span class="hidden"> {name}</span>
  </Button>
);
