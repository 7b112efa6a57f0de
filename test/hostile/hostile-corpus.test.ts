import { createHash } from 'node:crypto';
import { runConcurrently } from '../../scripts/lab/bench/measure';
import { type TestKey, useService } from '../support/service';
import { type AddressedEntry, hostileCorpus } from './corpus/hostile-corpus';
import { outcomeOf } from './outcome';

/**
 * contract 11.1, 10, 7 under a corpus of hostile images and bodies: each is answered with what the pages decide, in
 * time, and costs nothing unless it is answered with rows. Workers are faked: every picture that is sound is known.
 */
const SEED = 4;
const DEADLINE_MS = 15_000;
const CREDITS = 1_000_000;
const LIMITS = { bytesMax: 256 * 1024, pixelsMax: 4_000_000 };
const KINDS = [
  'sound',
  'truncated at a quarter',
  'truncated at a border',
  'flipped bytes',
  'bombs',
  'dimensions',
  'colour forms',
  'metadata',
  'odd',
  'lost pixels',
  'polyglots',
  'other formats',
  'base64 forms',
  'bodies',
];
/** Kinds in which something is left to the seed; the others are the same for every seed. */
const DRAWN = new Set(['sound', 'truncated at a quarter', 'flipped bytes']);

const service = useService({
  IMAGE_BYTES_MAX: String(LIMITS.bytesMax),
  IMAGE_PIXELS_MAX: String(LIMITS.pixelsMax),
  VISION_DEADLINE_MS: String(DEADLINE_MS),
  VISION_CONCURRENCY: '0',
});

let corpus: AddressedEntry[];
let key: TestKey;
let spent = 0;

beforeAll(async () => {
  corpus = await hostileCorpus(SEED, LIMITS);
  key = await service.newKey({ credits: CREDITS });
  await service.sees(['product_birkin_croc', 0.05]);
}, 60_000);

test('the corpus is large, and its seed decides every byte of it', async () => {
  const digestOf = (entries: readonly AddressedEntry[]) => {
    const hash = createHash('sha256');
    for (const entry of entries.filter(({ kind }) => DRAWN.has(kind)))
      hash.update(entry.name).update(entry.make());
    return hash.digest('hex');
  };
  expect(corpus.length).toBeGreaterThanOrEqual(300);
  expect([...new Set(corpus.map(({ kind }) => kind))].sort()).toEqual([...KINDS].sort());
  expect(digestOf(await hostileCorpus(SEED, LIMITS))).toBe(digestOf(corpus));
  expect(digestOf(await hostileCorpus(SEED + 1, LIMITS))).not.toBe(digestOf(corpus));
}, 60_000);

test.each(KINDS)(
  '%s',
  async (kind) => {
    const entries = corpus.filter((entry) => entry.kind === kind);
    const wrong: string[] = [];
    await runConcurrently(entries.length, 4, async (index) => {
      const entry = entries[index];
      if (!entry) return;
      const target = { url: service.url, key: key.key, answerMsMax: DEADLINE_MS + 1000 };
      const { verdict, creditsUsed, faults } = await outcomeOf(target, { ...entry, body: entry.make() });
      spent += creditsUsed;
      if (!entry.verdicts.includes(verdict) || faults.length > 0) {
        wrong.push(
          `${entry.name}: ${[verdict, ...faults].join(', ')} instead of ${entry.verdicts.join(' or ')}`,
        );
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
