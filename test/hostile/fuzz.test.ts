import { useService } from '../support/service';
import { photographedPictures, runFuzz } from './fuzz';

/** A few hundred of the mutations that `npm run hostile -- fuzz` sends by the ten thousand to a service of its own. */
const SEED = 20;
const COUNT = 400;
const CREDITS = 1_000_000;
const DEADLINE_MS = 15_000;

const service = useService({ VISION_DEADLINE_MS: String(DEADLINE_MS), VISION_CONCURRENCY: '0' });

test('mutated pictures get documented answers in time, and cost what was answered', async () => {
  const { key, accountId } = await service.newKey({ credits: CREDITS });
  await service.sees(['product_birkin_croc', 0.05]);
  const report = await runFuzz({
    target: { url: service.url, key, answerMsMax: DEADLINE_MS + 1000 },
    pictures: await photographedPictures(SEED),
    ...{ seed: SEED, from: 0, count: COUNT, concurrency: 4 },
  });
  expect(report.faults).toEqual([]);
  // Mutations that never decode, or always do, would prove little.
  for (const verdict of ['200', '422 image_undecodable', '422 image_format', '422 image_too_large'])
    expect(report.verdicts.get(verdict)).toBeGreaterThan(0);
  expect(await service.balance(accountId)).toBe(CREDITS - report.creditsUsed);
}, 120_000);
