import { percent } from '../item/row-words';

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
