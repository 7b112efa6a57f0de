import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ROOT = resolve(__dirname, '../..');
const FOLDERS = ['api', 'db', 'models', 'scripts', 'test', 'workers'];
const SOURCE = /\.(tsx?|py)$/;
/** `contract 4.3`, `contract 4.3, 5.1`, or a whole section, `contract 5`; a list may go on in the next line of a comment. */
const CITATION = /\bcontract ((?:\d+(?:\.\d+)?)(?:,\s(?:\s*\* )?\d+(?:\.\d+)?)*)/g;

const contract = readFileSync(join(ROOT, 'docs/contract.md'), 'utf8');
const rules = [...contract.matchAll(/^\| (\d+\.\d+) \|/gm)].map(([, rule]) => String(rule));
const sections = [...contract.matchAll(/^## (\d+)\./gm)].map(([, section]) => String(section));

/** The numbers that the files below the folders cite, each with the files that cite it. */
function citations(folders: readonly string[]): Map<string, string[]> {
  const cited = new Map<string, string[]>();
  for (const folder of folders) {
    for (const entry of readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })) {
      if (!SOURCE.test(entry)) continue;
      const path = join(folder, entry);
      for (const [, numbers] of readFileSync(join(ROOT, path), 'utf8').matchAll(CITATION)) {
        for (const number of String(numbers).match(/\d+(?:\.\d+)?/g) ?? []) {
          cited.set(number, [...(cited.get(number) ?? []), path]);
        }
      }
    }
  }
  return cited;
}

describe('the contract', () => {
  test('gives each rule one number', () => {
    expect(rules.length).toBeGreaterThan(100);
    expect(new Set(rules).size).toBe(rules.length);
  });

  test('has every number that code and tests cite', () => {
    const known = new Set([...rules, ...sections]);
    const unknown = [...citations(FOLDERS)].filter(([number]) => !known.has(number));
    expect(unknown).toEqual([]);
  });

  test('has no rule that no test cites', () => {
    const cited = citations(['test']);
    expect(rules.filter((rule) => !cited.has(rule))).toEqual([]);
  });
});
