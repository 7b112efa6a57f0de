import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { IdentifyOptions } from '../service/calls';
import { FailureNote } from '../shell/failure-note';
import { Findings } from './findings';
import { type Given, givenIn, type Photo } from './photo';
import { PhotoIntake } from './photo-intake';
import { Progress } from './progress';
import { SentPhotos } from './sent-photos';
import { type Question, useIdentification } from './use-identification';
import { usePhotos } from './use-photos';

interface Props {
  readonly shown: boolean;
  readonly imageBytesMax: number;
  readonly photosMax: number;
}

const USUAL: IdentifyOptions = { category: '', pricing: true };

/** From photos of an item to what they show. */
export function IdentifyView({ shown, imageBytesMax, photosMax }: Props) {
  const { stage, start, again, leave } = useIdentification(imageBytesMax);
  const photos = usePhotos(photosMax);
  const [options, setOptions] = useState(USUAL);
  const visited = useRef(false);
  const identify = (chosen: readonly Photo[]) => {
    visited.current = true;
    start({ photos: chosen, ...options });
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
  useEffect(() => {
    if (shown) document.title = 'Loupe: identify a bag or a watch';
  }, [shown]);
  return (
    <>
      {stage.is === 'empty' ? (
        <PhotoIntake
          photos={photos}
          faulty={stage.faulty}
          options={options}
          setOptions={setOptions}
          give={give}
          identify={() => identify(photos.photos)}
          identifySample={(sample) => identify(photos.add([sample]))}
          returned={visited.current}
        />
      ) : (
        <div class="identified">
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
            {stage.is === 'done' && <Findings question={stage.question} answered={stage.answered} />}
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
    addEventListener('dragover', over);
    addEventListener('dragleave', leave);
    addEventListener('drop', drop);
    addEventListener('paste', paste);
    return () => {
      removeEventListener('dragover', over);
      removeEventListener('dragleave', leave);
      removeEventListener('drop', drop);
      removeEventListener('paste', paste);
    };
  });
  return dragged;
}
