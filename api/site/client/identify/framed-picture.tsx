import { useState } from 'preact/hooks';
import type { Frame, Point } from './frame';
import type { Photo } from './photo';

interface Props {
  readonly photo: Photo;
  readonly alt: string;
  /** Whether the picture itself is shown, or its name alone. */
  readonly shown?: boolean;
  /** Told the size in pixels of what can be shown. */
  readonly onSize?: (size: Point) => void;
}

/** A picture as the caller gave it, with the frame around what is looked at. It fits into whatever holds it. */
export function FramedPicture({ photo, alt, shown = true, onSize }: Props) {
  const [ratio, setRatio] = useState(1);
  const [broken, setBroken] = useState<string>();
  if (!shown || broken === photo.preview) {
    return <span class="none">{shown ? 'No preview' : 'At its address'}</span>;
  }
  return (
    <span class="framed" style={{ '--ratio': ratio }}>
      <img
        src={photo.preview}
        alt={alt}
        draggable={false}
        onLoad={({ currentTarget: { naturalWidth: x, naturalHeight: y } }) => {
          setRatio(x / y);
          onSize?.({ x, y });
        }}
        onError={() => setBroken(photo.preview)}
      />
      {photo.frame && <span class="frame" aria-hidden="true" style={{ inset: insetOf(photo.frame) }} />}
    </span>
  );
}

const insetOf = ({ left, top, right, bottom }: Frame): string =>
  [top, 1 - right, 1 - bottom, left].map((each) => `${each * 100}%`).join(' ');
