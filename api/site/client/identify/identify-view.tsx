import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Point } from '../photos/frame';
import { FramedPicture } from '../photos/frame-editor';
import { type Given, givenIn, type Photo, readableBytes, usePhotos } from '../photos/photo';
import type { IdentifyOptions } from '../service/calls';
import { identifyTitle } from '../service/names';
import { useSession } from '../session/session';
import { FailureNote } from '../shell/parts';
import { Findings } from './findings';
import { PhotoIntake } from './photo-intake';
import { type Question, useIdentification } from './use-identification';

interface Props {
  readonly shown: boolean;
  /** Whether an item is to be added; its photos show first whether it is there. */
  readonly adding: boolean;
  readonly imageBytesMax: number;
  readonly photosMax: number;
}

const USUAL: IdentifyOptions = { category: '', pricing: true, nearest: false };

/** From photos of an item to what they show. */
export function IdentifyView({ shown, adding, imageBytesMax, photosMax }: Props) {
  const { stage, start, again, leave } = useIdentification(imageBytesMax);
  const photos = usePhotos(photosMax);
  const [options, setOptions] = useState(USUAL);
  const visited = useRef(false);
  const identify = (chosen: readonly Photo[]) => {
    visited.current = true;
    // Whether it is there needs no price.
    start({ photos: chosen, ...options, pricing: options.pricing && !adding });
  };
  const begin = (given: readonly Given[]) => {
    setOptions({ ...options, category: '' });
    photos.add(given, []);
    leave();
  };
  /** Pictures of another item, once one is identified; else more sides of this one, in place of what can't be used. */
  const give = (given: readonly Given[]) => {
    if (stage.is === 'done') return begin(given);
    const faulty = stage.is === 'failed' ? stage.faulty : null;
    photos.add(
      given,
      photos.photos.filter(({ id }) => id !== faulty?.id),
    );
    leave();
  };
  const dragged = useGivenPhotos(shown, give);
  const { categories } = useSession();
  useEffect(() => {
    if (shown) document.title = `${adding ? 'Add an item' : identifyTitle(categories)} · Loupe`;
  }, [shown, adding, categories]);
  return (
    <>
      {stage.is === 'empty' ? (
        <PhotoIntake
          photos={photos}
          adding={adding}
          faulty={stage.faulty}
          options={options}
          setOptions={setOptions}
          give={give}
          identify={() => identify(photos.photos)}
          identifySample={(sample) => identify(photos.add([sample]))}
          returned={visited.current}
        />
      ) : (
        <div class={stage.is === 'done' ? 'identified done' : 'identified'}>
          <h1 class="hidden" tabIndex={-1}>
            Identify from a photo
          </h1>
          <SentPhotos
            photos={stage.question.photos}
            faulty={stage.is === 'failed' ? stage.faulty : null}
            // What the service could not get, or must not, this browser does not ask for either.
            reached={stage.is === 'done'}
            change={leave}
            clear={() => begin([])}
          />
          <section class="found" aria-label="What it shows">
            {stage.is === 'busy' && (
              <Progress sent={stage.sent} photos={stage.question.photos.length} cancel={leave} />
            )}
            {stage.is === 'failed' && (
              <FailureNote failure={stage.failure} again={again} {...titleOf(stage.question, stage.faulty)} />
            )}
            {stage.is === 'done' && (
              <Findings
                question={stage.question}
                answered={stage.answered}
                adding={adding}
                another={() => begin([])}
                showNearest={() => start({ ...stage.question, nearest: true })}
              />
            )}
          </section>
        </div>
      )}
      {dragged && (
        <div class="drop-here" aria-hidden="true">
          <p>Drop anywhere</p>
        </div>
      )}
    </>
  );
}

/** Which of several pictures is at fault. */
const titleOf = ({ photos }: Question, faulty: Photo | null): { title?: string } =>
  faulty && photos.length > 1 ? { title: `Picture ${photos.indexOf(faulty) + 1} can’t be used` } : {};

/** Takes what is dropped or pasted anywhere on the page; answers whether something is held over it. */
function useGivenPhotos(shown: boolean, give: (given: readonly Given[]) => void): boolean {
  const [dragged, setDragged] = useState(false);
  // Before the page is painted: what is dropped on the first thing seen must not open as a file of the browser.
  useLayoutEffect(() => {
    if (!shown) return;
    const over = (event: DragEvent) => {
      event.preventDefault();
      setDragged(true);
    };
    const leave = (event: DragEvent) => {
      if (event.relatedTarget === null) setDragged(false);
    };
    const drop = (event: DragEvent) => {
      event.preventDefault();
      setDragged(false);
      const given = givenIn(event.dataTransfer);
      if (given.length > 0) give(given);
    };
    const paste = (event: ClipboardEvent) => {
      if (event.target instanceof HTMLInputElement && !event.clipboardData?.files.length) return;
      const given = givenIn(event.clipboardData);
      if (given.length > 0) give(given);
    };
    const listening = new AbortController();
    const { signal } = listening;
    addEventListener('dragover', over, { signal });
    addEventListener('dragleave', leave, { signal });
    addEventListener('drop', drop, { signal });
    addEventListener('paste', paste, { signal });
    return () => listening.abort();
  });
  return dragged;
}

interface ProgressProps {
  /** The part of the photos that was sent so far, 0 to 1. */
  readonly sent: number;
  readonly photos: number;
  readonly cancel: () => void;
}

/** What is going on: sending, which can be measured, then comparing, which can not. */
function Progress({ sent, photos, cancel }: ProgressProps) {
  const sending = sent < 1;
  const words = sending
    ? `Sending the picture${photos === 1 ? '' : 's'}`
    : `Comparing ${photos === 1 ? 'it' : 'them'} with the catalog`;
  return (
    <div class="progress">
      <p role="status">{words}</p>
      <progress class="hidden" aria-label="Progress" max={1} {...(sending ? { value: sent } : {})} />
      <span class={sending ? 'bar' : 'bar unknown'} aria-hidden="true">
        <span style={{ width: sending ? `${sent * 100}%` : '30%' }} />
      </span>
      <button type="button" onClick={cancel}>
        Cancel
      </button>
    </div>
  );
}

interface SentPhotosProps {
  readonly photos: readonly Photo[];
  /** The one that can't be used. */
  readonly faulty: Photo | null;
  /** Whether what lies at an address may be shown. */
  readonly reached: boolean;
  readonly change: () => void;
  readonly clear: () => void;
}

/** The pictures as they were sent, and the ways to others. */
function SentPhotos({ photos, faulty, reached, change, clear }: SentPhotosProps) {
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

type PhotoProps = { readonly photo: Photo } & Readonly<Record<'alone' | 'faulty' | 'shown', boolean>>;

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
