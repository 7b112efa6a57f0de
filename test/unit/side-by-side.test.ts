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

  readonly next: NextPiece = async (_stop, { begun }) => {
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
    async (stop, place) => (await hanging.next(stop, place)) || (await later.next(stop, place)),
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
  const next: NextPiece = async (_stop, { begun }) => {
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

// contract 16.5
test('a piece that waits aside leaves its place to the next, and comes back before any is begun', async () => {
  const limits = { atOnce: 1, asideMax: 3, everyMs: 1 };
  const events: string[] = [];
  const answers = new Map<string, () => void>();
  let changed = (): void => undefined;
  const note = (event: string): void => {
    events.push(event);
    changed();
  };
  const until = async (event: string): Promise<void> => {
    while (!events.includes(event)) {
      await new Promise<void>((resolve) => {
        changed = resolve;
      });
    }
  };
  const left = ['a waits', 'b waits', 'c works', 'd waits', 'e works', 'f works'];
  const held = (name: string) => new Promise<void>((resolve) => answers.set(name, resolve));
  const next: NextPiece = async (_stop, { begun, aside }) => {
    const [name, does] = left.shift()?.split(' ') ?? [];
    if (!name) return false;
    begun();
    note(`${name} begins`);
    if (does === 'waits') await aside(() => held(name));
    note(`${name} works`);
    await held(name);
    note(`${name} ends`);
    return true;
  };
  const work = new SideBySide('work', limits, next, logger);
  work.start();
  await until('c works');
  expect(events).toEqual(['a begins', 'b begins', 'c begins', 'c works']);
  // It wants its place back, which c has.
  answers.get('b')?.();
  await new Promise(setImmediate);
  expect(events).not.toContain('b works');
  answers.get('c')?.();
  await until('b works');
  expect(events.slice(4)).toEqual(['c ends', 'b works']);
  answers.get('b')?.();
  await until('e works');
  // Two are aside: there is room for one more, which e and f don't need.
  expect(events.slice(6)).toEqual(['b ends', 'd begins', 'e begins', 'e works']);
  const stopped = work.stop();
  for (const name of ['a', 'd', 'e']) answers.get(name)?.();
  await until('e ends');
  await until('a works');
  answers.get('a')?.();
  await until('d works');
  answers.get('d')?.();
  await stopped;
  expect(events.filter((event) => event.startsWith('f'))).toEqual([]);
});

test('none is begun while as many wait aside as may', async () => {
  let [begunNow, looks] = [0, 0];
  let answer = (): void => undefined;
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const next: NextPiece = async (_stop, { begun, aside }) => {
    looks += 1;
    if (begunNow === 5) return false;
    begunNow += 1;
    begun();
    await aside(() => answered);
    return true;
  };
  const work = new SideBySide('work', { atOnce: 2, asideMax: 4, everyMs: 1 }, next, logger);
  work.start();
  while (begunNow < 4) await new Promise(setImmediate);
  for (let turn = 0; turn < 50; turn += 1) await new Promise(setImmediate);
  expect([begunNow, looks]).toEqual([4, 4]);
  answer();
  while (begunNow < 5) await new Promise(setImmediate);
  await work.stop();
});
