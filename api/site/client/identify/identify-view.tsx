import { useEffect, useLayoutEffect, useState } from 'preact/hooks';
import type { Point } from '../photos/frame';
import { FramedPicture } from '../photos/frame-editor';
import { type Given, givenIn, type Photo, readableBytes } from '../photos/photo';
import { identifyTitle } from '../service/names';
import { useSession } from '../session/session';
import { Button, FailureNote } from '../shell/parts';
import { Findings } from './findings';
import { PhotoIntake } from './photo-intake';
import { type Identification, type Question, type Settings, useIdentification } from './use-identification';

export function IdentifyView({ shown, ...settings }: Settings & { readonly shown: boolean }) {
  const identification = useIdentification(settings);
  const { asked, adding, failure, faulty, start, give } = identification;
  const dragged = useGivenPhotos(shown, give);
  const { categories } = useSession();
  useEffect(() => {
    if (shown) document.title = `${adding ? 'Add an item' : identifyTitle(categories)} · Loupe`;
  }, [shown, adding, categories]);
  const several = asked && asked.question.photos.length > 1;
  const fault = faulty && several && `Picture ${asked.question.photos.indexOf(faulty) + 1} can’t be used`;
  return (
    <>
      {asked ? (
        <div>
          <h1 class="hidden">Identify from a photo</h1>
          <SentPhotos {...identification} question={asked.question} reached={asked.answered !== null} />
          <section class="found" aria-label="What it shows">
            {failure && (
              <FailureNote failure={failure} title={fault || undefined} again={() => start(asked.question)} />
            )}
            {!failure && !asked.answered && <Progress {...identification} {...asked} />}
            {asked.answered && (
              <Findings {...identification} question={asked.question} answered={asked.answered} />
            )}
          </section>
        </div>
      ) : (
        <PhotoIntake {...identification} />
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
    const listening = new AbortController();
    const { signal } = listening;
    const hold = (event: DragEvent) => {
      event.preventDefault();
      setDragged(event.type === 'dragover');
    };
    const take = (data: DataTransfer | null) => {
      const given = givenIn(data);
      if (given.length > 0) give(given);
    };
    addEventListener('dragover', hold, { signal });
    addEventListener('dragleave', (event) => event.relatedTarget === null && setDragged(false), { signal });
    const drop = (event: DragEvent) => {
      hold(event);
      take(event.dataTransfer);
    };
    addEventListener('drop', drop, { signal });
    const paste = ({ target, clipboardData }: ClipboardEvent) => {
      if (!(target instanceof HTMLInputElement) || clipboardData?.files.length) take(clipboardData);
    };
    addEventListener('paste', paste, { signal });
    return () => listening.abort();
  });
  return dragged;
}

type ProgressProps = Pick<Identification, 'leave'> & { readonly question: Question; readonly sent: number };

function Progress({ sent, question, leave }: ProgressProps) {
  const sending = sent < 1;
  const [picture, it] = question.photos.length === 1 ? ['picture', 'it'] : ['pictures', 'them'];
  return (
    <div class="progress">
      <p role="status">{sending ? `Sending the ${picture}` : `Comparing ${it} with the catalog`}</p>
      <progress class="hidden" aria-label="Progress" max={1} {...(sending ? { value: sent } : {})} />
      <span class={sending ? 'bar' : 'bar unknown'} aria-hidden="true">
        <span style={{ width: sending ? `${sent * 100}%` : '30%' }} />
      </span>
      <Button onClick={leave}>Cancel</Button>
    </div>
  );
}

interface SentProps extends Pick<Identification, 'faulty' | 'leave' | 'begin'> {
  readonly question: Question;
  /** Whether the service got them: this browser does not request what the service could not, or must not, fetch. */
  readonly reached: boolean;
}

function SentPhotos({ question: { photos }, reached, faulty, leave, begin }: SentProps) {
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
        <Button onClick={leave}>Change pictures</Button>
        <Button onClick={() => begin()}>Another item</Button>
      </p>
    </section>
  );
}

function SentPhoto({ photo, alone, shown }: Readonly<{ photo: Photo; alone: boolean; shown: boolean }>) {
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
