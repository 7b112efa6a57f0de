import { constants, setPriority } from 'node:os';
import type { Command } from '@commander-js/extra-typings';
import {
  type Finding,
  type Identifiability,
  type NamedProduct,
  VERDICTS,
  type Verdict,
} from '../../models/indexing/identifiability-service';
import { printable } from '../composition/printable';
import { withStores } from '../composition/services';
import { withProgress } from '../composition/terminal-progress';
import { adaptableText } from './describe-embeddings';
import { wholeNumber } from './option-values';
import { answering, asTable, percent, printAnswer } from './output';

/** Verdicts about one product, as its owner reads them. */
const VERDICT_TEXTS: Readonly<Record<Verdict, string>> = {
  shares_picture: 'shares a picture with another product',
  confused: 'confused with another product',
  look_alike: 'one picture, likely confused',
  one_picture: 'one picture only',
  no_picture: 'no picture',
  not_embedded: 'no picture that is embedded',
  distinct: 'told apart',
};

/** The verdicts of each list, and what helps. */
const LISTS: readonly (readonly [heading: string, verdicts: readonly Verdict[]])[] = [
  [
    'Not told apart: photograph what tells them apart, and give each its own pictures.',
    ['shares_picture', 'confused'],
  ],
  [
    'Never found, the most popular first: photograph them; loupe embeddings status says what is not embedded.',
    ['no_picture', 'not_embedded'],
  ],
  ['One picture only, by the nearest other product: photograph another side.', ['look_alike', 'one_picture']],
];

const DIFFERENCES_SHOWN = 3;

/** `loupe catalog identifiability`: what to photograph next (docs/operate.md). */
export function register(catalog: Command): void {
  const inspected =
    'what to photograph next: products that the model can not tell apart, or has too few pictures of';
  answering(catalog, 'identifiability', inspected)
    .option('--category <category>', 'products of this category only, against those of all')
    .option('--model <model>', 'under another version than the live one, id or id@version')
    .option('--limit <limit>', 'how many of each kind are shown, the worst first', wholeNumber, 20)
    .action(async ({ model = null, category = null, limit, json }) => {
      setPriority(constants.priority.PRIORITY_LOW);
      const lists = LISTS.map(([heading, of]) => ({ heading, worst: new WorstFindings(of, limit) }));
      // One JSON document of all findings, one of which is in memory at a time.
      let between = '{"findings": [';
      const onFinding = (finding: Finding) => {
        for (const { worst } of lists) worst.add(finding);
        if (!json) return;
        process.stdout.write(`${between}\n${printable(JSON.stringify(finding))}`);
        between = ',';
      };
      const result = await withStores(({ identifiability }) =>
        withProgress(process.stderr, (progress) =>
          identifiability.inspect({ model, category }, progress, onFinding),
        ),
      );
      if (json) {
        const summary = JSON.stringify(result, null, 2).slice(1);
        process.stdout.write(`${between === ',' ? '\n' : between}],${summary}\n`);
      } else printAnswer(false, null, () => describe(result, lists));
    });
}

/** Keeps the worst of however many findings: those with the nearest pictures, then the most popular products. */
class WorstFindings {
  #kept: Finding[] = [];

  /** @param verdicts of the findings that count; two products that are each other's nearest are listed once */
  constructor(
    private readonly verdicts: readonly Verdict[],
    private readonly limit: number,
  ) {}

  add(finding: Finding): void {
    if (!this.verdicts.includes(finding.verdict)) return;
    this.#kept.push(finding);
    if (this.#kept.length > 4 * this.limit + 2) this.#kept = this.#worst(2 * this.limit + 1);
  }

  get findings(): Finding[] {
    const pairs = new Map<string, Finding>();
    for (const finding of this.#worst(2 * this.limit + 1)) {
      const pair = [finding.product.id, finding.nearest?.product.id ?? ''].sort().join('\n');
      if (!pairs.has(pair)) pairs.set(pair, finding);
    }
    return [...pairs.values()].slice(0, this.limit);
  }

  #worst(count: number): Finding[] {
    return this.#kept.sort(byWorst).slice(0, count);
  }
}

function byWorst(left: Finding, right: Finding): number {
  const near = (left.nearest?.distance ?? 3) - (right.nearest?.distance ?? 3);
  return near || right.popularity - left.popularity || (left.product.id < right.product.id ? -1 : 1);
}

function describe(
  { products, category, model, version, counts, typical, adaptable, approximate }: Identifiability,
  lists: readonly { readonly heading: string; readonly worst: WorstFindings }[],
): string {
  const found = VERDICTS.filter((verdict) => counts[verdict] > 0);
  const ofOne = counts.look_alike + counts.one_picture;
  return [
    `${products} products${category === null ? '' : ` of ${category}`}, by ${model} (version ${version})`,
    asTable(
      ['verdict', 'products', 'share'],
      found.map((each) => [VERDICT_TEXTS[each], counts[each], percent(counts[each] / products)]),
    ),
    typical === null
      ? 'Too few products have several pictures to say how far two pictures of one product lie apart.' +
        (ofOne > 0 ? ' Of those with one picture nothing else is said.' : '')
      : `Two pictures of one product are typically ${typical.distance.toFixed(3)} apart (median of ${typical.pictures}).`,
    ...(adaptable === null ? [] : [adaptableText(adaptable)]),
    ...(approximate ? ['Neighbours are those of the approximate index, which misses a few.'] : []),
    ...lists.flatMap(({ heading, worst: { findings } }) =>
      findings.length === 0 ? [] : ['', heading, tableOf(findings)],
    ),
  ].join('\n');
}

const tableOf = (findings: readonly Finding[]): string =>
  asTable(
    ['product, and the nearest other', 'apart', 'own', 'differ in', ''],
    findings.map(({ product, nearest, verdict }) => [
      [lineOf(product), ...(nearest ? [lineOf(nearest.product)] : [])],
      nearest?.distance.toFixed(3) ?? null,
      nearest?.ownDistance?.toFixed(3) ?? null,
      nearest && differencesOf(nearest.differIn),
      VERDICT_TEXTS[verdict],
    ]),
  );

/** Brand, model and style where the name does not say them, then the name. */
const lineOf = ({ id, name, taxonomy }: NamedProduct): string =>
  `${id}  ${[...taxonomy.filter((each) => !name.includes(each)), name].join(' ')}`;

/** The first fields in which two products differ; if none do, they may be one product that was entered twice. */
function differencesOf(fields: readonly string[]): string[] {
  const more = fields.length - DIFFERENCES_SHOWN;
  if (fields.length === 0) return ['nothing'];
  return [...fields.slice(0, DIFFERENCES_SHOWN), ...(more > 0 ? [`${more} more`] : [])];
}
