import { RecordHistory } from '../service/living/record-history';

/** The checker of `test/service/living.test.ts` finds each kind of fault, and nothing else. */
const span = (from: number, until = from + 1) => ({ from, until });

function brokenBy(play: (history: RecordHistory) => void): string[] {
  const history = new RecordHistory('it');
  play(history);
  return Array.from(history.violations(), (violation) => violation.split(':')[0] ?? '');
}

test('reads that fit one order of the writes are no violation', () => {
  expect(
    brokenBy((history) => {
      history.missed(span(0));
      history.wrote(1, span(2, 10));
      history.wrote(2, span(3, 12));
      history.missed(span(2, 3));
      history.saw(2, span(4));
      // The first one came last.
      history.saw(1, span(6));
      history.saw(1, span(20));
      history.deleted(span(30, 40));
      history.saw(1, span(32));
      history.missed(span(33));
      history.wrote(3, span(41));
      history.saw(3, span(41));
    }),
  ).toEqual([]);
});

test('a version may not be seen after a later one was accepted or seen', () => {
  const written = (history: RecordHistory) => {
    history.wrote(1, span(0));
    history.wrote(2, span(2));
  };
  expect(brokenBy((history) => [written(history), history.saw(1, span(4))])).toEqual(['current']);
  const seenByTurns = (history: RecordHistory) => {
    history.wrote(1, span(0, 20));
    history.wrote(2, span(0, 20));
    for (const [at, version] of [1, 2, 1, 2].entries()) history.saw(version, span(2 * at));
  };
  expect(brokenBy(seenByTurns)).toEqual(['current']);
});

test('a version may not be seen before its write began', () => {
  expect(brokenBy((history) => history.saw(7, span(0)))).toEqual(['written']);
  expect(brokenBy((history) => [history.wrote(7, span(5)), history.saw(7, span(0))])).toEqual(['written']);
});

test('deleted records may not be seen, others must be', () => {
  const written = (history: RecordHistory) => history.wrote(1, span(0));
  expect(
    brokenBy((history) => [written(history), history.deleted(span(2)), history.saw(1, span(4))]),
  ).toEqual(['gone']);
  expect(brokenBy((history) => [written(history), history.missed(span(2))])).toEqual(['present']);
  const missedByFilter = (history: RecordHistory, asked: number) => [
    written(history),
    history.saw(1, span(6)),
    history.missed(span(2), (version) => version === asked),
  ];
  expect(brokenBy((history) => missedByFilter(history, 1))).toEqual(['present']);
  expect(brokenBy((history) => missedByFilter(history, 2))).toEqual([]);
});

test('a write without an answer may take effect at any time', () => {
  const unanswered = (history: RecordHistory) => {
    history.wrote(1, span(0));
    history.wrote(2, span(2, Number.POSITIVE_INFINITY));
  };
  expect(brokenBy((history) => [unanswered(history), history.saw(1, span(9))])).toEqual([]);
  expect(brokenBy((history) => [unanswered(history), history.saw(2, span(9))])).toEqual([]);
  expect(
    brokenBy((history) => [unanswered(history), history.saw(2, span(9)), history.saw(1, span(11))]),
  ).toEqual(['current']);
});

test('it knows from when to when a version could be seen', () => {
  const history = new RecordHistory('it');
  history.wrote(1, span(0));
  history.wrote(2, span(10, 20));
  history.saw(2, span(12));
  expect([history.bornAfter(2), history.goneBy(1), history.goneBy(2)]).toEqual([10, 13, Infinity]);
  history.saw(1, span(8));
  expect([history.stoodStill(span(2, 8)), history.stoodStill(span(2, 9))]).toEqual([true, false]);
});
