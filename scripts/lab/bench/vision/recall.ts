import { calibrationOf } from '../../../../models/vision/confidence';
import { modelReference } from '../../../../models/vision/embedding-model';
import { MatchContext } from '../../../../models/vision/matches';
import { bundledModel } from '../../../../workers/library/model-library';
import type { Measurement } from '../table';
import {
  LEVELS_REJECTED,
  OTHER_PHOTO,
  percent,
  type Query,
  readPhotoSet,
  shareText,
  type VisionBenchOptions,
} from './photo-set';
import { Sightings } from './sightings';

/** A query with the products that were found, best first, and the rows that are answered at the floor of the model. */
interface Answered {
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

/** Recall of the bundled model by level, kind and set, and what is answered at its floor, of items that the catalog has and of others. */
export async function benchRecall(options: VisionBenchOptions): Promise<Measurement> {
  const [set, model] = [await readPhotoSet(options), await bundledModel()];
  const sightings = await Sightings.of(set, model);
  const { confidence, floor } = calibrationOf(model.manifest);
  const answers = (isKnown: boolean) =>
    set.queries.map((query, at): Answered => {
      const { shortlist, ancestry } = sightings.sighting({ query: at, isKnown, size: null });
      const found = new MatchContext(shortlist, ancestry, confidence);
      const rows = found.rows(floor, () => true).map(({ id }) => id);
      return { query, products: found.products.map(({ id }) => id), rows };
    });
  const known = answers(true);
  const unknown = answers(false).filter(({ query }) => LEVELS_REJECTED.includes(query.level));
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
  const groups = [known, ...sorts.map((sort) => known.filter((each) => sortOf(each) === sort))];
  return {
    title: `${modelReference(model.manifest)} in %: ${set.photos.length} catalog photos, ${set.queries.length} queries, product rows only`,
    head: ['', ...['all', ...sorts].map((sort, at) => `${sort} (${groups[at]?.length})`)],
    rows: lines.map(([name, text]) => [name, ...groups.map(text)]),
    notes: [
      'In brackets the 95 % limits (Wilson).',
      `At the floor of ${floor} ${shareText(unknown, isProductFirst)} % of ${unknown.length} queries (levels 1, 2 and real) of items that the catalog lacks are answered with a product first.`,
    ],
  };
}

const sortOf = ({ query: { level, kind, set } }: Answered): string =>
  `${level === OTHER_PHOTO ? 'other photo,' : `L${level}`} ${kind}${set ? ` (${set})` : ''}`;

function recallText(calls: readonly Answered[]): string {
  const shares = [3, 5].map((most) => percent(calls.filter(isWithin(most)).length / calls.length));
  return [shareText(calls, isWithin(1)), ...shares].join(' / ');
}
