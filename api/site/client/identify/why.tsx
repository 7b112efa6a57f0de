import { readable } from '../item/row-words';
import type { Evidence } from '../service/answers';
import { Picture } from '../shell/picture';
import { Confidence } from './confidence';
import { FramedPicture } from './framed-picture';
import type { Photo } from './photo';

interface Props {
  readonly evidence: Evidence;
  readonly photos: readonly Photo[];
}

/** Why a row was answered: the two pictures that are nearest, which photos agree, and how sure each level is. */
export function Why({ evidence, photos }: Props) {
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
