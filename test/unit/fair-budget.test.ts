import { FairBudget } from '../../models/access/fair-budget';

const room = (units: number, littleUnits = 1) =>
  new FairBudget({ units, littleUnits, mayExceed: true, waitMs: 10_000, refusal: 'Call again soon.' });

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

test('each further key gets half of what is left, so some always stays free', () => {
  const shared = room(800);
  const held = ['a', 'b', 'c', 'd'].map((key) => {
    const reservation = shared.open(key);
    let bytes = 2;
    while (reservation.tryResize(bytes + 1)) bytes += 1;
    return bytes;
  });
  expect(held).toEqual([400, 200, 100, 50]);
  expect(shared.state.held).toBe(750);
});

test('small calls have a budget of their own, and neither kind waits for the other', () => {
  const shared = room(100, 10);
  const callsOf = (key: string, bytes: number) => {
    let calls = 0;
    while (shared.open(key).tryResize(bytes)) calls += 1;
    return calls;
  };
  expect(['a', 'b', 'c'].map((key) => callsOf(key, 10))).toEqual([5, 2, 1]);
  expect(['a', 'b', 'c'].map((key) => callsOf(key, 25))).toEqual([2, 1, 0]);
});

test('calls that hold a part and want more all finish', async () => {
  const shared = room(100);
  const calls = ['a', 'a', 'b', 'b'].map((key) => shared.open(key));
  for (const call of calls) while (call.tryResize(call.units + 2));
  await Promise.all(calls.map((call) => call.resize(90).then(() => call.close())));
  expect(shared.state).toEqual({ held: 0, waiting: 0 });
});

test('the calls of a key share its limit, and those beyond it take nothing from others and do not hold them up', async () => {
  const shared = room(100);
  const stalled = ['a', 'a', 'a'].map((key) => shared.open(key));
  const waiting = stalled.map((reservation) => reservation.resize(25).catch(() => undefined));
  await waiting[0];
  await stalled[2]?.resize(30);
  expect(shared.state).toEqual({ held: 80, waiting: 0 });
  const further = shared.open('a');
  const ended = expect(further.resize(30)).rejects.toMatchObject({ status: 503 });
  await shared.open('b').resize(25);
  expect(shared.open('b').tryResize(2)).toBe(false);
  expect(shared.state).toEqual({ held: 105, waiting: 1 });
  further.close();
  await ended;
});

test('one call at a time may exceed the budget; one that waits too long or is aborted is a 503 and leaves nothing reserved', async () => {
  const shared = room(100);
  const [first, late] = [shared.open('a'), shared.open('b')];
  const [gone, next] = [shared.open('c'), shared.open('d')];
  await first.resize(1000);
  const ended = expect(gone.resize(500)).rejects.toMatchObject({ status: 503 });
  gone.close();
  gone.close();
  await ended;
  const refusal = { status: 503, headers: { 'Retry-After': '2' } };
  const refused = expect(late.resize(500)).rejects.toMatchObject(refusal);
  await jest.advanceTimersByTimeAsync(10_000);
  await refused;
  late.close();
  const waiting = next.resize(1000);
  expect(shared.state).toEqual({ held: 1000, waiting: 1 });
  first.close();
  await waiting;
  expect(shared.state).toEqual({ held: 1000, waiting: 0 });
});
