import { calibrationFiguresOf, shareOf } from '../../../../models/indexing/figures';
import { OTHER_PHOTO, type Query } from './photo-set';

interface Row {
  readonly id: string;
  readonly confidence: number;
}

/** What the service made of photos. */
export interface Answer {
  /** The first row, a product or a taxonomy row; null for an empty answer. */
  readonly first: Row | null;
  /** The product rows, best first. */
  readonly products: readonly Row[];
}

/** A query with what was found. */
export interface Asked {
  readonly query: Query;
  /** With `min_confidence: 0`. */
  readonly answer: Answer;
  /** With the floor of the model. */
  readonly floored: Answer;
}

/** Queries that belong in one column. */
export interface Sort {
  readonly name: string;
  readonly count: number;
  holds(query: Query): boolean;
}

/** Levels at which unknown items are to be recognised as such; of the hardest distortions hardly any can be. */
export const LEVELS_REJECTED = [1, 2, OTHER_PHOTO];

/** Levels by kind, easiest first, those of pairs by their set too. */
export function sortsOf(queries: readonly Query[]): Sort[] {
  const keys = new Map(
    queries.map(({ level, kind, set }) => [`${level} ${set ?? ''} ${kind}`, { level, kind, set }]),
  );
  return [...keys]
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([, { level, kind, set }]) => {
      const holds = (query: Query) => query.level === level && query.kind === kind && query.set === set;
      const name = [level === OTHER_PHOTO ? 'other photo,' : `L${level}`, kind, ...(set ? [`(${set})`] : [])];
      return { name: name.join(' '), count: queries.filter(holds).length, holds };
    });
}

/** One line of the table: recall@1 with its limits, recall@3 and @5, by sort. */
export const recallRow = (name: string, sorts: readonly Sort[], asked: readonly Asked[]): string[] => [
  name,
  ...sorts.map((sort) => {
    const own = asked.filter(({ query }) => sort.holds(query));
    const within = (places: number) => own.filter((each) => placeOf(each) < places).length;
    return [
      shareText(within(1), own.length),
      ...[3, 5].map((most) => percent(within(most) / own.length)),
    ].join(' / ');
  }),
];

/** As they are answered with the floor: any answer, the right product first, and among the rows, by sort. */
export function answeredRows(sorts: readonly Sort[], asked: readonly Asked[]): string[][] {
  const lines: [string, (each: Asked) => boolean][] = [
    ['answered at the floor', ({ floored }) => floored.first !== null],
    ['right product first', isFirstRight],
    [
      'right product among the rows',
      ({ query, floored }) => floored.products.some(({ id }) => id === query.product),
    ],
    ['wrong product first', (each) => isProductFirst(each) && !isFirstRight(each)],
  ];
  return lines.map(([name, holds]) => [
    name,
    ...sorts.map((sort) => {
      const own = asked.filter(({ query }) => sort.holds(query));
      return shareText(own.filter(holds).length, own.length);
    }),
  ]);
}

/** Calibration and rejection of unknown items, in sentences. */
export function trustNotes(known: readonly Asked[], unknown: readonly Asked[], floor: number): string[] {
  const unknownProducts = new Set(unknown.map(({ query }) => query.product));
  // As many unknown as the removal made, in the place of their known twins.
  const mixed = [...known.filter(({ query }) => !unknownProducts.has(query.product)), ...unknown];
  return [
    `Confidence, one in five items unknown: ${calibrationNote(mixed, unknownProducts)}`,
    `The same on other photos alone: ${calibrationNote(mixed.filter(isOtherPhoto), unknownProducts)}`,
    `On pairs alone: ${calibrationNote(
      mixed.filter(({ query }) => query.set !== null),
      unknownProducts,
    )}`,
    floorNote(known, unknown, floor),
  ];
}

function calibrationNote(asked: readonly Asked[], unknown: ReadonlySet<string>): string {
  const rows = asked.map(({ query, answer }) =>
    answer.products.map(({ id, confidence }) => ({
      confidence,
      right: id === query.product && !unknown.has(query.product),
    })),
  );
  const { ece, brier } = calibrationFiguresOf(rows.flatMap((each) => each.slice(0, 1)));
  const most = Math.max(...rows.map((each) => each.reduce((sum, { confidence }) => sum + confidence, 0)));
  return `expected calibration error of first products ${ece.toFixed(3)}, of all products ${calibrationFiguresOf(rows.flat()).ece.toFixed(3)}, Brier ${brier.toFixed(3)}; they sum to at most ${most.toFixed(6)}.`;
}

function floorNote(known: readonly Asked[], unknown: readonly Asked[], floor: number): string {
  const rejectable = unknown.filter(({ query }) => LEVELS_REJECTED.includes(query.level));
  const nodes = known.filter((each) => each.floored.first !== null && !isProductFirst(each));
  return `At the floor of ${floor} ${shareText(rejectable.filter(isProductFirst).length, rejectable.length)} % of ${rejectable.length} unknown queries of these sorts are answered with a product first. A taxonomy row came first for ${nodes.length} of ${known.length} known queries.`;
}

const isOtherPhoto = ({ query }: Asked): boolean => query.level === OTHER_PHOTO;

const placeOf = ({ query, answer }: Asked): number => {
  const place = answer.products.findIndex(({ id }) => id === query.product);
  return place < 0 ? Number.POSITIVE_INFINITY : place;
};

const isProductFirst = ({ floored: { first, products } }: Asked): boolean =>
  first !== null && first.id === products[0]?.id;

const isFirstRight = ({ query, floored }: Asked): boolean => floored.first?.id === query.product;

/** A share in % with its 95 % limits (Wilson). */
export function shareText(right: number, of: number): string {
  const { low, high } = shareOf(right, of);
  return `${percent(right / Math.max(1, of))} (${percent(low)}-${percent(high)})`;
}

export const percent = (share: number): string => (100 * share).toFixed(1);
