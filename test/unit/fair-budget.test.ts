import { FairBudget } from '../../models/access/fair-budget';

/** Memory that calls share. */
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

test('the calls of a key share its limit', () => {
  const shared = room(800);
  expect(shared.open('a').tryResize(300)).toBe(true);
  expect(shared.open('a').tryResize(101)).toBe(false);
  expect(shared.open('a').tryResize(100)).toBe(true);
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

test('one call at a time may exceed the budget', async () => {
  const shared = room(100);
  const [first, second] = [shared.open('a'), shared.open('b')];
  await first.resize(1000);
  let entered = false;
  const waiting = second.resize(1000).then(() => {
    entered = true;
  });
  await Promise.resolve();
  expect(entered).toBe(false);
  first.close();
  await waiting;
  expect(shared.state).toEqual({ held: 1000, waiting: 0 });
});

test('calls that hold a part and want more all finish', async () => {
  const shared = room(100);
  const calls = ['a', 'a', 'b', 'b'].map((key) => ({ key, reservation: shared.open(key) }));
  for (const { reservation } of calls) while (reservation.tryResize(reservation.units + 2));
  let done = 0;
  const all = calls.map(async ({ reservation }) => {
    await reservation.resize(90);
    done += 1;
    reservation.close();
  });
  await Promise.all(all);
  expect(done).toBe(4);
  expect(shared.state).toEqual({ held: 0, waiting: 0 });
});

test('a call beyond its share takes nothing from others', async () => {
  const shared = room(100);
  const stalled = ['a', 'a', 'a'].map((key) => shared.open(key));
  const waiting = stalled.map((reservation) => reservation.resize(25).catch(() => undefined));
  await waiting[0];
  await stalled[2]?.resize(30);
  expect(shared.state).toEqual({ held: 80, waiting: 0 });
  expect(shared.open('b').tryResize(25)).toBe(true);
  expect(shared.open('b').tryResize(2)).toBe(false);
});

test('a call that waits too long is a 503 with Retry-After and leaves nothing reserved', async () => {
  const shared = room(100);
  const large = shared.open('a');
  await large.resize(1000);
  const late = shared.open('b');
  const refused = expect(late.resize(500)).rejects.toMatchObject({
    status: 503,
    headers: { 'Retry-After': '2' },
  });
  await jest.advanceTimersByTimeAsync(10_000);
  await refused;
  late.close();
  expect(shared.state).toEqual({ held: 1000, waiting: 0 });
});

test('a call that ends stops waiting and frees its units', async () => {
  const shared = room(100);
  await shared.open('a').resize(1000);
  const gone = shared.open('b');
  const waiting = expect(gone.resize(500)).rejects.toMatchObject({ status: 503 });
  gone.close();
  gone.close();
  await waiting;
  expect(shared.state).toEqual({ held: 1000, waiting: 0 });
});

test('a key that wants more than its share does not hold up the others', async () => {
  const shared = room(100);
  await shared.open('a').resize(50);
  await shared.open('a').resize(30);
  const waiting = shared
    .open('a')
    .resize(30)
    .catch(() => undefined);
  await shared.open('b').resize(10);
  expect(shared.state).toEqual({ held: 90, waiting: 1 });
  await jest.advanceTimersByTimeAsync(10_000);
  await waiting;
});
