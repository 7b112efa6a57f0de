import { DecodeBudget } from '../../workers/image/decode-budget';

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
    const answers = [budget.run(60, first.work), budget.run(50, large.work), budget.run(10, small.work)];
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

  test('are no more than there are decoders', async () => {
    const budget = new DecodeBudget({ bytesMax: 100, decodersMax: 2 });
    const pictures = [new Decoding(), new Decoding(), new Decoding()];
    const answers = pictures.map((picture) => budget.run(1, picture.work));
    await settled();
    expect(pictures.map(({ started }) => started)).toEqual([true, true, false]);
    pictures[0]?.finish();
    await settled();
    expect(pictures[2]?.started).toBe(true);
    for (const picture of pictures) picture.finish();
    await Promise.all(answers);
  });

  test('make room also when decoding fails', async () => {
    const budget = new DecodeBudget({ bytesMax: 10, decodersMax: 1 });
    const damaged = budget.run(10, () => Promise.reject(new Error('damaged')));
    const next = budget.run(10, async () => 'decoded');
    await expect(damaged).rejects.toThrow('damaged');
    expect(await next).toBe('decoded');
  });

  test('that need more than there is are decoded alone', async () => {
    const budget = new DecodeBudget({ bytesMax: 10, decodersMax: 2 });
    const [huge, small] = [new Decoding(), new Decoding()];
    const answers = [budget.run(1000, huge.work), budget.run(1, small.work)];
    await settled();
    expect([huge.started, small.started]).toEqual([true, false]);
    huge.finish();
    await settled();
    small.finish();
    await Promise.all(answers);
  });
});

describe('A caller that gives up', () => {
  test('leaves the queue without its picture being decoded, and lets those behind it in', async () => {
    const budget = new DecodeBudget({ bytesMax: 10, decodersMax: 2 });
    const [first, abandoned, small] = [new Decoding(), new Decoding(), new Decoding()];
    const running = budget.run(5, first.work);
    const caller = new AbortController();
    const waiting = budget.run(10, abandoned.work, caller.signal);
    const behind = budget.run(1, small.work);
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
    const running = budget.run(1, slow.work, caller.signal);
    const waiting = budget.run(1, next.work);
    await settled();
    caller.abort(new Error('the deadline'));
    await expect(running).rejects.toThrow('the deadline');
    expect(next.started).toBe(false);
    slow.finish();
    await settled();
    next.finish();
    expect(await waiting).toBe('decoded');
  });

  test('before it came is not let in', async () => {
    const budget = new DecodeBudget({ bytesMax: 10, decodersMax: 1 });
    const work = jest.fn();
    await expect(budget.run(1, work, AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone');
    expect(work).not.toHaveBeenCalled();
  });
});
