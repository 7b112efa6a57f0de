import { PassThrough } from 'node:stream';
import { type ImportProgress, withProgress } from '../../scripts/catalog/import/import-progress';

const stream = () => new PassThrough().resume() as unknown as NodeJS.WriteStream;

const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;

describe('progress on a terminal', () => {
  it('resolves to what the work does, and is told about it', async () => {
    const work = async (progress: ImportProgress) => {
      progress.begin('stage', 2);
      progress.reach(1);
      progress.end();
      return 'done';
    };
    expect(await withProgress(stream(), work)).toBe('done');
  });

  it('leaves nothing behind of work that failed, so that its process can end', async () => {
    const before = timers();
    const during: number[] = [];
    const work = async (progress: ImportProgress) => {
      progress.begin('stage', 2);
      during.push(timers());
      throw new Error('the disk is full');
    };
    await expect(withProgress(stream(), work)).rejects.toThrow('the disk is full');
    expect(during).toEqual([before + 1]);
    expect(timers()).toBe(before);
  });
});
