import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import type { z } from 'zod';
import { parseLine, parseRecord } from '../../scripts/import/parse-record';
import {
  categorySchema,
  entitySchema,
  estimateSchema,
  historySchema,
  listingSchema,
  productSchema,
  tagSchema,
} from '../../scripts/import/record-schemas';
import { RejectReport } from '../../scripts/import/reject-report';
import { temporaryFolder } from '../support/temporary-folder';

const GRADES = { A: 4, B: 3, C: null, D: 1 };
const PRICED = {
  variant: 'variant_a',
  region: 'NA',
  source: 'ebay',
  currency: 'usd',
  confidence: 0.5,
  ...GRADES,
};
const PICTURED = { popularity: 1, images: ['https://a.example/1.jpg'], thumbnails: ['images/a.jpg'] };
const DESCRIBED = { tags: ['material:exotic'], keywords: ['bag'], ...PICTURED };

/** A record of each file with all that it may hold, and what judges it. */
const KINDS: readonly (readonly [record: object, schema: z.ZodType])[] = [
  [
    { id: 'handbags', name: 'Handbags', hierarchy: ['brand'], name_fields: ['brand'], ...PICTURED },
    categorySchema,
  ],
  [{ id: 'material:exotic', name: 'Exotic', order: 1, categories: ['handbags'] }, tagSchema],
  [
    {
      id: 'style_a',
      kind: 'style',
      name: 'A',
      category: 'handbags',
      parents: { brand: 'brand_a' },
      ...DESCRIBED,
    },
    entitySchema,
  ],
  [
    {
      id: 'product_a',
      category: 'handbags',
      attributes: { brand: 'brand_a', colour: ['colour_a'] },
      variants: [{ id: 'variant_a', fields: [{ field: 'size', name: '30' }], ...PICTURED }],
      ...DESCRIBED,
    },
    productSchema,
  ],
  [{ ...PRICED, estimated_at: '2026-03-15T12:00:00Z' }, estimateSchema(new Date(0))],
  [{ ...PRICED, date: '2026-03-01' }, historySchema],
  [
    { variant: 'variant_a', region: 'NA', link: 'https://a.example/', price: 1, date: '2026-03-01' },
    listingSchema,
  ],
];

const folder = temporaryFolder();

async function reported(rejects: readonly Parameters<RejectReport['add']>[]): Promise<string[]> {
  const report = await RejectReport.create(join(folder, 'rejects.txt'));
  for (const reject of rejects) report.add(...reject);
  await report.close();
  return readFileSync(report.path, 'utf8').split('\n').slice(0, -1);
}

/** Keys and values that a bundle should not hold, besides all that JSON can. */
const strange = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom('', ' ', 'a: b', 'a\nb', '\ud800', 'x'.repeat(3_000), -1, 1e12, true, null, [], {}),
);

/** The line of a record in which one value, at any depth, is replaced, left out, or has come under a strange key. */
const damaged = (record: unknown): fc.Arbitrary<unknown> => {
  if (typeof record !== 'object' || record === null) return strange;
  const entries = Object.entries(record);
  if (entries.length === 0) return strange;
  const changed = fc.constantFrom(...entries).chain(([key, value]) =>
    fc.oneof(
      { weight: 3, arbitrary: damaged(value).map((other) => ({ ...record, [key]: other })) },
      fc.constant(Object.fromEntries(entries.filter(([each]) => each !== key))),
      fc
        .tuple(fc.oneof(fc.string(), fc.constantFrom('', 'a: b', 'k'.repeat(900))), strange)
        .map(([name, other]) => ({
          ...record,
          [name]: other,
        })),
    ),
  );
  return Array.isArray(record) ? changed.map((object) => Object.values(object)) : changed;
};

describe('a line of the report of rejects', () => {
  test('names file, line, field and reason of every record that is refused, whatever it holds', async () => {
    const rejects: Parameters<RejectReport['add']>[] = [];
    for (const [record, schema] of KINDS) {
      const lines = fc.oneof(
        damaged(record).map((value) => JSON.stringify(value)),
        fc.string(),
      );
      for (const line of fc.sample(lines, 300)) {
        const parsed = parseLine(line, (value) => parseRecord(value, schema));
        if ('reason' in parsed) rejects.push(['products.jsonl', 7, parsed.field, parsed.reason]);
      }
    }
    expect(rejects.length).toBeGreaterThan(KINDS.length * 100);
    const lines = await reported(rejects);
    expect(lines).toHaveLength(rejects.length);
    for (const line of lines) expect(line).toMatch(/^products\.jsonl:7: [^\s:]+: \S.*$/);
  });

  test('has its field and reason behind the longest path, too', async () => {
    const path = `${'folder/'.repeat(400)}a.jpg`;
    expect(await reported([[path, 0, 'file', 'a symbolic link']])).toEqual([
      `${path}:0: file: a symbolic link`,
    ]);
  });

  test('is one line, whatever stands in a name, and no longer than a reader bears', async () => {
    const [line, ...more] = await reported([['a\nb\u2028c', 0, 'file', `a\r\nb ${'x'.repeat(9_000)}`]]);
    expect(more).toEqual([]);
    expect(line).toMatch(/^a b c:0: file: a b x+…$/);
    expect(line?.length).toBeLessThan(600);
  });
});
