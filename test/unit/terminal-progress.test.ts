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

  // contract 13.25
  test('tells counts by their units where it is given them', async () => {
    const output = new PassThrough();
    await withProgress(output as unknown as NodeJS.WriteStream, async (progress) => {
      progress.begin('import', 100);
      progress.reach(50, 0, { records: 7, pictures: 3 });
      progress.end();
    });
    expect(String(output.read())).toMatch(/^import +100% 7 records, 3 pictures {2}[\d.]+\/s {2}0s left$/m);
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
