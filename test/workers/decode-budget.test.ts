import { DecodeBudget, decodeMemoryBytes, type PictureHeader } from '../../workers/image/decode-budget';
import { gate } from '../support/gate';

const settled = () => new Promise((resolve) => setImmediate(resolve));
const LARGE = 49_000_000;
const SMALL = 1_000_000;

/** A picture that is decoded until the test finishes it. */
function decoding(budget: DecodeBudget, cost: Partial<Parameters<DecodeBudget['run']>[0]>) {
  const { opened, open: finish } = gate();
  const picture = { started: false, finish };
  const work = async (): Promise<string> => {
    picture.started = true;
    await opened;
    return 'decoded';
  };
  const answer = budget.run({ bytes: 1, pixels: 1, ...cost }, work);
  return Object.assign(picture, { answer });
}

async function expectStarted(pictures: readonly { started: boolean }[], ...started: boolean[]) {
  await settled();
  expect(pictures.map((picture) => picture.started)).toEqual(started);
}

describe('Pictures that are decoded at the same time', () => {
  test('together take no more memory than there is, in the order of their arrival', async () => {
    const budget = new DecodeBudget({ bytesMax: 100, decodersMax: 10 });
    const first = decoding(budget, { bytes: 60 });
    const [large, small] = [decoding(budget, { bytes: 50 }), decoding(budget, { bytes: 10 })];
    // The small one would fit, but a stream of small ones must not make a large one wait for ever.
    await expectStarted([first, large, small], true, false, false);
    first.finish();
    await expectStarted([large, small], true, true);
  });

  test('free memory even when decoding fails', async () => {
    const budget = new DecodeBudget({ bytesMax: 10, decodersMax: 1 });
    const damaged = budget.run({ bytes: 10, pixels: 1 }, () => Promise.reject(new Error('damaged')));
    const next = budget.run({ bytes: 10, pixels: 1 }, async () => 'decoded');
    await expect(damaged).rejects.toThrow('damaged');
    expect(await next).toBe('decoded');
  });

  test('that need more than there is are decoded alone', async () => {
    const budget = new DecodeBudget({ bytesMax: 10, decodersMax: 2 });
    const [huge, small] = [decoding(budget, { bytes: 1000 }), decoding(budget, {})];
    await expectStarted([huge, small], true, false);
    huge.finish();
    await expectStarted([small], true);
  });

  test('leave a decoder, and memory, for later small ones when they are large', async () => {
    const keptForSmall = { bytes: 50, decoders: 1 };
    const budget = new DecodeBudget({ bytesMax: 200, decodersMax: 2, keptForSmall });
    const one = decoding(budget, { bytes: 150, pixels: LARGE, account: 'flood' });
    const other = decoding(budget, { bytes: 10, pixels: LARGE, account: 'another flood' });
    const small = decoding(budget, { bytes: 50, pixels: 12 * SMALL, account: 'other' });
    await expectStarted([one, other, small], true, false, true);
    small.finish();
    await expectStarted([other], false);
    one.finish();
    await expectStarted([other], true);
  });
});

