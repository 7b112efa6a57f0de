import { useState } from 'preact/hooks';
import type { Point } from './frame';
import { FramedPicture } from './framed-picture';
import { type Photo, readableBytes } from './photo';

interface Props {
  readonly photos: readonly Photo[];
  /** The one that can't be used. */
  readonly faulty: Photo | null;
  /** Whether what lies at an address may be shown. */
  readonly reached: boolean;
  readonly change: () => void;
  readonly clear: () => void;
}

/** The pictures as they were sent, and the ways to others. */
export function SentPhotos({ photos, faulty, reached, change, clear }: Props) {
  const alone = photos.length === 1;
  return (
    <section class="sent" aria-label={alone ? 'Your picture' : 'Your pictures'}>
      <ol class={alone ? undefined : 'tiles'}>
        {photos.map((photo) => (
          <SentPhoto
            key={photo.id}
            photo={photo}
            alone={alone}
            faulty={photo === faulty}
            shown={reached || photo.kind === 'file'}
          />
        ))}
      </ol>
      <p class="choices">
        <button type="button" onClick={change}>
          Change pictures
        </button>
        <button type="button" onClick={clear}>
          Another item
        </button>
      </p>
    </section>
  );
}

interface PhotoProps {
  readonly photo: Photo;
  readonly alone: boolean;
  readonly faulty: boolean;
  readonly shown: boolean;
}

function SentPhoto({ photo, alone, faulty, shown }: PhotoProps) {
  const [size, setSize] = useState<Point>();
  const facts = [
    size && `${size.x} × ${size.y}`,
    photo.kind === 'file' ? readableBytes(photo.file.size) : undefined,
  ];
  return (
    <li class={faulty ? 'faulty' : undefined}>
      <figure>
        <span class="picture as-is">
          <FramedPicture
            photo={photo}
            alt={alone ? 'As you sent it' : photo.name}
            shown={shown}
            onSize={setSize}
          />
        </span>
        <figcaption>
          {alone && (
            <>
              <span class="label">Your picture</span>
              <span class="name">{photo.name}</span>
              <span class="fine">{facts.filter(Boolean).join(', ')}</span>
            </>
          )}
          {faulty && <span class="fault">Can’t be used</span>}
        </figcaption>
      </figure>
    </li>
  );
}
