import { DecodeBudget, decodeMemoryBytes, type PictureHeader } from '../../workers/image/decode-budget';

/** A picture that is decoded until it is told to be done. */
class Decoding {
  started = false;
  finish: () => void = () => undefined;
  readonly work = (): Promise<string> => {
    this.started = true;
    return new Promise((resolve) => {
      this.finish = () => resolve('decoded');
    });
  };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('Pictures that are decoded at the same time', () => {
  test('take no more memory together than there is, in the order of their arrival', async () => {
    const budget = new DecodeBudget({ bytesMax: 100, decodersMax: 10 });
    const [first, large, small] = [new Decoding(), new Decoding(), new Decoding()];
    const answers = [
      budget.run({ bytes: 60, pixels: 1 }, first.work),
      budget.run({ bytes: 50, pixels: 1 }, large.work),
      budget.run({ bytes: 10, pixels: 1 }, small.work),
    ];
    await settled();
    // The small one would fit, but a stream of small ones must not keep a large one waiting for ever.
    expect([first.started, large.started, small.started]).toEqual([true, false, false]);
    first.finish();
    await settled();
    expect([large.started, small.started]).toEqual([true, true]);
    large.finish();
    small.finish();
    expect(await Promise.all(answers)).toEqual(['decoded', 'decoded', 'decoded']);
  });

  test('make room also when decoding fails', async () => {
    const budget = new DecodeBudget({ bytesMax: 10, decodersMax: 1 });
    const damaged = budget.run({ bytes: 10, pixels: 1 }, () => Promise.reject(new Error('damaged')));
    const next = budget.run({ bytes: 10, pixels: 1 }, async () => 'decoded');
    await expect(damaged).rejects.toThrow('damaged');
    expect(await next).toBe('decoded');
  });

  test('that need more than there is are decoded alone', async () => {
    const budget = new DecodeBudget({ bytesMax: 10, decodersMax: 2 });
    const [huge, small] = [new Decoding(), new Decoding()];
    const answers = [
      budget.run({ bytes: 1000, pixels: 1 }, huge.work),
      budget.run({ bytes: 1, pixels: 1 }, small.work),
    ];
    await settled();
    expect([huge.started, small.started]).toEqual([true, false]);
    huge.finish();
    await settled();
    small.finish();
    await Promise.all(answers);
  });
});

// contract 7.7
describe('Accounts take turns', () => {
  /** Pictures of accounts in the order in which one decoder takes them. */
  async function orderOf(
    pictures: readonly { readonly account: string; readonly pixels: number }[],
    limits = { bytesMax: 1000, decodersMax: 1 },
  ): Promise<string[]> {
    const budget = new DecodeBudget(limits);
    const order: string[] = [];
    await Promise.all(
      pictures.map(({ account, pixels }) =>
        budget.run({ bytes: 1, pixels, account }, async () => void order.push(account)),
      ),
    );
    return order;
  }
  const MEGAPIXEL = 1_000_000;

  test('so that the only picture of one comes second, however many another has sent before', async () => {
    const flood = Array.from({ length: 80 }, () => ({ account: 'flood', pixels: 49 * MEGAPIXEL }));
    const order = await orderOf([...flood, { account: 'other', pixels: MEGAPIXEL }]);
    expect(order.indexOf('other')).toBe(1);
  });

  test('weighed by pixels: small pictures pass large ones, and accounts that send the same take the same', async () => {
    const sent = Array.from({ length: 300 }, (_, at) =>
      at % 2 === 0 ? { account: 'large', pixels: 12 * MEGAPIXEL } : { account: 'small', pixels: MEGAPIXEL },
    );
    const order = await orderOf(sent);
    const smallBefore = order.slice(0, order.lastIndexOf('small')).filter((account) => account === 'large');
    // 150 pictures of a megapixel and a quarter cost as much as 15 of twelve and a quarter.
    expect(smallBefore.length).toBeGreaterThan(12);
    expect(smallBefore.length).toBeLessThan(18);
  });

  test('an account that was away saves nothing up', async () => {
    const budget = new DecodeBudget({ bytesMax: 1, decodersMax: 1 });
    const order: string[] = [];
    const send = (account: string) =>
      budget.run({ bytes: 1, pixels: MEGAPIXEL, account }, async () => {
        order.push(account);
        await settled();
      });
    const busy = Array.from({ length: 20 }, () => send('busy'));
    while (order.length < 10) await settled();
    await Promise.all([...busy, ...Array.from({ length: 10 }, () => send('back'))]);
    const together = order.slice(10).slice(0, 10);
    expect(together.filter((account) => account === 'busy').length).toBeGreaterThanOrEqual(4);
  });

  test('large pictures leave a decoder, and memory, to small ones that come later', async () => {
    const budget = new DecodeBudget({
      bytesMax: 200,
      decodersMax: 2,
      keptForSmall: { bytes: 50, decoders: 1 },
    });
    const [one, other, small] = [new Decoding(), new Decoding(), new Decoding()];
    const answers = [
      budget.run({ bytes: 150, pixels: 49 * MEGAPIXEL, account: 'flood' }, one.work),
      budget.run({ bytes: 10, pixels: 49 * MEGAPIXEL, account: 'another flood' }, other.work),
      budget.run({ bytes: 50, pixels: 12 * MEGAPIXEL, account: 'other' }, small.work),
    ];
    await settled();
    expect([one.started, other.started, small.started]).toEqual([true, false, true]);
    small.finish();
    await settled();
    expect(other.started).toBe(false);
    one.finish();
    await settled();
    other.finish();
    await Promise.all(answers);
  });
});

describe('A caller that gives up', () => {
  test('leaves the queue without its picture being decoded, and lets those behind it in', async () => {
    const budget = new DecodeBudget({ bytesMax: 10, decodersMax: 2 });
    const [first, abandoned, small] = [new Decoding(), new Decoding(), new Decoding()];
    const running = budget.run({ bytes: 5, pixels: 1 }, first.work);
    const caller = new AbortController();
    const waiting = budget.run({ bytes: 10, pixels: 1, signal: caller.signal }, abandoned.work);
    const behind = budget.run({ bytes: 1, pixels: 1 }, small.work);
    caller.abort(new Error('the deadline'));
    await expect(waiting).rejects.toThrow('the deadline');
    await settled();
    expect([abandoned.started, small.started]).toEqual([false, true]);
    first.finish();
    small.finish();
    await Promise.all([running, behind]);
  });

  test('is let go in the middle, while the decoder keeps its place until it ends', async () => {
    const budget = new DecodeBudget({ bytesMax: 10, decodersMax: 1 });
    const [slow, next] = [new Decoding(), new Decoding()];
    const caller = new AbortController();
    const running = budget.run({ bytes: 1, pixels: 1, signal: caller.signal }, slow.work);
    const waiting = budget.run({ bytes: 1, pixels: 1 }, next.work);
    await settled();
    caller.abort(new Error('the deadline'));
    await expect(running).rejects.toThrow('the deadline');
    expect(next.started).toBe(false);
    slow.finish();
    await settled();
    next.finish();
    expect(await waiting).toBe('decoded');
  });
});

describe('the memory of a picture', () => {
  /** What was measured at 49 megapixels (docs/hostile-input.md), in MB beside the process itself. */
  const SIDE = 7000;
  const header = (form: Partial<PictureHeader>): PictureHeader => ({
    width: SIDE,
    height: SIDE,
    channels: 3,
    depth: 'uchar',
    format: 'jpeg',
    isProgressive: false,
    isLossless: false,
    isAnimated: false,
    ...form,
  });

  test.each<[string, number, Partial<PictureHeader>]>([
    ['JPEG', 13, { chromaSubsampling: '4:2:0' }],
    ['progressive JPEG, 4:2:0', 150, { isProgressive: true, chromaSubsampling: '4:2:0' }],
    ['progressive JPEG, 4:4:4', 290, { isProgressive: true, chromaSubsampling: '4:4:4' }],
    ['PNG', 47, { format: 'png' }],
    ['PNG of 16 bits with alpha', 93, { format: 'png', depth: 'ushort', channels: 4 }],
    ['interlaced PNG', 178, { format: 'png', isProgressive: true }],
    [
      'interlaced PNG of 16 bits with alpha',
      438,
      { format: 'png', isProgressive: true, depth: 'ushort', channels: 4 },
    ],
    ['WebP', 9, { format: 'webp' }],
    ['WebP with alpha', 56, { format: 'webp', channels: 4 }],
    ['lossless WebP', 188, { format: 'webp', isLossless: true }],
    ['lossy animation of a small frame', 265, { format: 'webp', isAnimated: true }],
  ])('%s is taken for about as much memory as it was seen to take: %d MB', (_form, measuredMb, form) => {
    const estimatedMb = decodeMemoryBytes(header(form)) / 1_000_000;
    expect(estimatedMb).toBeGreaterThan(measuredMb * 0.9);
    expect(estimatedMb).toBeLessThan(measuredMb * 1.2 + 90);
  });
});
