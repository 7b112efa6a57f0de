import { ForegroundLoad } from '../../workers/foreground-load';
import { whileCollecting } from '../support/collect-garbage';
import { gate } from '../support/gate';

const never = () => new Promise<never>(() => undefined);

test('other work waits for photos, and goes on while they keep coming', async () => {
  const load = new ForegroundLoad();
  const order: string[] = [];
  const { opened, open: end } = gate();
  const photo = load.track(() => opened);
  const waiting = load.runBetween(async () => order.push('picture'), new AbortController().signal);
  order.push('photo');
  end();
  await Promise.all([photo, waiting]);
  expect(order).toEqual(['photo', 'picture']);

  void load.track(never);
  const pieces = [1, 2].map((piece) => load.runBetween(async () => piece, new AbortController().signal));
  await expect(whileCollecting(Promise.all(pieces))).resolves.toEqual([1, 2]);
});

test('a caller that gives up ends the waiting', async () => {
  const load = new ForegroundLoad();
  void load.track(never);
  const signal = AbortSignal.abort();
  await expect(load.runBetween(async () => signal.aborted, signal)).resolves.toBe(true);
});
