import type { NamedProduct, Pair, Verdict, WorstFindings } from '../../models/indexing/identifiability';
import { VERDICTS } from '../../models/indexing/identifiability';
import type { Identifiability } from '../../models/indexing/identifiability-service';
import { adaptableText } from './describe-embeddings';
import { asTable } from './output';

/** Verdicts as their owner reads them, of one product. */
const VERDICT_TEXTS: Readonly<Record<Verdict, string>> = {
  shares_picture: 'shares a picture with another product',
  confused: 'confused with another product',
  look_alike: 'one picture, likely confused',
  one_picture: 'one picture only',
  no_picture: 'no picture',
  not_embedded: 'no picture that is embedded',
  distinct: 'told apart',
};

/** Headings of the lists, with what helps. */
const LISTS = {
  confused: 'Not told apart: photograph what tells them apart, and give each its own pictures.',
  singles: 'One picture only, by the nearest other product: photograph another side.',
  missing:
    'Never found, the most popular first: photograph them; loupe embeddings status says what is not embedded.',
} as const;

/** The summary and the worst of each kind as text. */
export function describeIdentifiability(result: Identifiability, worst: WorstFindings): string {
  const { confused, singles, missing } = worst;
  return [
    headlineOf(result),
    asTable(['verdict', 'products', 'share'], summaryOf(result)),
    ...remarksOf(result),
    ...(confused.length === 0 ? [] : ['', LISTS.confused, pairTable(confused, true)]),
    ...(missing.length === 0
      ? []
      : [
          '',
          LISTS.missing,
          asTable(
            ['product', 'verdict'],
            missing.map(({ product, verdict }) => [lineOf(product), VERDICT_TEXTS[verdict]]),
          ),
        ]),
    ...(singles.length === 0 ? [] : ['', LISTS.singles, pairTable(singles, false)]),
  ].join('\n');
}

const headlineOf = ({ products, category, model, version }: Identifiability): string =>
  `${products} products${category === null ? '' : ` of ${category}`}, by ${model} (version ${version})`;

/** Verdict, products and share of those verdicts that there are. */
const summaryOf = ({ counts, products }: Identifiability): [string, number, string][] =>
  VERDICTS.filter((verdict) => counts[verdict] > 0).map((verdict) => [
    VERDICT_TEXTS[verdict],
    counts[verdict],
    `${((100 * counts[verdict]) / products).toFixed(1)} %`,
  ]);

/** What a reader must know to believe the figures. */
function remarksOf({ typical, approximate, adaptable, counts }: Identifiability): string[] {
  const ofOne = counts.look_alike + counts.one_picture;
  return [
    typical === null
      ? 'Too few products have several pictures to say how far two pictures of one product lie apart.' +
        (ofOne > 0 ? ' Of those with one picture nothing else is said.' : '')
      : `Two pictures of one product are typically ${distanceText(typical.distance)} apart (median of ${typical.pictures}).`,
    ...(adaptable === null ? [] : [adaptableText(adaptable)]),
    ...(approximate ? ['Neighbours are those of the approximate index, which misses a few.'] : []),
  ];
}

const distanceText = (distance: number): string => distance.toFixed(3);

/** Brand, model and style where the name does not say them, then the name. */
const labelOf = ({ name, taxonomy }: NamedProduct): string =>
  [...taxonomy.filter((each) => !name.includes(each)), name].join(' ');

/** The first fields in which two products differ; nothing may be one product that was entered twice. */
function differencesOf({ nearest: { differIn } }: Pair): string[] {
  if (differIn.length === 0) return ['nothing'];
  const more = differIn.length - DIFFERENCES_SHOWN;
  return [...differIn.slice(0, DIFFERENCES_SHOWN), ...(more > 0 ? [`${more} more`] : [])];
}

const DIFFERENCES_SHOWN = 3;

function pairTable(pairs: readonly Pair[], hasOwn: boolean): string {
  return asTable(
    ['product, and the nearest other', 'apart', ...(hasOwn ? ['own'] : []), 'differ in', ''],
    pairs.map((pair) => {
      const { product, nearest, verdict, isMutual } = pair;
      const own = nearest.ownDistance === null ? null : distanceText(nearest.ownDistance);
      return [
        [lineOf(product), lineOf(nearest.product)],
        distanceText(nearest.distance),
        ...(hasOwn ? [own] : []),
        differencesOf(pair),
        [verdict.replace('_', ' '), ...(isMutual ? ['both ways'] : [])],
      ];
    }),
  );
}

const lineOf = (product: NamedProduct): string => `${product.id}  ${labelOf(product)}`;
