import { percent } from '../item/rows';
import type { Evidence, Row } from '../service/calls';
import { readable } from '../service/names';

/** `value`: 0 to 1, calibrated: of all answers given with 0.9, nine in ten are right. */
type Props = Readonly<{ value: number; label?: string; small?: boolean }>;

const WORDS = [
  [0.95, 'nearly certain'],
  [0.8, 'very likely'],
  [0.6, 'likely'],
  [0.35, 'possible'],
] as const;

export function Confidence({ value, label = 'Confidence', small = false }: Props) {
  const [, words] = WORDS.find(([from]) => value >= from) ?? [0, 'unlikely'];
  const right = Math.min(99, Math.max(1, Math.round(value * 100)));
  return (
    <div class={small ? 'confidence small' : 'confidence'}>
      <p class="reading">
        <strong>{percent(value)}</strong> {!small && words}
      </p>
      <meter
        class="hidden"
        aria-label={label}
        min={0}
        max={1}
        value={value}
        aria-valuetext={`${percent(value)}, ${words}`}
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
          <p class="fine">
            Of a hundred answers given with this confidence, about {right} {right === 1 ? 'is' : 'are'} right.
          </p>
        </>
      )}
    </div>
  );
}

export function Why({ evidence: { photos, levels } }: { readonly evidence: Evidence }) {
  return (
    <section class="why" aria-labelledby="why">
      <h2 id="why">Why</h2>
      <p>{agreement(photos.map(({ agrees }) => agrees))}</p>
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
    </section>
  );
}

const AND = new Intl.ListFormat('en');

const pictures = (numbers: readonly number[]): string =>
  `${numbers.length === 1 ? 'picture' : 'pictures'} ${AND.format(numbers.map(String))}`;

/** The photos that support a row, or those that do not, counted from 1. */
const numbersOf = (agrees: readonly boolean[], wanted: boolean): readonly number[] =>
  agrees.flatMap((agreed, at) => (agreed === wanted ? [at + 1] : []));

const agreesOf = (row: Row | undefined): readonly boolean[] =>
  row?.evidence?.photos.map(({ agrees }) => agrees) ?? [];

/** A note that several photos do not show the same item, judged by the row that fits them best; null if they agree. */
export function disagreement(best: Row | undefined): string | null {
  const agrees = agreesOf(best);
  const others = numbersOf(agrees, false);
  if (agrees.length < 2 || others.length === 0) return null;
  const which = others.length === agrees.length ? 'each of them' : pictures(others);
  return `Your pictures may show different items: something else is nearer to ${which}. Ask about one item at a time to be sure.`;
}

export const supporters = (row: Row): string => {
  const numbers = numbersOf(agreesOf(row), true);
  return numbers.length === 0 ? 'Nearest to no picture' : `Nearest to ${pictures(numbers)}`;
};

function agreement(agrees: readonly boolean[]): string {
  const others = numbersOf(agrees, false);
  const all = others.length === agrees.length;
  if (agrees.length === 1 && all) return 'Something else in the catalog is nearer to your picture.';
  if (agrees.length === 1) return 'Nothing else in the catalog is as near to your picture.';
  if (others.length === 0) return `All ${agrees.length} pictures agree.`;
  if (all) return 'Something else is nearer to each of your pictures.';
  const [verb, them] = others.length === 1 ? ['disagrees', 'it'] : ['disagree', 'them'];
  return `${readable(pictures(others))} ${verb}: something else is nearer to ${them}.`;
}
