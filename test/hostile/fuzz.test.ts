import { type TestKey, useService } from '../support/service';
import { mutationOf } from './fuzz/mutation';
import { photographedPictures } from './fuzz/photographed-pictures';
import { runFuzz } from './fuzz/run-fuzz';

/** A few hundred of the mutations that `test/hostile/main.ts fuzz` sends by the ten thousand to a service of its own. */
const SEED = 20;
const COUNT = 400;
const CREDITS = 1_000_000;
const DEADLINE_MS = 15_000;

const service = useService({ VISION_DEADLINE_MS: String(DEADLINE_MS), VISION_CONCURRENCY: '0' });

let pictures: [string, Buffer][];
let key: TestKey;

beforeAll(async () => {
  pictures = await photographedPictures(SEED);
  key = await service.newKey({ credits: CREDITS });
  await service.sees(['product_birkin_croc', 0.05]);
}, 60_000);

test('a seed and an index make the same mutation every time', () => {
  const mutations = () => [0, 1, 17, 399].map((index) => mutationOf(SEED, index, pictures));
  expect(mutations()).toEqual(mutations());
  expect(new Set(mutations().map(({ body }) => body.toString('latin1'))).size).toBe(4);
});

test('mutated pictures get documented answers in time, and cost what was answered', async () => {
  const target = { url: service.url, key: key.key, answerMsMax: DEADLINE_MS + 1000 };
  const report = await runFuzz({ target, pictures, seed: SEED, from: 0, count: COUNT, concurrency: 4 });
  expect(report.faults).toEqual([]);
  // Mutations that never decode, or always do, would prove little.
  for (const verdict of ['200', '422 image_undecodable', '422 image_format', '422 image_too_large'])
    expect(report.verdicts.get(verdict)).toBeGreaterThan(0);
  expect(await service.balance(key.accountId)).toBe(CREDITS - report.creditsUsed);
}, 120_000);
