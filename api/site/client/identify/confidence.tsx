import { percent, readable } from '../item/rows';
import type { Evidence, Row } from '../service/calls';

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
const confidenceWords = (value: number): string => WORDS.find(([from]) => value >= from)?.[1] ?? '';

/** A probability as what it is: a number, a word, and its place between never and always. */
export function Confidence({ value, label = 'Confidence', small = false }: Props) {
  const words = confidenceWords(value);
  return (
    <div class={small ? 'confidence small' : 'confidence'}>
      <p class="reading">
        <strong>{percent(value)}</strong> {!small && words.toLowerCase()}
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

/** Why a row was answered: which photos agree, and how sure each level is. */
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

/** "picture 2", "pictures 1 and 3". */
const pictures = (numbers: readonly number[]): string =>
  `${numbers.length === 1 ? 'picture' : 'pictures'} ${AND.format(numbers.map(String))}`;

/** The photos that speak for a row, or those that do not, counted from 1. */
const numbersOf = (agrees: readonly boolean[], wanted: boolean): readonly number[] =>
  agrees.flatMap((agreed, at) => (agreed === wanted ? [at + 1] : []));

const agreesOf = (row: Row | undefined): readonly boolean[] =>
  row?.evidence?.photos.map(({ agrees }) => agrees) ?? [];

/** That several photos do not show the same item, by the row that suits them best; null where they agree. */
export function disagreement(best: Row | undefined): string | null {
  const agrees = agreesOf(best);
  const others = numbersOf(agrees, false);
  if (agrees.length < 2 || others.length === 0) return null;
  const which = others.length === agrees.length ? 'each of them' : pictures(others);
  return `Your pictures may show different items: something else is nearer to ${which}. Ask about one item at a time to be sure.`;
}

/** The photos that a row is nearest to. */
export const supporters = (row: Row): string => {
  const numbers = numbersOf(agreesOf(row), true);
  return numbers.length === 0 ? 'Nearest to no picture' : `Nearest to ${pictures(numbers)}`;
};

/** Which pictures speak for a row; of one that does not, something else is nearer. */
function agreement(agrees: readonly boolean[]): string {
  const others = numbersOf(agrees, false);
  if (agrees.length === 1) {
    return `${others.length === 0 ? 'Nothing' : 'Something'} else in the catalog is ${others.length === 0 ? 'as near' : 'nearer'} to your picture.`;
  }
  if (others.length === 0) return `All ${agrees.length} pictures agree.`;
  if (others.length === agrees.length) return 'Something else is nearer to each of your pictures.';
  const [words, them] = [pictures(others), others.length === 1 ? 'it' : 'them'];
  return `${readable(words)} ${others.length === 1 ? 'disagrees' : 'disagree'}: something else is nearer to ${them}.`;
}
