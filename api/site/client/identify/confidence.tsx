import { percent, readable } from '../item/rows';
import { type Evidence } from '../service/calls';
import { Picture } from '../shell/parts';
import { FramedPicture } from './frame-editor';
import { type Photo } from './photo';

interface Props {
  /** 0 to 1, calibrated: of all answers given with 0.9, nine in ten are right. */
  readonly value: number;
  /** What it is of. */
  readonly label?: string;
  readonly small?: boolean;
}

const WORDS: readonly (readonly [from: number, words: string])[] = [
  [0.95, 'Nearly certain'],
  [0.8, 'Very likely'],
  [0.6, 'Likely'],
  [0.35, 'Possible'],
  [0, 'Unlikely'],
];

/** How sure that is, in a word. */
export const confidenceWords = (value: number): string => WORDS.find(([from]) => value >= from)?.[1] ?? '';

/** A probability as what it is: a number, a word, and its place between never and always. */
export function Confidence({ value, label = 'Confidence', small = false }: Props) {
  const words = confidenceWords(value);
  return (
    <div class={small ? 'confidence small' : 'confidence'}>
      <p class="reading">
        <strong>{percent(value)}</strong> {words.toLowerCase()}
      </p>
      <meter
        class="hidden"
        aria-label={label}
        min={0}
        max={1}
        value={value}
        aria-valuetext={`${percent(value)}, ${words.toLowerCase()}`}
      />
      <span class="bar" aria-hidden="true">
        <span style={{ width: `${value * 100}%` }} />
      </span>
      {!small && (
        <>
          <p class="scale" aria-hidden="true">
            <span>never</span>
            <span>half the time</span>
            <span>always</span>
          </p>
          <p class="fine">{meaning(value)}</p>
        </>
      )}
    </div>
  );
}

function meaning(value: number): string {
  const right = Math.min(99, Math.max(1, Math.round(value * 100)));
  return `Of a hundred answers given with this confidence, about ${right} ${right === 1 ? 'is' : 'are'} right.`;
}

interface WhyProps {
  readonly evidence: Evidence;
  readonly photos: readonly Photo[];
}

/** Why a row was answered: the two pictures that are nearest, which photos agree, and how sure each level is. */
export function Why({ evidence, photos }: WhyProps) {
  const { image, photo: at, levels } = evidence;
  const photo = photos[at];
  return (
    <section class="why" aria-labelledby="why">
      <h2 id="why">Why</h2>
      <div class="compared">
        {photo && (
          <figure>
            <span class="picture as-is">
              <FramedPicture photo={photo} alt="As you sent it" />
            </span>
            <figcaption class="fine">
              {photos.length === 1 ? 'Your picture' : `Your picture ${at + 1}`}
            </figcaption>
          </figure>
        )}
        <figure>
          <Picture src={image || undefined} alt="The nearest in the catalog" />
          <figcaption class="fine">The nearest in the catalog</figcaption>
        </figure>
        <div>
          <p>{agreement(evidence.photos.map(({ agrees }) => agrees))}</p>
          {levels.length > 0 && (
            <dl class="levels">
              {levels.map(({ field, id, name, confidence }) => (
                <div key={id}>
                  <dt>
                    <span class="label">{readable(field)}</span> {name}
                  </dt>
                  <dd>
                    <Confidence value={confidence} label={`${readable(field)} ${name}`} small />
                  </dd>
                </div>
              ))}
            </dl>
          )}
        </div>
      </div>
    </section>
  );
}

/** Which pictures speak for a row; of one that does not, something else is nearer. */
function agreement(agrees: readonly boolean[]): string {
  const others = agrees.flatMap((agreed, at) => (agreed ? [] : [String(at + 1)]));
  if (agrees.length === 1) {
    return others.length === 0
      ? 'Nothing else in the catalog is as near to your picture.'
      : 'Something else in the catalog is nearer to your picture.';
  }
  if (others.length === 0) return `All ${agrees.length} pictures agree.`;
  const which = new Intl.ListFormat('en').format(others);
  if (others.length === agrees.length) return 'Something else is nearer to each of your pictures.';
  return others.length === 1
    ? `Picture ${which} disagrees: something else is nearer to it.`
    : `Pictures ${which} disagree: something else is nearer to them.`;
}
