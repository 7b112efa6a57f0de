import { calibrationFiguresOf, rejectionFiguresOf, shareOf } from '../../../../models/indexing/figures';
import type { Answer } from './answer';
import type { Query } from './photo-set';

/** A query with what was found. */
export interface Asked {
  readonly query: Query;
  readonly answer: Answer;
}

/** Queries that belong in one column. */
export interface Sort {
  readonly name: string;
  readonly count: number;
  holds(query: Query): boolean;
}

const OTHER_PHOTO = 4;
/** Levels at which unknown items are to be recognised as such; of the hardest distortions hardly any can be. */
const LEVELS_REJECTED = [1, 2, OTHER_PHOTO];

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

/** One line of the table: recall@1 with its limits, and recall@5, by sort. */
export function recallRow(name: string, sorts: readonly Sort[], asked: readonly Asked[]): string[] {
  const cells = sorts.map((sort) => {
    const own = asked.filter(({ query }) => sort.holds(query));
    const first = shareOf(own.filter((each) => placeOf(each) === 0).length, own.length);
    const firstFive = own.filter((each) => placeOf(each) < 5).length;
    const limits = `${percent(first.low)}-${percent(first.high)}`;
    return `${percent(first.right / first.of)} (${limits}) / ${percent(firstFive / first.of)}`;
  });
  return [name, ...cells];
}

/** Calibration and rejection of unknown items, in sentences. */
export function trustNotes(known: readonly Asked[], unknown: readonly Asked[], floor: number): string[] {
  const unknownProducts = new Set(unknown.map(({ query }) => query.product));
  // As many unknown as the removal made, in the place of their known twins.
  const mixed = [...known.filter(({ query }) => !unknownProducts.has(query.product)), ...unknown];
  return [
    `Confidence, one in five items unknown: ${calibrationNote(mixed, unknownProducts)}`,
    `The same on other photos alone: ${calibrationNote(mixed.filter(isOtherPhoto), unknownProducts)}`,
    ...LEVELS_REJECTED.map((level) => rejectionNote(level, known, unknown, floor)),
    floorNote(known, unknown, floor),
  ];
}

function calibrationNote(asked: readonly Asked[], unknown: ReadonlySet<string>): string {
  const judged = asked.flatMap((each) => {
    const best = each.answer.products[0];
    return best ? [{ confidence: best.confidence, right: isRight(each, unknown) }] : [];
  });
  const { ece, brier, bins } = calibrationFiguresOf(judged);
  const reliability = bins.map(
    ({ from, count, confidence, right }) =>
      `${from.toFixed(1)}: ${count} answers, ${percent(confidence)} claimed, ${percent(right / count)} right`,
  );
  return `expected calibration error ${ece.toFixed(3)}, Brier ${brier.toFixed(3)}. ${reliability.join('; ')}.`;
}

function rejectionNote(level: number, known: readonly Asked[], unknown: readonly Asked[], floor: number) {
  const atLevel = ({ query }: Asked) => query.level === level;
  const asked = known.filter(atLevel);
  const right = asked.filter((each) => placeOf(each) === 0).map(confidenceOf);
  const { auroc, falseAcceptsAt95 } = rejectionFiguresOf(right, unknown.filter(atLevel).map(confidenceOf));
  const kept = asked.filter((each) => isAnswered(each, floor) && firstIsRight(each)).length;
  return `${level === OTHER_PHOTO ? 'Other photos' : `Level ${level}`}: unknown items told from right answers with AUROC ${auroc.toFixed(3)}, ${percent(falseAcceptsAt95)} % of them accepted where 95 % of the right answers are; at the floor of ${floor} the right product is first for ${percent(kept / Math.max(1, asked.length))} %.`;
}

function floorNote(known: readonly Asked[], unknown: readonly Asked[], floor: number): string {
  const rejectable = unknown.filter(({ query }) => LEVELS_REJECTED.includes(query.level));
  const accepted = shareOf(rejectable.filter((each) => isAnswered(each, floor)).length, rejectable.length);
  const nodes = known.filter(({ answer }) => answer.first && answer.first.id !== answer.products[0]?.id);
  return `At the floor ${percent(accepted.right / Math.max(1, accepted.of))} % (${percent(accepted.low)}-${percent(accepted.high)}) of ${accepted.of} unknown queries of these sorts are answered with a product. A taxonomy row came first for ${nodes.length} of ${known.length} known queries.`;
}

const isOtherPhoto = ({ query }: Asked): boolean => query.level === OTHER_PHOTO;

const isRight = (asked: Asked, unknown: ReadonlySet<string>): boolean =>
  !unknown.has(asked.query.product) && placeOf(asked) === 0;

const placeOf = ({ query, answer }: Asked): number => {
  const place = answer.products.findIndex(({ id }) => id === query.product);
  return place < 0 ? Number.POSITIVE_INFINITY : place;
};

const confidenceOf = ({ answer }: Asked): number => answer.products[0]?.confidence ?? 0;

const isAnswered = (asked: Asked, floor: number): boolean =>
  asked.answer.products.length > 0 && confidenceOf(asked) >= floor;

const firstIsRight = ({ query, answer }: Asked): boolean => answer.first?.id === query.product;

const percent = (share: number): string => (100 * share).toFixed(1);
