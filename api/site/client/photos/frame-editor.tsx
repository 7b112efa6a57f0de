import { useRef, useState } from 'preact/hooks';
import { readable } from '../service/names';
import { Button } from '../shell/parts';
import * as frames from './frame';
import type { Photo } from './photo';

interface Props {
  readonly photo: Photo;
  readonly name: string;
  readonly change: (frame: frames.Frame | null) => void;
  readonly close: () => void;
}

/** Frames the item in a picture: drawn, moved and resized at its edges by pointer, or set by four sliders. */
export function FrameEditor({ photo, name, change, close }: Props) {
  const [size, setSize] = useState<frames.Point>({ x: 1, y: 1 });
  const least = frames.leastFrame(size.x, size.y);
  const frame = photo.frame ?? frames.WHOLE;
  return (
    <fieldset class="frame-editor">
      <legend>Frame the item in {name}</legend>
      <DrawingBoard photo={photo} least={least} change={change} setSize={setSize} />
      <div class="edges">
        {frames.EDGES.map((edge) => (
          <label key={edge}>
            {readable(edge)} edge
            <input
              type="range"
              min={0}
              max={100}
              value={Math.round(frame[edge] * 100)}
              aria-valuetext={`${Math.round(frame[edge] * 100)}%`}
              onInput={({ currentTarget }) => {
                const next = frames.withEdge(frame, edge, Number(currentTarget.value) / 100, least);
                // A slider that was pushed past its limit goes back, though nothing else changes.
                currentTarget.value = String(Math.round(next[edge] * 100));
                change(frames.unlessWhole(next));
              }}
            />
          </label>
        ))}
      </div>
      <p class="fine" role="status">
        {photo.frame ? 'Only what is in the frame is looked at.' : 'The whole picture is looked at.'}
      </p>
      <p class="choices">
        <Button onClick={close}>Done</Button>
        <Button disabled={photo.frame === null} onClick={() => change(null)}>
          Remove the frame
        </Button>
      </p>
    </fieldset>
  );
}

/** How near to an edge a pointer grabs it, in screen pixels. */
const REACH = 16;

type Drag = Readonly<{ frame: frames.Frame; grip: readonly frames.Edge[]; from: frames.Point }>;
type BoardProps = Pick<Props, 'photo' | 'change'> & {
  readonly least: frames.Point;
  setSize: (size: frames.Point) => void;
};

/** The picture to draw on. The sliders do the same, so it is not a separate control for users who can't point. */
function DrawingBoard({ photo, least, change, setSize }: BoardProps) {
  const drag = useRef<Drag | null>(null);
  const picture = useRef<HTMLDivElement>(null);
  const at = ({ clientX, clientY }: PointerEvent): readonly [place: frames.Point, reach: frames.Point] => {
    const box = picture.current?.querySelector('.framed')?.getBoundingClientRect() ?? new DOMRect(0, 0, 1, 1);
    const place = {
      x: within((clientX - box.left) / box.width),
      y: within((clientY - box.top) / box.height),
    };
    return [place, { x: REACH / box.width, y: REACH / box.height }];
  };
  return (
    <div
      class="board"
      ref={picture}
      onPointerDown={(event) => {
        if (!event.isPrimary || event.button !== 0) return;
        event.preventDefault();
        event.currentTarget.setPointerCapture(event.pointerId);
        const [from, reach] = at(event);
        const frame = photo.frame ?? frames.WHOLE;
        drag.current = { frame, grip: photo.frame ? frames.gripAt(frame, from, reach) : [], from };
      }}
      onPointerMove={(event) => {
        if (!drag.current) return;
        const { frame, grip, from } = drag.current;
        const next = frames.dragged(frame, grip, from, at(event)[0]);
        if (frames.isAtLeast(next, least)) change(frames.unlessWhole(next));
      }}
      onLostPointerCapture={() => {
        drag.current = null;
      }}
    >
      <FramedPicture photo={photo} alt="" onSize={setSize} class="" />
    </div>
  );
}

const within = (fraction: number): number => Math.min(1, Math.max(0, fraction));

interface FramedPictureProps {
  readonly photo: Photo;
  readonly alt: string;
  /** Whether the picture itself is shown, or its name alone. */
  readonly shown?: boolean;
  readonly onSize?: (size: frames.Point) => void;
  readonly class?: string;
}

/** A picture as the caller gave it, with the frame around the part to look at. It fits into its container. */
export function FramedPicture(props: FramedPictureProps) {
  const { photo, alt, shown = true, onSize, class: look = 'picture as-is' } = props;
  const [ratio, setRatio] = useState(1);
  const [broken, setBroken] = useState<string>();
  if (!shown || broken === photo.preview) {
    return (
      <span class={look}>
        <span class="none">{shown ? 'No preview' : 'At its address'}</span>
      </span>
    );
  }
  return (
    <span class={look}>
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
    </span>
  );
}

const insetOf = ({ left, top, right, bottom }: frames.Frame): string =>
  [top, 1 - right, 1 - bottom, left].map((each) => `${each * 100}%`).join(' ');
