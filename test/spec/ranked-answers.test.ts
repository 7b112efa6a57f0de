import { useJobs } from '../support/photo-jobs';

/** How long an answer is, and when there is none. The workers are replaced: what they see is said by each test. */
const { service, photo, ended } = useJobs();

/** Likeliest first: about 0.6, 0.3 and 0.05; then far away. */
const RIVALS = [
  ['product_birkin_togo', 0.1],
  ['product_submariner', 0.13],
  ['product_neverfull_damier', 0.25],
  ['product_neverfull_monogram', 1.2],
] as const;

const TWINS = [
  ['product_neverfull_monogram', 0.4],
  ['product_neverfull_damier', 0.401],
  ['product_submariner', 0.6],
] as const;

const idsOf = (rows: readonly { readonly id: string }[]) => rows.map(({ id }) => id);

beforeEach(() => service.queue.reset());

// contract 7.8, 7.9
describe('an answer', () => {
  test('holds the runners-up, best first, each with its own confidence, down to 0.01', async () => {
    await service.sees(...RIVALS);
    const { body } = await service.api.identify(photo);
    expect(idsOf(body.data)).toEqual(RIVALS.slice(0, 3).map(([id]) => id));
    const confidences = body.data.map(({ confidence = 0 }) => confidence);
    expect(confidences).toEqual([...confidences].sort((left, right) => right - left));
    expect(confidences.reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(1);
    expect(Math.min(...confidences)).toBeGreaterThanOrEqual(0.01);
    expect(body).toMatchObject({ results: 3, total_results: 3, credits_used: 5 });
  });

  // contract 7.10
  test('of a taxonomy row is followed by its likeliest products, and is never less sure than they are', async () => {
    await service.sees(...TWINS);
    const { body } = await service.api.identify({ ...photo, explain: true });
    expect(idsOf(body.data).slice(0, 3)).toEqual([
      'model_neverfull',
      'product_neverfull_monogram',
      'product_neverfull_damier',
    ]);
    const [model, ...products] = body.data.map(({ confidence = 0 }) => confidence);
    const below = products.slice(0, 2).reduce((sum, each) => sum + each, 0);
    expect(model).toBeGreaterThanOrEqual(below);
    for (const { id, confidence = 0, evidence } of body.data) {
      const inwards = (evidence?.levels ?? []).map((level) => level.confidence).toReversed();
      const least = id === 'model_neverfull' ? [] : [confidence];
      expect([...least, ...inwards]).toEqual([...least, ...inwards].sort((left, right) => left - right));
    }
  });

  test('is the same in v2', async () => {
    for (const seen of [RIVALS, TWINS]) {
      await service.sees(...seen);
      const { body } = await service.api.identify(photo);
      const { results } = (await service.api.identifyV2(photo)).body;
      expect(results.map(({ id, confidence }) => [id, confidence])).toEqual(
        body.data.map(({ id, confidence }) => [id, confidence]),
      );
    }
  });

  // contract 7.14
  test('to photos of two different items gives each half, and no product more than 0.6', async () => {
    await service.sees(['product_birkin_togo', [0.02, 0.9]], ['product_submariner', [0.9, 0.01]]);
    const { body } = await service.api.identify({ images: [photo, photo] });
    expect(idsOf(body.data)).toHaveLength(2);
    for (const { confidence = 1 } of body.data) {
      expect(confidence).toBeGreaterThan(0.4);
      expect(confidence).toBeLessThanOrEqual(0.6);
    }
  });
});

// contract 7.8
describe('min_confidence', () => {
  const far = [
    ['product_birkin_togo', 1.1],
    ['product_submariner', 1.2],
    ['product_neverfull_damier', 1.3],
  ] as const;

  test('takes the place of the floor for one call: less gives an answer, and it is charged', async () => {
    await service.sees(...far);
    expect((await service.api.identify(photo)).body).toMatchObject({ data: [], credits_used: 0 });
    const { body } = await service.api.identify({ ...photo, min_confidence: 0.001 });
    expect(body).toMatchObject({ credits_used: 5, data: [{ id: 'product_birkin_togo' }, {}, {}] });
    expect((await service.api.identify(photo)).body).toMatchObject({ data: [], credits_used: 0 });
  });

  test('of more than the best row has leaves nothing, free of charge; of just so much all of it', async () => {
    await service.sees(...RIVALS);
    const { data } = (await service.api.identify(photo)).body;
    const best = data[0]?.confidence ?? 0;
    const asked = async (min_confidence: number) =>
      (await service.api.identify({ ...photo, min_confidence })).body;
    expect(idsOf((await asked(best)).data)).toEqual(idsOf(data));
    const more = await asked(Math.min(1, best + 0.001));
    // Where no product reaches it, a taxonomy row may.
    expect(idsOf(more.data)).not.toContain(data[0]?.id);
    expect(more.credits_used).toBe(0);
  });

  test('of 0 gives the nearest, whatever they are', async () => {
    const nearest = [...RIVALS.slice(0, 3), ['product_neverfull_monogram', 1.9] as const];
    await service.sees(...nearest);
    const { body } = await service.api.identify({ ...photo, min_confidence: 0 });
    expect(idsOf(body.data)).toEqual(nearest.map(([id]) => id));
    expect(body.data.at(-1)?.confidence).toBeLessThan(0.01);
  });

  // contract 16.1
  test('is each entry of a job’s own', async () => {
    await service.sees(...far);
    const entries = [photo, { ...photo, min_confidence: 0 }, { ...photo, min_confidence: 1 }];
    const job = await ended(await service.api.createJob({ entries }));
    const answers = job.data.map(({ answer }) => answer as { data: unknown[]; credits_used: number });
    expect(answers.map(({ data, credits_used }) => [data.length, credits_used])).toEqual([
      [0, 0],
      [3, 5],
      [0, 0],
    ]);
  });
});
