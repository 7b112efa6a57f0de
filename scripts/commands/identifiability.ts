import { constants, setPriority } from 'node:os';
import type { Command } from '@commander-js/extra-typings';
import { counted } from '../../models/errors';
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
import { asTable, percent, printAnswer, subcommand, wholeNumber } from './terminal';

const VERDICT_TEXTS: Readonly<Record<Verdict, string>> = {
  shares_picture: 'shares a picture with another product',
  confused: 'confused with another product',
  one_picture: 'one picture only',
  no_picture: 'no picture',
  not_embedded: 'no picture that is embedded',
  distinct: 'told apart',
};

const DIFFERENCES_SHOWN = 3;

/** `loupe catalog identifiability`: what to photograph next (docs/operate.md). */
export function register(catalog: Command): void {
  const inspected =
    'what to photograph next: products that the model cannot tell apart, or has too few pictures of';
  subcommand(catalog, 'identifiability', inspected)
    .option('--category <category>', 'judge only products of this category, against the whole catalog')
    .option('--model <model>', 'id or id@version (default: the live version)')
    .option('--limit <limit>', 'maximum number shown per verdict, the worst first', wholeNumber, 20)
    .action(async ({ model = null, category = null, limit, json }) => {
      setPriority(constants.priority.PRIORITY_LOW);
      const worst = VERDICTS.map((verdict) => ({ verdict, findings: [] as Finding[] }));
      // Streams the JSON document, one finding in memory at a time.
      let between = '{"findings": [';
      const onFinding = (finding: Finding) => {
        if (json) {
          process.stdout.write(`${between}\n${printable(JSON.stringify(finding))}`);
          between = ',';
          return;
        }
        for (const each of worst) {
          if (each.verdict === finding.verdict) each.findings.push(finding);
          if (each.findings.length > 2 * limit) each.findings.sort(byWorst).splice(limit);
        }
      };
      const result = await withStores(({ identifiability }) =>
        withProgress(process.stderr, (progress) =>
          identifiability.inspect({ model, category }, progress, onFinding),
        ),
      );
      if (json) {
        const summary = JSON.stringify(result, null, 2).slice(1);
        process.stdout.write(`${between === ',' ? '\n' : between}],${summary}\n`);
      } else {
        const findings = worst.flatMap((each) => each.findings.sort(byWorst).slice(0, limit));
        printAnswer(false, null, () => describe(result, findings));
      }
    });
}

/** Those with the nearest pictures first, then the most popular. */
function byWorst(left: Finding, right: Finding): number {
  const near = (left.nearest?.distance ?? 3) - (right.nearest?.distance ?? 3);
  return near || right.popularity - left.popularity || (left.product.id < right.product.id ? -1 : 1);
}

function describe(result: Identifiability, findings: readonly Finding[]): string {
  const { products, category, model, version, counts, adaptable, approximate } = result;
  const found = VERDICTS.filter((verdict) => counts[verdict] > 0);
  return [
    `${counted(products, 'product')}${category === null ? '' : ` of ${category}`}, by ${model} (version ${version})`,
    asTable(
      ['verdict', 'products', 'share'],
      found.map((each) => [VERDICT_TEXTS[each], counts[each], percent(counts[each] / products)]),
    ),
    ...(adaptable === null ? [] : [adaptableText(adaptable)]),
    ...(approximate ? ['Neighbours are those of the approximate index, which misses a few.'] : []),
    asTable(['verdict', 'product, and the nearest other', 'apart', 'own', 'differ in'], findings.map(rowOf)),
  ].join('\n');
}

const rowOf = ({ product, nearest, verdict }: Finding) => [
  VERDICT_TEXTS[verdict],
  [lineOf(product), ...(nearest ? [lineOf(nearest.product)] : [])],
  nearest?.distance.toFixed(3) ?? null,
  nearest?.ownDistance?.toFixed(3) ?? null,
  nearest && differencesOf(nearest.differIn),
];

/** Brand, model and style unless the name contains them, then the name. */
const lineOf = ({ id, name, taxonomy }: NamedProduct): string =>
  `${id}  ${[...taxonomy.filter((each) => !name.includes(each)), name].join(' ')}`;

/** The first fields in which two products differ; if none do, they may be duplicates. */
function differencesOf(fields: readonly string[]): string[] {
  const more = fields.length - DIFFERENCES_SHOWN;
  if (fields.length === 0) return ['nothing'];
  return [...fields.slice(0, DIFFERENCES_SHOWN), ...(more > 0 ? [`${more} more`] : [])];
}
