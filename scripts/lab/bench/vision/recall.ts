import { calibrationOf } from '../../../../models/vision/confidence';
import { modelReference } from '../../../../models/vision/embedding-model';
import { MatchContext } from '../../../../models/vision/matches';
import { bundledModel } from '../../../../workers/library/model-library';
import type { Measurement } from '../table';
import { ExampleSource } from './labelled-examples';
import {
  OTHER_PHOTO,
  percent,
  type Query,
  readPhotoSet,
  shareText,
  type VisionBenchOptions,
} from './photo-set';

/** A query with the products that were found, best first. */
interface Answered {
  readonly query: Query;
  readonly products: readonly string[];
}

const isWithin =
  (most: number) =>
  ({ products, query }: Answered): boolean =>
    products.slice(0, most).includes(query.product);

/** Recall of the bundled model by level, kind and set, of items that the catalog has; `--confidence` measures what the floor leaves of it. */
export async function benchRecall(options: VisionBenchOptions): Promise<Measurement> {
  const [set, model] = [await readPhotoSet(options), await bundledModel()];
  const source = await ExampleSource.of(set, model);
  const { confidence } = calibrationOf(model.manifest);
  const answered = async (query: Query, at: number): Promise<Answered> => {
    const { shortlist, ancestry } = await source.example({ query: at, isKnown: true, size: null });
    const { products } = new MatchContext(shortlist, ancestry, confidence);
    return { query, products: products.map(({ id }) => id) };
  };
  const calls = await Promise.all(set.queries.map(answered));
  const sorts = [...new Set(calls.map(sortOf))].sort();
  const groups = sorts.map((sort) => [sort, calls.filter((each) => sortOf(each) === sort)] as const);
  return {
    title: `${modelReference(model.manifest)} in %: ${set.photos.length} catalog photos, product rows only`,
    head: ['queries', 'number', 'recall@1 (95 % limits, Wilson)', 'recall@3', 'recall@5'],
    rows: [['all', calls] as const, ...groups].map(([name, of]) => [
      ...[name, of.length, shareText(of, isWithin(1))],
      ...[3, 5].map((most) => percent(of.filter(isWithin(most)).length / of.length)),
    ]),
    notes: [],
  };
}

const sortOf = ({ query: { level, kind, set } }: Answered): string =>
  `${level === OTHER_PHOTO ? 'other photo,' : `L${level}`} ${kind}${set ? ` (${set})` : ''}`;
