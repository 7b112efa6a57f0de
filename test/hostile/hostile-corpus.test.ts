import { runConcurrently } from '../../scripts/lab/bench/load';
import { type TestKey, useService } from '../support/service';
import { hostileCorpus } from './corpus';
import { photographedPictures, runFuzz } from './fuzz';
import { outcomeOf } from './outcome';

/**
 * contract 7, 10, 11.1: each hostile request is answered as documented and in time, and costs nothing unless it is
 * answered with rows. Workers are faked, and know every sound picture.
 */
const DEADLINE_MS = 15_000;
const CREDITS = 1_000_000;
const LIMITS = { bytesMax: 256 * 1024, pixelsMax: 4_000_000 };

const service = useService({
  IMAGE_BYTES_MAX: String(LIMITS.bytesMax),
  IMAGE_PIXELS_MAX: String(LIMITS.pixelsMax),
  VISION_DEADLINE_MS: String(DEADLINE_MS),
  VISION_CONCURRENCY: '0',
});

const corpus = hostileCorpus(LIMITS);
let key: TestKey;
let spent = 0;

beforeAll(async () => {
  key = await service.newKey({ credits: CREDITS });
  await service.sees(['product_birkin_croc', 0.05]);
});

test.each([...new Set(corpus.map(({ kind }) => kind))])(
  '%s',
  async (kind) => {
    const entries = corpus.filter((entry) => entry.kind === kind);
    const wrong: string[] = [];
    await runConcurrently(entries.length, 4, async (index) => {
      const entry = entries[index];
      if (!entry) return;
      const target = { url: service.url, key: key.key, answerMsMax: DEADLINE_MS + 1000 };
      const { verdict, creditsUsed, faults } = await outcomeOf(target, {
        ...entry,
        body: await entry.body(),
      });
      spent += creditsUsed;
      if (!entry.verdicts.includes(verdict) || faults.length > 0) {
        const given = [verdict, ...faults].join(', ');
        wrong.push(`${entry.name}: ${given} instead of ${entry.verdicts.join(' or ')}`);
      }
    });
    expect(wrong).toEqual([]);
  },
  120_000,
);

test('every credit that was answered is booked, none is held back', async () => {
  expect(spent).toBeGreaterThan(0);
  expect(await service.creditsBooked(key.accountId)).toBe(spent);
  expect(await service.balance(key.accountId)).toBe(CREDITS - spent);
});

/** A few hundred of the mutations that `npm run hostile -- fuzz` sends by the ten thousand to a service of its own. */
test('mutated pictures get documented answers in time, and cost what was answered', async () => {
  const payer = await service.newKey({ credits: CREDITS });
  const report = await runFuzz({
    target: { url: service.url, key: payer.key, answerMsMax: DEADLINE_MS + 1000 },
    pictures: await photographedPictures(20),
    ...{ seed: 20, from: 0, count: 400, concurrency: 4 },
  });
  expect(report.faults).toEqual([]);
  // Mutations that never decode, or always do, would prove little.
  for (const verdict of ['200', '422 image_undecodable', '422 image_format', '422 image_too_large'])
    expect(report.verdicts.get(verdict)).toBeGreaterThan(0);
  expect(await service.balance(payer.accountId)).toBe(CREDITS - report.creditsUsed);
}, 120_000);
