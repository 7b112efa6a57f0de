import { useEffect, useLayoutEffect, useState } from 'preact/hooks';
import { FailureNote } from '../shell/failure-note';
import { Findings } from './findings';
import { type Photo, photoFrom } from './photo';
import { PhotoIntake } from './photo-intake';
import { Progress } from './progress';
import { SentPhoto } from './sent-photo';
import { useIdentification } from './use-identification';

interface Props {
  readonly shown: boolean;
  readonly imageBytesMax: number;
}

/** From a photo to what it shows. */
export function IdentifyView({ shown, imageBytesMax }: Props) {
  const { stage, start, again, clear } = useIdentification(imageBytesMax);
  const [pricing, setPricing] = useState(true);
  const take = (photo: Photo) => start(photo, pricing);
  const dragged = useGivenPhotos(shown, take);
  useEffect(() => {
    if (shown) document.title = 'Loupe: identify a bag or a watch';
  }, [shown]);
  return (
    <>
      {stage.is === 'empty' ? (
        <PhotoIntake take={take} pricing={pricing} setPricing={setPricing} />
      ) : (
        <div class="identified">
          <h1 class="hidden" tabIndex={-1}>
            Identify from a photo
          </h1>
          <SentPhoto
            photo={stage.photo}
            // What the service could not get, or must not, this browser does not ask for either.
            shown={stage.photo.kind === 'file' || stage.is === 'done'}
            clear={clear}
          />
          <section class="found" aria-label="What it shows">
            {stage.is === 'busy' && <Progress sent={stage.sent} cancel={clear} />}
            {stage.is === 'failed' && <FailureNote failure={stage.failure} again={again} />}
            {stage.is === 'done' && (
              <Findings photo={stage.photo} answered={stage.answered} pricing={stage.pricing} />
            )}
          </section>
        </div>
      )}
      {dragged && (
        <div class="drop-here" aria-hidden="true">
          <p>Drop it anywhere</p>
        </div>
      )}
    </>
  );
}

/** Takes what is dropped or pasted anywhere on the page; answers whether something is held over it. */
function useGivenPhotos(shown: boolean, take: (photo: Photo) => void): boolean {
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
      const photo = photoFrom(event.dataTransfer);
      if (photo) take(photo);
    };
    const paste = (event: ClipboardEvent) => {
      if (event.target instanceof HTMLInputElement && !event.clipboardData?.files.length) return;
      const photo = photoFrom(event.clipboardData);
      if (photo) take(photo);
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
