import { constants, setPriority } from 'node:os';
import type { Command } from '@commander-js/extra-typings';
import {
  type Finding,
  type Identifiability,
  VERDICTS,
  type Verdict,
} from '../../models/indexing/identifiability-service';
import { withStores } from '../composition/services';
import { withProgress } from '../composition/terminal-progress';
import { adaptableText } from './describe-embeddings';
import { wholeNumber } from './option-values';
import { answering, asTable, percent, printAnswer } from './output';

const VERDICT_TEXTS: Readonly<Record<Verdict, string>> = {
  shares_picture: 'shares a picture with another product',
  confused: 'confused with another product',
  one_picture: 'one picture only',
  no_picture: 'no picture',
  not_embedded: 'no picture that is embedded',
  distinct: 'told apart',
};

/** `loupe catalog identifiability`: what to photograph next (docs/operate.md). */
export function register(catalog: Command): void {
  const inspected =
    'what to photograph next: products that the model can not tell apart, or has too few pictures of';
  answering(catalog, 'identifiability', inspected)
    .option('--category <category>', 'products of this category only, against those of all')
    .option('--model <model>', 'under another version than the live one, id or id@version')
    .option('--limit <limit>', 'how many of each kind are listed, the worst first', wholeNumber, 50)
    .action(async ({ model = null, category = null, limit, json }) => {
      setPriority(constants.priority.PRIORITY_LOW);
      const result = await withStores(({ identifiability }) =>
        withProgress(process.stderr, (progress) =>
          identifiability.inspect({ model, category, limit }, progress),
        ),
      );
      printAnswer(json, result, describe);
    });
}

function describe(result: Identifiability): string {
  const { products, category, model, version, counts, adaptable, approximate, findings } = result;
  const found = VERDICTS.filter((verdict) => counts[verdict] > 0);
  return [
    `${products} products${category === null ? '' : ` of ${category}`}, by ${model} (version ${version})`,
    asTable(
      ['verdict', 'products', 'share'],
      found.map((each) => [VERDICT_TEXTS[each], counts[each], percent(counts[each] / products)]),
    ),
    ...(adaptable === null ? [] : [adaptableText(adaptable)]),
    ...(approximate ? ['Neighbours are those of the approximate index, which misses a few.'] : []),
    asTable(['verdict', 'product, and the nearest other', 'apart', 'own'], findings.map(rowOf)),
  ].join('\n');
}

const rowOf = ({ product, nearest, verdict }: Finding) => [
  VERDICT_TEXTS[verdict],
  [product, ...(nearest ? [nearest.product] : [])].map(({ id, name }) => `${id}  ${name}`),
  nearest?.distance.toFixed(3) ?? null,
  nearest?.ownDistance?.toFixed(3) ?? null,
];
