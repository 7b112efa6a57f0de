import { constants, setPriority } from 'node:os';
import type { Command } from 'commander';
import type { Finding } from '../../models/indexing/identifiability';
import { WorstFindings } from '../../models/indexing/identifiability';
import { printable } from '../composition/printable';
import { withStores } from '../composition/services';
import { withProgress } from '../composition/terminal-progress';
import { describeIdentifiability } from './describe-identifiability';
import { printAnswer } from './output';
import { wholeNumber } from './whole-number';

interface IdentifiabilityCommandOptions {
  readonly model?: string | null;
  readonly category?: string | null;
  readonly limit: number;
  readonly json?: boolean;
}

/** `loupe catalog identifiability`: what to photograph next (docs/operate.md). */
export function registerIdentifiability(catalog: Command): void {
  catalog
    .command('identifiability')
    .description(
      'what to photograph next: products that the model can not tell apart, or has too few pictures of',
    )
    .option('--category <category>', 'products of this category only, against those of all')
    .option('--model <model>', 'under another version than the live one, id or id@version')
    .option('--limit <limit>', 'how many of each kind are shown, the worst first', wholeNumber, 20)
    .option('--json', 'print JSON, with all of them')
    .action(inspectCatalog);
}

async function inspectCatalog({
  model = null,
  category = null,
  limit,
  json,
}: IdentifiabilityCommandOptions): Promise<void> {
  setPriority(constants.priority.PRIORITY_LOW);
  await withStores(async ({ identifiability }) => {
    const worst = new WorstFindings(limit);
    const printed = json ? new PrintedFindings() : null;
    const result = await withProgress(process.stderr, (progress) =>
      identifiability.inspect({ model, category }, progress, (finding) => {
        worst.add(finding);
        printed?.add(finding);
      }),
    );
    if (printed) printed.end(result);
    else printAnswer(false, null, () => describeIdentifiability(result, worst));
  });
}

/** One JSON document, of which no more than a finding is in memory. */
class PrintedFindings {
  #count = 0;

  add(finding: Finding): void {
    process.stdout.write(
      `${this.#count === 0 ? '{"findings": [' : ','}\n${printable(JSON.stringify(finding))}`,
    );
    this.#count += 1;
  }

  /** @param summary the members beside the findings */
  end(summary: object): void {
    const rest = JSON.stringify(summary, null, 2).slice(1);
    process.stdout.write(`${this.#count === 0 ? '{"findings": [' : '\n'}],${rest}\n`);
  }
}
