import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Point } from '../photos/frame';
import { FramedPicture } from '../photos/frame-editor';
import { type Given, givenIn, type Photo, readableBytes, usePhotos } from '../photos/photo';
import type { IdentifyOptions } from '../service/calls';
import { identifyTitle } from '../service/names';
import { useSession } from '../session/session';
import { Button, FailureNote } from '../shell/parts';
import { Findings } from './findings';
import { PhotoIntake } from './photo-intake';
import { useIdentification } from './use-identification';

interface Props {
  readonly shown: boolean;
  /** Whether an item is to be added; its photos first show whether the catalog has it. */
  readonly adding: boolean;
  readonly imageBytesMax: number;
  readonly photosMax: number;
}

const USUAL: IdentifyOptions = { category: '', pricing: true, nearest: false };

/** From photos of an item to what they show. */
export function IdentifyView({ shown, adding, imageBytesMax, photosMax }: Props) {
  const { stage, faulty, start, leave } = useIdentification(imageBytesMax);
  const photos = usePhotos(photosMax);
  const [options, setOptions] = useState(USUAL);
  const visited = useRef(false);
  const identify = (chosen: readonly Photo[]) => {
    visited.current = true;
    // Checking whether it is in the catalog needs no price.
    start({ photos: chosen, ...options, pricing: options.pricing && !adding });
  };
  const begin = (given: readonly Given[]) => {
    setOptions({ ...options, category: '' });
    photos.add(given, []);
    leave();
  };
  /** Pictures of another item, once one is identified; else more sides of this one, replacing unusable ones. */
  const give = (given: readonly Given[]) => {
    if (stage?.is === 'done') return begin(given);
    const unusable = stage?.faulty?.id;
    photos.add(
      given,
      photos.photos.filter(({ id }) => id !== unusable),
    );
    leave();
  };
  const dragged = useGivenPhotos(shown, give);
  const { categories } = useSession();
  useEffect(() => {
    if (shown) document.title = `${adding ? 'Add an item' : identifyTitle(categories)} · Loupe`;
  }, [shown, adding, categories]);
  const { question } = stage ?? {};
  const sent = question?.photos ?? [];
  return (
    <>
      {stage && question ? (
        <div>
          <h1 class="hidden" tabIndex={-1}>
            Identify from a photo
          </h1>
          <SentPhotos
            photos={sent}
            faulty={stage.faulty}
            // This browser does not request what the service could not, or must not, fetch.
            reached={stage.is === 'done'}
            change={leave}
            clear={() => begin([])}
          />
          <section class="found" aria-label="What it shows">
            {stage.is === 'busy' && <Progress sent={stage.sent} photos={sent.length} cancel={leave} />}
            {stage.is === 'failed' && (
              <FailureNote
                failure={stage.failure}
                title={
                  stage.faulty && sent.length > 1
                    ? `Picture ${sent.indexOf(stage.faulty) + 1} can’t be used`
                    : undefined
                }
                again={() => start(question)}
              />
            )}
            {stage.is === 'done' && (
              <Findings
                question={question}
                answered={stage.answered}
                adding={adding}
                another={() => begin([])}
                showNearest={() => start({ ...question, nearest: true })}
              />
            )}
          </section>
        </div>
      ) : (
        <PhotoIntake
          photos={photos}
          adding={adding}
          faulty={faulty}
          options={options}
          setOptions={setOptions}
          give={give}
          identify={() => identify(photos.photos)}
          identifySample={(sample) => identify(photos.add([sample]))}
          returned={visited.current}
        />
      )}
      {dragged && (
        <div class="drop-here" aria-hidden="true">
          <p>Drop anywhere</p>
        </div>
      )}
    </>
  );
}

/** Takes what is dropped or pasted anywhere on the page; returns whether something is being dragged over it. */
function useGivenPhotos(shown: boolean, give: (given: readonly Given[]) => void): boolean {
  const [dragged, setDragged] = useState(false);
  // Before the page is painted: a file dropped right after the first paint must not open in the browser.
  useLayoutEffect(() => {
    if (!shown) return;
    const hold = (event: DragEvent, held: boolean) => {
      event.preventDefault();
      setDragged(held);
    };
    const take = (data: DataTransfer | null) => {
      const given = givenIn(data);
      if (given.length > 0) give(given);
    };
    const listening = new AbortController();
    const { signal } = listening;
    addEventListener('dragover', (event) => hold(event, true), { signal });
    addEventListener('dragleave', (event) => event.relatedTarget === null && setDragged(false), { signal });
    addEventListener(
      'drop',
      (event) => {
        hold(event, false);
        take(event.dataTransfer);
      },
      { signal },
    );
    addEventListener(
      'paste',
      ({ target, clipboardData }) => {
        if (!(target instanceof HTMLInputElement) || clipboardData?.files.length) take(clipboardData);
      },
      { signal },
    );
    return () => listening.abort();
  });
  return dragged;
}

interface ProgressProps {
  /** The fraction of the photos sent so far, 0 to 1. */
  readonly sent: number;
  readonly photos: number;
  readonly cancel: () => void;
}

/** The progress: sending, which can be measured, then comparing, which can't. */
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
      <Button onClick={cancel}>Cancel</Button>
    </div>
  );
}

interface SentPhotosProps {
  readonly photos: readonly Photo[];
  /** The unusable one. */
  readonly faulty: Photo | null;
  /** Whether the picture at an address may be shown. */
  readonly reached: boolean;
  readonly change: () => void;
  readonly clear: () => void;
}

/** The pictures as they were sent, and the controls to choose others. */
function SentPhotos({ photos, faulty, reached, change, clear }: SentPhotosProps) {
  const alone = photos.length === 1;
  return (
    <section class="sent" aria-label={alone ? 'Your picture' : 'Your pictures'}>
      <ol class={alone ? undefined : 'tiles'}>
        {photos.map((photo) => (
          <li key={photo.id} class={photo === faulty ? 'faulty' : undefined}>
            <SentPhoto photo={photo} alone={alone} shown={reached || photo.kind === 'file'} />
            {photo === faulty && <span class="fault">Can’t be used</span>}
          </li>
        ))}
      </ol>
      <p class="choices">
        <Button onClick={change}>Change pictures</Button>
        <Button onClick={clear}>Another item</Button>
      </p>
    </section>
  );
}

type PhotoProps = { readonly photo: Photo } & Readonly<Record<'alone' | 'shown', boolean>>;

function SentPhoto({ photo, alone, shown }: PhotoProps) {
  const [size, setSize] = useState<Point>();
  const bytes = photo.kind === 'file' && readableBytes(photo.file.size);
  const alt = alone ? 'As you sent it' : photo.name;
  return (
    <figure>
      <FramedPicture photo={photo} alt={alt} shown={shown} onSize={setSize} />
      {alone && (
        <figcaption>
          <span class="label">Your picture</span>
          <span class="name">{photo.name}</span>
          <span class="fine">{[size && `${size.x} × ${size.y}`, bytes].filter(Boolean).join(', ')}</span>
        </figcaption>
      )}
    </figure>
  );
}
