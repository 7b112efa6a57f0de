import { asTable } from '../../scripts/commands/terminal';
import { printable } from '../../scripts/composition/printable';
import { codePointsOf } from '../support/odd-characters';

const BYTES = Array.from({ length: 0xa0 }, (_, code) => String.fromCharCode(code));

/** contract 14.5: a terminal shows the names that callers chose, and obeys nothing in them. */
const ACTED_ON = [
  ...BYTES.filter((each) => /\p{Cc}/u.test(each)),
  ...'\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u2028\u2029',
];

test.each(ACTED_ON.map((each) => [codePointsOf(each), each]))('%s is written as an escape', (_name, each) => {
  const table = asTable(['id', 'name'], [['account_x', `shop${each}[2J`]]);
  expect(table).not.toContain(`shop${each}`);
  expect(table).toContain(`shop\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}[2J`);
  expect(printable(`a${each}b`) === `a${each}b`).toBe(['\n', '\t'].includes(each));
});

test('JSON stays what it was', () => {
  const document = { name: ACTED_ON.join('x') };
  const text = printable(JSON.stringify(document, null, 2));
  expect(JSON.parse(text)).toEqual(document);
  expect(text).toMatch(/^[^\p{Cc}\p{Bidi_Control}]*$/mu);
});

test('all other text is written as it is', () => {
  const text = 'Hermès 👩‍🎨 e\u0301 路易威登 שלום';
  expect(printable(text)).toBe(text);
  expect(asTable(['name'], [[text]])).toContain(text);
});
