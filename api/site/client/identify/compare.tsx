import type { ComponentChild } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { FramedPicture } from '../photos/frame-editor';
import type { Photo } from '../photos/photo';
import type { Row } from '../service/calls';
import { Button, Picture } from '../shell/parts';

const ZOOM_MAX = 5;

/** The photos beside the catalog's pictures of a row, the nearest two first; both are enlarged together. */
export function Compare({ photos, row }: { readonly photos: readonly Photo[]; readonly row: Row }) {
  const [zoom, setZoom] = useState(1);
  const pictures = picturesOf(row);
  const nearest = row.evidence?.photo ?? 0;
  return (
    <div class="compare">
      <Pane key={nearest} name="Your picture" first={nearest} zoom={zoom}>
        {photos.map((photo) => (
          <FramedPicture key={photo.id} photo={photo} alt="As you sent it" />
        ))}
      </Pane>
      <Pane key={row.id} name="In the catalog" first={0} zoom={zoom}>
        {pictures.map((src, at) => (
          <Picture
            key={src}
            src={src}
            alt={at === 0 && row.evidence?.image ? 'The nearest in the catalog' : 'From the catalog'}
            eager
          />
        ))}
      </Pane>
      <label class="zoom">
        <span>Zoom</span>
        <input
          type="range"
          min={1}
          max={ZOOM_MAX}
          step={0.5}
          value={zoom}
          aria-valuetext={`${zoom} times`}
          onInput={({ currentTarget }) => setZoom(Number(currentTarget.value))}
        />
      </label>
    </div>
  );
}

/** The picture that a row was found by, then its own; at least one entry, even without a picture. */
function picturesOf({ evidence, images, variants = [] }: Row): readonly (string | undefined)[] {
  const all = [evidence?.image || undefined, ...images, ...variants.flatMap((variant) => variant.images)];
  const known = [...new Set(all.filter((each) => each !== undefined))];
  return known.length > 0 ? known : [undefined];
}

type PaneProps = Readonly<{ name: string; first: number; zoom: number; children: readonly ComponentChild[] }>;

/**
 * One of several pictures. Enlarged, it is moved by dragging, by touch or by arrow keys, and keeps its centre.
 * @param first position of the picture shown first
 */
function Pane({ name, first, zoom, children }: PaneProps) {
  const [at, setAt] = useState(first);
  const view = useRef<HTMLElement>(null);
  const centre = useRef({ x: 0.5, y: 0.5 });
  useLayoutEffect(() => {
    const { current } = view;
    if (!current) return;
    const { x, y } = centre.current;
    current.scrollLeft = x * current.scrollWidth - current.clientWidth / 2;
    current.scrollTop = y * current.scrollHeight - current.clientHeight / 2;
  }, [zoom]);
  return (
    <figure>
      <section
        class="pane"
        ref={view}
        style={{ '--zoom': zoom }}
        tabIndex={zoom > 1 ? 0 : -1}
        aria-label={`Compare: ${name.toLowerCase()}`}
        onScroll={({ currentTarget: pane }) => {
          centre.current = {
            x: (pane.scrollLeft + pane.clientWidth / 2) / pane.scrollWidth,
            y: (pane.scrollTop + pane.clientHeight / 2) / pane.scrollHeight,
          };
        }}
        onPointerDown={(event) => {
          // Touch scrolls by itself.
          if (event.pointerType !== 'mouse' || event.button !== 0) return;
          event.preventDefault();
          event.currentTarget.setPointerCapture(event.pointerId);
        }}
        onPointerMove={({ currentTarget, pointerId, movementX, movementY }) => {
          if (currentTarget.hasPointerCapture(pointerId)) currentTarget.scrollBy(-movementX, -movementY);
        }}
      >
        {children[at]}
      </section>
      <figcaption class="fine">
        <span>
          {name}
          {children.length > 1 && ` ${at + 1}`}
        </span>
        {children.length > 1 && (
          <span class="which">
            {children.map((_, each) => (
              <Button key={each} aria-pressed={each === at} onClick={() => setAt(each)}>
                <span class="hidden">{name} </span>
                {each + 1}
              </Button>
            ))}
          </span>
        )}
      </figcaption>
    </figure>
  );
}