// contract 7.7
describe('Accounts take turns', () => {
  test('so that the only picture of one comes second, however many another has sent before', async () => {
    const flood = Array.from({ length: 80 }, () => ({ account: 'flood', pixels: LARGE }));
    const order = await orderOf([...flood, { account: 'other', pixels: SMALL }]);
    expect(order.indexOf('other')).toBe(1);
  });

  test('weighed by pixels: small pictures pass large ones, and accounts that send the same take the same', async () => {
    const sent = Array.from({ length: 150 }, () => [
      { account: 'large', pixels: 12 * SMALL },
      { account: 'small', pixels: SMALL },
    ]).flat();
    const order = await orderOf(sent);
    const before = order.slice(0, order.lastIndexOf('small')).filter((account) => account === 'large').length;
    // 150 pictures of a megapixel and a quarter cost as much as 15 of twelve and a quarter.
    expect([before > 12, before < 18]).toEqual([true, true]);
  });

  async function orderOf(pictures: readonly { account: string; pixels: number }[]): Promise<string[]> {
    const budget = new DecodeBudget({ bytesMax: 1000, decodersMax: 1 });
    const order: string[] = [];
    await Promise.all(
      pictures.map(({ account, pixels }) =>
        budget.run({ bytes: 1, pixels, account }, async () => void order.push(account)),
      ),
    );
    return order;
  }

  test('an account that was away gains no credit', async () => {
    const budget = new DecodeBudget({ bytesMax: 1, decodersMax: 1 });
    const order: string[] = [];
    const send = (account: string) =>
      budget.run({ bytes: 1, pixels: SMALL, account }, async () => {
        order.push(account);
        await settled();
      });
    const busy = Array.from({ length: 20 }, () => send('busy'));
    while (order.length < 10) await settled();
    await Promise.all([...busy, ...Array.from({ length: 10 }, () => send('back'))]);
    expect(order.slice(10, 20).filter((account) => account === 'busy').length).toBeGreaterThanOrEqual(4);
  });
});

describe('A caller that gives up', () => {
  test('leaves the queue without its picture being decoded, and lets those behind it in', async () => {
    const budget = new DecodeBudget({ bytesMax: 10, decodersMax: 2 });
    decoding(budget, { bytes: 5 });
    const caller = new AbortController();
    const abandoned = decoding(budget, { bytes: 10, signal: caller.signal });
    const small = decoding(budget, {});
    caller.abort(new Error('the deadline'));
    await expect(abandoned.answer).rejects.toThrow('the deadline');
    await expectStarted([abandoned, small], false, true);
  });

  test('is released midway, while the decoder keeps its place until it ends', async () => {
    const budget = new DecodeBudget({ bytesMax: 10, decodersMax: 1 });
    const caller = new AbortController();
    const slow = decoding(budget, { signal: caller.signal });
    const next = decoding(budget, {});
    await settled();
    caller.abort(new Error('the deadline'));
    await expect(slow.answer).rejects.toThrow('the deadline');
    await expectStarted([next], false);
    slow.finish();
    await expectStarted([next], true);
    next.finish();
    expect(await next.answer).toBe('decoded');
  });
});

const DEEP_PNG = { format: 'png', depth: 'ushort', channels: 4 } as const;

// What was measured at 49 megapixels (docs/hostile-input.md), in MB beside the process itself.
test.each<[string, number, Partial<PictureHeader>]>([
  ['JPEG', 13, { chromaSubsampling: '4:2:0' }],
  ['progressive JPEG, 4:2:0', 150, { isProgressive: true, chromaSubsampling: '4:2:0' }],
  ['progressive JPEG, 4:4:4', 290, { isProgressive: true, chromaSubsampling: '4:4:4' }],
  ['PNG', 47, { format: 'png' }],
  ['PNG of 16 bits with alpha', 93, DEEP_PNG],
  ['interlaced PNG', 178, { format: 'png', isProgressive: true }],
  ['interlaced PNG of 16 bits with alpha', 438, { ...DEEP_PNG, isProgressive: true }],
  ['WebP', 9, { format: 'webp' }],
  ['WebP with alpha', 56, { format: 'webp', channels: 4 }],
  ['lossless WebP', 188, { format: 'webp', isLossless: true }],
  ['lossy animation of a small frame', 265, { format: 'webp', isAnimated: true }],
])('%s is counted with about the memory that it was measured to take: %d MB', (_form, measuredMb, form) => {
  const estimatedMb =
    decodeMemoryBytes({
      ...{ width: 7000, height: 7000, channels: 3, depth: 'uchar', format: 'jpeg' },
      ...{ isProgressive: false, isLossless: false, isAnimated: false },
      ...form,
    }) / 1_000_000;
  expect(estimatedMb).toBeGreaterThan(measuredMb * 0.9);
  expect(estimatedMb).toBeLessThan(measuredMb * 1.2 + 90);
});
