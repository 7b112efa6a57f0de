import { type TestKey, useService } from '../support/service';
import { hostileCorpus } from './corpus';
import { mutations } from './fuzz';
import { type HostileRequest, sendHostile } from './hostile-calls';

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

async function report(requests: readonly HostileRequest[]) {
  const target = { url: service.url, key: key.key, answerMsMax: DEADLINE_MS + 1000 };
  const { verdicts, faults, creditsUsed } = await sendHostile(target, requests, 4);
  spent += creditsUsed;
  expect(faults).toEqual([]);
  return verdicts;
}

test.each([...new Set(corpus.map(({ kind }) => kind))])('%s', async (kind) => {
  await report(corpus.filter((entry) => entry.kind === kind));
});

/** A few hundred of the mutations that `npm run hostile -- fuzz` sends by the ten thousand to a service of its own. */
test('mutated pictures', async () => {
  const verdicts = await report(mutations(20, 0, 400));
  // Mutations that never decode, or always do, would prove little.
  for (const verdict of ['200', '422 image_undecodable', '422 image_format', '422 image_too_large'])
    expect(verdicts.get(verdict)).toBeGreaterThan(0);
});

test('every credit that was answered is booked, none is held back', async () => {
  expect(spent).toBeGreaterThan(0);
  expect(await service.creditsBooked(key.accountId)).toBe(spent);
  expect(await service.balance(key.accountId)).toBe(CREDITS - spent);
});
