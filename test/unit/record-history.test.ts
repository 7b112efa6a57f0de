import { RecordHistory } from '../service/consistency/record-history';

/** The checker of catalog consistency (`test/service/consistency.test.ts`) finds what it should, and nothing else. */
const span = (from = 0, until = from + 1) => ({ from, until });

/** Events such as `wrote 1 0-10` (version 1, from 0 until 10), `saw 1 4` and `missed 2`. */
function historyOf(events: string): RecordHistory {
  const history = new RecordHistory('it');
  for (const event of events.split(', ')) {
    const [name, ...rest] = event.split(' ');
    const when = span(...(rest.pop() ?? '').split('-').map(Number));
    if (name === 'wrote' || name === 'saw') history[name](Number(rest[0]), when);
    else if (name === 'missed') history.missed(when);
    else history.wrote(null, when);
  }
  return history;
}

const brokenBy = (history: RecordHistory) =>
  Array.from(history.violations(), (violation) => violation.split(':')[0]);

// The first of two simultaneous writes came last.
const ORDERED =
  'missed 0, wrote 1 2-10, wrote 2 3-12, missed 2-3, saw 2 4, saw 1 6, saw 1 20, deleted 30-40, saw 1 32, missed 33, wrote 3 41, saw 3 41';

test.each<[what: string, events: string, broken: readonly string[]]>([
  ['reads that fit one order of the writes', ORDERED, []],
  ['a version that is seen after a later one was accepted', 'wrote 1 0, wrote 2 2, saw 1 4', ['current']],
  ['two versions by turns', 'wrote 1 0-20, wrote 2 0-20, saw 1 0, saw 2 2, saw 1 4, saw 2 6', ['current']],
  ['a version that nobody wrote', 'saw 7 0', ['written']],
  ['a version that is seen before its write began', 'wrote 7 5, saw 7 0', ['written']],
  ['a deleted record that is seen', 'wrote 1 0, deleted 2, saw 1 4', ['gone']],
  ['a record that is missed', 'wrote 1 0, missed 2', ['present']],
])('%s', (_what, events, broken) => {
  expect(brokenBy(historyOf(events))).toEqual(broken);
});

test.each([
  [1, ['present']],
  [2, []],
])('a record that a filter for version %d misses', (asked, broken) => {
  const history = historyOf('wrote 1 0, saw 1 6');
  history.missed(span(2), (version) => version === asked);
  expect(brokenBy(history)).toEqual(broken);
});

test('the history tells when a version could have been current', () => {
  const history = historyOf('wrote 1 0, wrote 2 10-20, saw 2 12');
  expect([history.bornAfter(2), history.goneBy(1), history.goneBy(2)]).toEqual([10, 13, Infinity]);
});
