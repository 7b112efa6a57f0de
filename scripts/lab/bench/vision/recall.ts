import { calibrationOf } from '../../../../models/vision/confidence';
import { modelReference } from '../../../../models/vision/embedding-model';
import { MatchContext } from '../../../../models/vision/matches';
import type { Measurement } from '../table';
import {
  combinations,
  LEVELS_REJECTED,
  modelOf,
  OTHER_PHOTO,
  type PhotoSet,
  percent,
  piecesOf,
  type Query,
  readPhotoSet,
  shareText,
  type VisionBenchOptions,
} from './photo-set';
import { type Asked, Sightings } from './sightings';

/** A call with the products that were found, best first, and the rows that are answered at the floor of the model. */
interface Answered extends Asked {
  readonly query: Query;
  readonly products: readonly string[];
  readonly rows: readonly string[];
}

const isProductFirst = ({ rows: [first], products }: Answered) => !!first && first === products[0];
const isRightFirst = ({ rows, query }: Answered) => rows[0] === query.product;
const isWithin =
  (most: number) =>
  ({ products, query }: Answered): boolean =>
    products.slice(0, most).includes(query.product);

/** Recall of a model by level, kind and set, and what is answered at its floor, of items that the catalog has and of others. */
export async function benchRecall(options: VisionBenchOptions): Promise<Measurement> {
  const { set, answer, floor, model } = await answering(options);
  const calls = set.queries.flatMap((_, query) =>
    [true, false].map((isKnown) => answer({ queries: [query], isKnown, size: null })),
  );
  const known = calls.filter(({ isKnown }) => isKnown);
  const unknown = calls.filter((each) => !each.isKnown && LEVELS_REJECTED.includes(each.query.level));
  const sorts = [...new Set(known.map(sortOf))].sort();
  const lines: [string, (of: readonly Answered[]) => string][] = [
    ['recall@1 / @3 / @5', recallText],
    ['answered at the floor', (of) => shareText(of, ({ rows }) => rows.length > 0)],
    ['right product first', (of) => shareText(of, isRightFirst)],
    [
      'right product among the rows',
      (of) => shareText(of, ({ rows, query }) => rows.includes(query.product)),
    ],
    ['wrong product first', (of) => shareText(of, (each) => isProductFirst(each) && !isRightFirst(each))],
    ['taxonomy row first', (of) => shareText(of, (each) => each.rows.length > 0 && !isProductFirst(each))],
  ];
  return {
    title: `${model} in %: ${set.photos.length} catalog photos, ${set.queries.length} queries, product rows only`,
    head: [
      '',
      'all',
      ...sorts.map((sort) => `${sort} (${known.filter((each) => sortOf(each) === sort).length})`),
    ],
    rows: lines.map(([name, text]) => [
      ...[name, text(known)],
      ...sorts.map((sort) => text(known.filter((each) => sortOf(each) === sort))),
    ]),
    notes: [
      'In brackets the 95 % limits (Wilson).',
      `At the floor of ${floor} ${shareText(unknown, isProductFirst)} % of ${unknown.length} queries (levels 1, 2 and real) of items that the catalog lacks are answered with a product first.`,
    ],
  };
}

/**
 * What further photos of a piece are worth: recall@1 with one, two and three photos, with and without the category, and with one photo of
 * something else among them. Real photos of pieces with two or more, and the distortions of others.
 */
export async function benchSeveral(options: VisionBenchOptions): Promise<Measurement> {
  const { set, answer, model } = await answering(options);
  const sortOf = ({ query }: Answered) => seriesOf(query);
  const calls = severalOf(set).flatMap(({ row, ...asked }) =>
    [false, true].map((isScoped) => ({
      ...answer({ ...asked, isScoped }),
      row: isScoped ? `${row}, with its category` : row,
    })),
  );
  const sorts = [...new Set(calls.map(sortOf))].sort();
  const rows = [...new Set(calls.map(({ row }) => row))].sort();
  return {
    title: `recall@1 in % by number of photos, ${model}: ${set.photos.length} catalog photos, product rows only`,
    head: ['photos', ...sorts],
    rows: rows.map((row) => [
      row,
      ...sorts.map((sort) => {
        const own = calls.filter((each) => each.row === row && sortOf(each) === sort);
        return own.length === 0 ? null : `${shareText(own, isWithin(1))} of ${own.length}`;
      }),
    ]),
    notes: ['In brackets the 95 % limits (Wilson), then the number of calls.'],
  };
}

async function answering(options: VisionBenchOptions) {
  const [set, model] = [await readPhotoSet(options), await modelOf(options)];
  const sightings = await Sightings.of(set, model);
  const { confidence, floor } = calibrationOf(model.manifest);
  const answer = (asked: Asked): Answered => {
    const { shortlist, ancestry } = sightings.sighting(asked);
    const found = new MatchContext(shortlist, ancestry, confidence);
    return {
      ...{ ...asked, query: sightings.query(asked) },
      products: found.products.map(({ id }) => id),
      rows: found.rows(floor, () => true).map(({ id }) => id),
    };
  };
  return { set, answer, floor, model: modelReference(model.manifest) };
}

/** Calls with one to three photos of a piece that has several, and with two of them and one of the next piece like it. */
function severalOf(set: PhotoSet): (Asked & { row: string })[] {
  const all = piecesOf(set).filter((own) => own.length > 1);
  const seriesAt = ([first = 0]: readonly number[]) => set.queries[first] && seriesOf(set.queries[first]);
  return all.flatMap((own) => {
    const calls = [1, 2, 3].flatMap((count) => combinations(own, count));
    const alike = all.filter((piece) => seriesAt(piece) === seriesAt(own));
    const other = alike[(alike.indexOf(own) + 1) % alike.length]?.[0];
    const mixed = other === undefined || alike.length === 1 ? [] : [[...own.slice(0, 2), other]];
    return [
      ...calls.map((each) => ({ row: String(each.length), queries: each })),
      ...mixed.map((each) => ({ row: '3, one of something else', queries: each })),
    ].map((each) => ({ ...each, isKnown: true, size: null }));
  });
}

/** The column of a query: its level and kind, and the set of a pair. */
const sortOf = ({ query: { level, kind, set } }: Answered): string =>
  `${level === OTHER_PHOTO ? 'other photo,' : `L${level}`} ${kind}${set ? ` (${set})` : ''}`;

/** The column of several photos, whose levels differ. */
const seriesOf = ({ level, kind, set }: Query): string =>
  level === OTHER_PHOTO ? `real ${kind} (${set ?? 'dev'})` : `distorted ${kind}`;

function recallText(calls: readonly Answered[]): string {
  const shares = [3, 5].map((most) => percent(calls.filter(isWithin(most)).length / calls.length));
  return [shareText(calls, isWithin(1)), ...shares].join(' / ');
}
