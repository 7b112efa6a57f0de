import { PassThrough } from 'node:stream';
import type { Progress } from '../../models/ports';
import { withProgress } from '../../scripts/composition/terminal-progress';

const stream = () => new PassThrough().resume() as unknown as NodeJS.WriteStream;

const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;

describe('progress on a terminal', () => {
  test('resolves to what the work does, and is told about it', async () => {
    const work = async (progress: Progress) => {
      progress.begin('stage', 2);
      progress.reach(1);
      progress.end();
      return 'done';
    };
    expect(await withProgress(stream(), work)).toBe('done');
  });

  test('leaves nothing behind of work that failed, so that its process can end', async () => {
    const before = timers();
    const during: number[] = [];
    const work = async (progress: Progress) => {
      progress.begin('stage', 2);
      during.push(timers());
      progress.begin('what is done in spite of that', 2);
      during.push(timers());
      throw new Error('the disk is full');
    };
    await expect(withProgress(stream(), work)).rejects.toThrow('the disk is full');
    expect(during).toEqual([before + 1, before + 1]);
    expect(timers()).toBe(before);
  });
});
