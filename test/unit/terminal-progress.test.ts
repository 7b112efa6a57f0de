import { PassThrough } from 'node:stream';
import type { Progress } from '../../models/ports';
import { withProgress } from '../../scripts/composition/terminal-progress';

const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
const shown = <Result>(work: (progress: Progress) => Promise<Result>, output = new PassThrough()) =>
  withProgress(output as unknown as NodeJS.WriteStream, work);

// contract 13.25
test('progress shows counts with their units where it is given them, and resolves to the result of the work', async () => {
  const output = new PassThrough();
  const work = async (progress: Progress) => {
    progress.begin('import', 100);
    progress.reach(50, 0, { records: 7, pictures: 3 });
    progress.end();
    return 'done';
  };
  expect(await shown(work, output)).toBe('done');
  expect(String(output.read())).toMatch(/^import +100% 7 records, 3 pictures {2}[\d.]+\/s {2}0s left$/m);
});

test('progress leaves nothing behind after failed work, so that its process can end', async () => {
  const before = timers();
  const during: number[] = [];
  const work = async (progress: Progress) => {
    for (const stage of ['stage', 'what is done in spite of that']) {
      progress.begin(stage, 2);
      during.push(timers());
    }
    throw new Error('the disk is full');
  };
  await expect(shown(work)).rejects.toThrow('the disk is full');
  expect(during).toEqual([before + 1, before + 1]);
  expect(timers()).toBe(before);
});
