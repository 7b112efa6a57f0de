import { useState } from 'preact/hooks';
import { type Photo, readableBytes } from './photo';

interface Props {
  readonly photo: Photo;
  /** Whether the picture itself is shown, or its name alone. */
  readonly shown: boolean;
  readonly clear: () => void;
}

/** The picture as it was sent, and the way to another one. */
export function SentPhoto({ photo, shown, clear }: Props) {
  const [size, setSize] = useState<string>();
  const [broken, setBroken] = useState<string>();
  const facts = [size, photo.kind === 'file' ? readableBytes(photo.file.size) : undefined].filter(Boolean);
  return (
    <section class="sent" aria-label="Your picture">
      <figure>
        <span class="picture as-is">
          {!shown || broken === photo.preview ? (
            <span class="none">{shown ? 'This browser can’t show it' : 'At its address'}</span>
          ) : (
            <img
              src={photo.preview}
              alt="As you sent it"
              onLoad={({ currentTarget: { naturalWidth, naturalHeight } }) =>
                setSize(`${naturalWidth} × ${naturalHeight}`)
              }
              onError={() => setBroken(photo.preview)}
            />
          )}
        </span>
        <figcaption>
          <span class="label">Your picture</span>
          <span class="name">{photo.name}</span>
          <span class="fine">{facts.join(', ')}</span>
        </figcaption>
      </figure>
      <button type="button" onClick={clear}>
        Another picture
      </button>
    </section>
  );
}
