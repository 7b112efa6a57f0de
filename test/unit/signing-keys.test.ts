import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { signingKeys } from '../../scripts/composition/signing-keys';
import { readConfig } from '../../scripts/config';
import { temporaryFolder } from '../support/temporary-folder';

/** contract 14: keys that nobody gave are made at the first start and kept in DATA_DIR. */
let DATA_DIR: string;
let file: string;
beforeEach(() => {
  DATA_DIR = temporaryFolder();
  file = join(DATA_DIR, 'signing-keys.json');
});

const keysOf = (settings: Record<string, string> = {}) => signingKeys(readConfig({ DATA_DIR, ...settings }));

test('keys are made once, for processes that start at once too, and only their owner can read them', async () => {
  const all = await Promise.all(Array.from({ length: 8 }, () => keysOf()));
  expect(new Set(all.map((keys) => JSON.stringify(keys))).size).toBe(1);
  expect(all[0]).toEqual([{ id: 'k1', secret: expect.stringMatching(/^[\w-]{43}$/) }]);
  expect(await keysOf()).toEqual(all[0]);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test.each([
  ['empty', ''],
  ['torn', '[{"id":"k1","secret":"hunter2hunter2hun'],
  ['without keys', '[]'],
  ['with a short secret', '[{"id":"k1","secret":"hunter2"}]'],
  ['with an id that can not stand in a link', '[{"id":"","secret":"hunter2hunter2hunter2"}]'],
])(
  'a file of keys that is %s is named with what to do, left as it is, and not shown',
  async (_what, text) => {
    writeFileSync(file, text);
    const failure = await keysOf().catch(String);
    expect(failure).toContain(file);
    expect(failure).toMatch(/backup.*SIGNING_KEYS.*delete it/);
    expect(failure).not.toMatch(/SyntaxError|hunter2/);
    expect(readFileSync(file, 'utf8')).toBe(text);
    const SIGNING_KEYS = 'mine:0123456789abcdef';
    expect(await keysOf({ SIGNING_KEYS })).toEqual([{ id: 'mine', secret: '0123456789abcdef' }]);
  },
);
