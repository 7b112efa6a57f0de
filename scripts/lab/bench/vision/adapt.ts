import { FittedProducts, pictureVector } from '../../../../models/indexing/scatter';
import { hash } from '../../../../models/random';
import { mean } from '../../../../models/vision/candidates';
import { modelReference } from '../../../../models/vision/embedding-model';
import { type Measurement, percentile } from '../table';
import {
  modelOf,
  OTHER_PHOTO,
  type PhotoSet,
  readPhotoSet,
  shareText,
  type VisionBenchOptions,
} from './photo-set';
import { Sightings } from './sightings';

const SEEDS = 5;
const FOLDS = 2;
/** Of unknown items so many may be answered. */
const UNKNOWN_ANSWERED = 0.1;

/** What became of a real photo of a product that the map was not fitted on: without the map, and with it. */
interface Judged {
  readonly group: string;
  readonly first: readonly [boolean, boolean];
  /** Right first, and surer than all but a tenth of unknown items. */
  readonly answered: readonly [boolean, boolean];
}

/**
 * What `loupe embeddings adapt` gives: the map is fitted on the pictures of one half of the products that have several and judged on
 * real photos of the other half, and the reverse, for several halvings. In this process, with an exhaustive search.
 */
export async function benchAdapt(options: VisionBenchOptions): Promise<Measurement> {
  const [set, model] = [await readPhotoSet(options), await modelOf(options)];
  const before = await Sightings.of(set, model);
  const all: Judged[] = [];
  const strengths = new Set<string>();
  for (let run = 0; run < SEEDS * FOLDS; run += 1) {
    const isFitted = (product: string) =>
      (hash(product, 'adapt', Math.floor(run / FOLDS)) + run) % FOLDS === 0;
    const { map, strength } = await fitMap(set, before, isFitted);
    strengths.add(strength);
    all.push(...judge(set, [before, before.through(map)], isFitted));
    process.stderr.write(`run ${run + 1} of ${SEEDS * FOLDS}: ${strength}\n`);
  }
  const groups = [...new Set(all.map(({ group }) => group))].sort();
  return {
    title: `Adapting ${modelReference(model.manifest)}: ${set.photos.length} catalog photos, ${SEEDS} halvings of the products, means in % of photos of products that were not fitted on`,
    head: [
      ...['real photos', 'number', 'recall@1, before', 'after'],
      ...['answered at 10 % of unknown, before', 'after'],
    ],
    rows: ['all', ...groups].map((group) => {
      const of = all.filter((each) => group === 'all' || each.group === group);
      const cells = (['first', 'answered'] as const).flatMap((what) =>
        [0, 1].map((side) => meanShare(of.map((each) => each[what][side] ?? false))),
      );
      return [group, Math.round(of.length / SEEDS), ...cells];
    }),
    notes: ['In brackets the 95 % limits (Wilson).', `Strengths chosen: ${[...strengths].join('; ')}.`],
  };
}

/** The same photos come in every halving: the limits are those of one. */
function meanShare(outcomes: readonly boolean[]): string {
  const right = Math.round(outcomes.filter(Boolean).length / SEEDS);
  return shareText([...Array(Math.round(outcomes.length / SEEDS)).keys()], (at) => at < right);
}

const realQueries = ({ queries }: PhotoSet): number[] =>
  [...queries.keys()].filter((query) => queries[query]?.level === OTHER_PHOTO);

/** The map of the products that have another photo beside that of the catalog. */
async function fitMap(set: PhotoSet, { catalog, asked }: Sightings, isFitted: (product: string) => boolean) {
  const products = new FittedProducts(catalog[0]?.[0]?.length ?? 0);
  const others: Float32Array[] = [];
  for (const [photo, { product }] of set.photos.entries()) {
    const own = realQueries(set).filter((query) => set.queries[query]?.product === product);
    const pictures = [catalog[photo] ?? [], ...own.map((query) => asked[query] ?? [])];
    if (own.length === 0) others.push(pictureVector(pictures[0] ?? []));
    else if (isFitted(product)) products.add({ id: product, pictures });
  }
  const { strength } = await products.chooseStrength(others, () => undefined);
  const map = products.directions().map(strength);
  return { map, strength: `shrinkage ${strength.shrinkage}, power ${strength.power}` };
}

/** The photos of products that were not fitted on, without the map and with it. */
function judge(
  set: PhotoSet,
  sides: readonly [Sightings, Sightings],
  isFitted: (product: string) => boolean,
): Judged[] {
  const judging = realQueries(set).filter((query) => !isFitted(set.queries[query]?.product ?? ''));
  const [before = [], after = []] = sides.map((side) => {
    const look = (query: number, isKnown: boolean) => {
      const { shortlist, products } = side.sighting({ queries: [query], isKnown, size: null });
      const [best = 0, ...others] = shortlist.map(({ similarity }) => similarity);
      // Relative to other candidates, since similarities before and after a map are not alike.
      return { right: products.includes(shortlist[0]?.id ?? ''), sureness: best - mean(others.slice(4)) / 2 };
    };
    const unknown = judging.map((query) => look(query, false).sureness);
    const least = percentile(unknown, 1 - UNKNOWN_ANSWERED);
    return judging.map((query) => {
      const { right, sureness } = look(query, true);
      return { right, answered: right && sureness > least };
    });
  });
  return judging.map((query, at) => {
    const { kind = '', set: of = null } = set.queries[query] ?? {};
    const [one, other] = [before[at], after[at]];
    return {
      group: `${kind} (${of ?? 'dev'})`,
      first: [one?.right ?? false, other?.right ?? false],
      answered: [one?.answered ?? false, other?.answered ?? false],
    };
  });
}
