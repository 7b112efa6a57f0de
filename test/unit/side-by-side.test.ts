import type { Logger } from '../../models/ports';
import { type NextPiece, SideBySide } from '../../scripts/composition/side-by-side';

const LIMITS = { atOnce: 3, everyMs: 1 };

/** Pieces of work, each of which takes until it is let go. */
class Pieces {
  looks = 0;
  inWork = 0;
  done = 0;
  readonly #waiting: (() => void)[] = [];
  #changed = (): void => undefined;

  constructor(private left: number) {}

  readonly next: NextPiece = async (_stop, begun) => {
    this.looks += 1;
    this.#changed();
    if (this.left === 0) return false;
    this.left -= 1;
    this.inWork += 1;
    begun();
    this.#changed();
    await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.inWork -= 1;
    this.done += 1;
    this.#changed();
    return true;
  };

  letGo(count: number): void {
    for (const resolve of this.#waiting.splice(0, count)) resolve();
  }

  async until(isReached: () => boolean): Promise<void> {
    while (!isReached()) {
      await new Promise<void>((resolve) => {
        this.#changed = resolve;
      });
    }
  }
}

let told: unknown[];
const logger = { warn: (fields: object) => void told.push(fields) } as unknown as Logger;

beforeEach(() => {
  told = [];
});

test('where there is nothing, one looks at a time', async () => {
  let [looks, atOnce, most] = [0, 0, 0];
  let enough = (): void => undefined;
  const reached = new Promise<void>((resolve) => {
    enough = resolve;
  });
  const next: NextPiece = async () => {
    looks += 1;
    atOnce += 1;
    most = Math.max(most, atOnce);
    await new Promise(setImmediate);
    atOnce -= 1;
    if (looks === 10) enough();
    return false;
  };
  const work = new SideBySide('work', LIMITS, next, logger);
  work.start();
  await reached;
  await work.stop();
  expect(most).toBe(1);
});

test('as many pieces as may be are done at the same time, and who is done takes the next', async () => {
  const pieces = new Pieces(6);
  const work = new SideBySide('work', LIMITS, pieces.next, logger);
  work.start();
  await pieces.until(() => pieces.inWork === 3);
  pieces.letGo(1);
  await pieces.until(() => pieces.done === 1 && pieces.inWork === 3);
  pieces.letGo(3);
  await pieces.until(() => pieces.done === 4 && pieces.inWork === 2);
  const stopped = work.stop();
  pieces.letGo(3);
  await stopped;
  expect([pieces.inWork, pieces.done]).toEqual([0, 6]);
});

test('what comes while a piece hangs is found', async () => {
  const hanging = new Pieces(1);
  const later = new Pieces(0);
  const work = new SideBySide(
    'work',
    LIMITS,
    async (stop, begun) => (await hanging.next(stop, begun)) || (await later.next(stop, begun)),
    logger,
  );
  work.start();
  await hanging.until(() => hanging.inWork === 1);
  const { looks } = later;
  await later.until(() => later.looks > looks + 3);
  expect(hanging.inWork).toBe(1);
  hanging.letGo(1);
  await work.stop();
});

test('a look that fails is told once as long as it fails so, a piece that fails each time', async () => {
  let [looks, pieces] = [0, 0];
  let enough = (): void => undefined;
  const reached = new Promise<void>((resolve) => {
    enough = resolve;
  });
  const next: NextPiece = async (_stop, begun) => {
    looks += 1;
    if (looks <= 5) throw new Error('no database');
    if (looks === 8) enough();
    if (looks > 6) return false;
    begun();
    pieces += 1;
    throw new Error('no answer');
  };
  const work = new SideBySide('work', LIMITS, next, logger);
  work.start();
  await reached;
  await work.stop();
  expect(pieces).toBe(1);
  expect(told).toEqual([
    { task: 'work', reason: 'Error: no database' },
    { task: 'work', reason: 'Error: no answer' },
  ]);
});
