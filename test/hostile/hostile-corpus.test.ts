import pMap from 'p-map';
import type { Refusal } from '../../api/client/schema';
import { processEnvironment } from '../../scripts/config';
import { type TestKey, useService } from '../support/service';
import { type HostileRequest, hostileCorpus, LIMITS } from './corpus';
import { mutations } from './fuzz';

/**
 * contract 7, 10, 11.1: each hostile request is answered as documented and in time, and costs nothing unless it is
 * answered with rows. Workers are faked, and know every sound picture. `MUTATIONS=20000` makes that many, `MUTATION_SEED` others.
 */
const { MUTATIONS = '400', MUTATION_SEED = '20' } = processEnvironment();
const DEADLINE_MS = 15_000;
const CREDITS = 1_000_000;

const service = useService({
  IMAGE_BYTES_MAX: String(LIMITS.bytesMax),
  IMAGE_PIXELS_MAX: String(LIMITS.pixelsMax),
  VISION_DEADLINE_MS: String(DEADLINE_MS),
  VISION_CONCURRENCY: '0',
});

const corpus = hostileCorpus();
let key: TestKey;
let spent = 0;

beforeAll(async () => {
  key = await service.newKey({ credits: CREDITS });
  await service.sees(['product_birkin_croc', 0.05]);
});

/** The documented statuses that mean neither a fault of ours nor overload. */
const STATUSES = [200, 400, 413, 415, 422];

/** The verdict of an answer, and how it breaks a promise. @throws when it is not as documented, late, or missing */
async function answerTo(request: HostileRequest) {
  const { status, headers, body } = await key.api.send<Refusal>('POST', request.path, {
    raw: await request.body(),
    headers: request.headers ?? {},
    signal: AbortSignal.timeout(DEADLINE_MS + 1000),
  });
  const creditsUsed = Number(headers.get('x-credits-used'));
  const detail = status === 422 ? body.reason : body.field;
  const verdict = status === 200 || detail === undefined ? `${status}` : `${status} ${detail}`;
  const isInternal = /[\\/](?:node_modules|workers|api)[\\/]|\bat \w+ \(/.test(body.message ?? '');
  const isNamed = status === 200 || body.request_id === headers.get('x-request-id');
  const faults = [
    STATUSES.includes(status) ? '' : `status ${status}`,
    headers.has('x-credits-used') ? '' : 'no X-Credits-Used',
    status !== 200 && creditsUsed !== 0 ? `charged ${creditsUsed} for an error` : '',
    isInternal || !isNamed ? `refused by ${JSON.stringify(body)}` : '',
    (request.verdicts?.includes(verdict) ?? true) ? '' : `${verdict} instead of ${request.verdicts}`,
  ].filter(Boolean);
  return { verdict, creditsUsed, faults };
}

async function verdictsOf(requests: readonly HostileRequest[]): Promise<ReadonlySet<string>> {
  const verdicts = new Set<string>();
  const faults: string[] = [];
  const send = async (request: HostileRequest): Promise<void> => {
    const answer = await answerTo(request).catch((failure: unknown) => `no answer: ${String(failure)}`);
    if (typeof answer === 'string') return void faults.push(`${request.name}: ${answer}`);
    verdicts.add(answer.verdict);
    spent += answer.creditsUsed;
    faults.push(...answer.faults.map((fault) => `${request.name}: ${fault}`));
  };
  await pMap(requests, send, { concurrency: 4 });
  expect(faults).toEqual([]);
  return verdicts;
}

test('the corpus refuses each picture that lost pixels', () => {
  const lost = corpus.filter(({ kind }) => kind === 'lost pixels').map(({ verdicts }) => verdicts?.join());
  expect([...new Set(lost)]).toEqual(['422 image_undecodable']);
});

test.each([...new Set(corpus.map(({ kind }) => kind))])('%s', async (kind) => {
  await verdictsOf(corpus.filter((entry) => entry.kind === kind));
});

test(
  'mutated pictures',
  async () => {
    const verdicts = await verdictsOf(mutations(Number(MUTATION_SEED), Number(MUTATIONS)));
    // Mutations that never decode, or always do, would prove little.
    const wanted = ['200', '422 image_undecodable', '422 image_format', '422 image_too_large'];
    expect([...verdicts]).toEqual(expect.arrayContaining(wanted));
  },
  120_000 + 300 * Number(MUTATIONS),
);

test('all credits in answers are booked, and none stay reserved', async () => {
  expect(spent).toBeGreaterThan(0);
  expect(await service.creditsBooked(key.accountId)).toBe(spent);
  expect(await service.balance(key.accountId)).toBe(CREDITS - spent);
});
