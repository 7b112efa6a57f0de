import { useEffect, useState } from 'preact/hooks';
import { bytesOf, type Given, type Photo, readableBytes, sentForm, shrink, usePhotos } from '../photos/photo';
import { type Answered, type IdentifyOptions, identify, type SentPhoto } from '../service/calls';
import { Failure } from '../service/failure';
import { rememberNames } from '../service/names';
import { useTask } from '../session/hooks';
import { useSession } from '../session/session';

/** `adding`: whether an item is to be added; its photos are identified first, in case the catalog has it. */
export type Settings = Readonly<{ adding: boolean; imageBytesMax: number; photosMax: number }>;

export type Question = IdentifyOptions & { readonly photos: readonly Photo[] };

/** `sent`: the fraction of the photos sent so far, 0 to 1. */
type Asked = Readonly<{ question: Question; sent: number; answered: Answered | null }>;

const USUAL: IdentifyOptions = { category: '', pricing: true, nearest: false };

export type Identification = ReturnType<typeof useIdentification>;

/** Gathers photos of an item and identifies it, one item at a time: a new one replaces the one before. */
export function useIdentification({ adding, imageBytesMax, photosMax }: Settings) {
  const { key, send } = useSession();
  const { failure, run, cancel } = useTask();
  const photos = usePhotos(photosMax);
  const [options, setOptions] = useState(USUAL);
  const [asked, setAsked] = useState<Asked | null>(null);
  const [shown, setShown] = useState(false);
  const start = (question: Question) =>
    void run(async (signal) => {
      const onSent = (sent: number) => !signal.aborted && setAsked({ question, sent, answered: null });
      onSent(0);
      setShown(true);
      const sentPhotos = await sentForms(question.photos, imageBytesMax).catch((reason) => {
        throw reason instanceof Failure ? reason : new Failure(422, 'The file can’t be read here.');
      });
      const answered = await send(identify(sentPhotos, question), { signal, onSent });
      rememberNames(answered.answer);
      setAsked({ question, sent: 1, answered });
    });
  const leave = () => {
    cancel();
    setShown(false);
  };
  // Answers to one account must not be shown to another; the photos stay.
  useEffect(() => leave, [key]);
  /** The photo that can't be used: the one named by the service, or the only one. */
  const at =
    failure?.answer.index ?? (failure?.status === 422 && asked?.question.photos.length === 1 ? 0 : -1);
  const faulty = (failure && asked?.question.photos[at]) ?? null;
  const begin = (given: readonly Given[] = []) => {
    setOptions({ ...options, category: '' });
    photos.add(given, []);
    leave();
  };
  return {
    ...{ photos, options, setOptions, adding, failure, faulty, start, leave, begin },
    /** Null before the first identification, and after leaving it. */
    asked: shown ? asked : null,
    returned: asked !== null,
    // Checking whether it is in the catalog needs no price.
    identify: (chosen = photos.photos) =>
      start({ photos: chosen, ...options, pricing: options.pricing && !adding }),
    /** Pictures of another item, once one is identified; else more sides of this one, replacing unusable ones. */
    give: (given: readonly Given[]) => {
      if (shown && asked?.answered) return begin(given);
      const kept = photos.photos.filter(({ id }) => !shown || id !== faulty?.id);
      photos.add(given, kept);
      leave();
    },
  };
}

/** @throws Failure for photos that are too large together, instead of after an upload of minutes */
async function sentForms(given: readonly Photo[], bytesMax: number): Promise<readonly SentPhoto[]> {
  const photos = await Promise.all(bytesOf(given) > bytesMax ? given.map(shrink) : given);
  const bytes = bytesOf(photos);
  if (bytes > bytesMax) {
    const what = photos.length === 1 ? 'It has' : 'Together they have';
    const message = `${what} ${readableBytes(bytes)}; at most ${readableBytes(bytesMax)} can be sent.`;
    throw new Failure(413, message, { reason: 'image_too_large' });
  }
  return Promise.all(photos.map(sentForm));
}
