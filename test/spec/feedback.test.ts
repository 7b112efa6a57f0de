import type { Knex } from 'knex';
import { FeedbackService } from '../../models/feedback/feedback-service';
import { type AccountRepository, PORTS, type PredictionRepository } from '../../models/ports';
import { FIXTURE } from '../support/fixture-data';
import { environmentOf, loupeHere, runLoupeHere } from '../support/run-loupe';
import { type TestKey, useService } from '../support/service';

/** contract 7.11, 7.18: what is recorded of photos, and what callers and operators make of it. */
// A database of its own: other files leave predictions that count.
const service = useService({}, {}, { ...FIXTURE, name: 'feedback' });

const { photo } = service;
const answered = async (api = service.api): Promise<string> =>
  (await api.identify(photo)).headers.get('X-Prediction-Id') ?? '';
const correct = (id: string, body: unknown, api = service.api) =>
  api.send<{ right: boolean }>('POST', `/v3/vision/predictions/${id}/feedback`, { body });

// Later than the model of the fixture became live.
beforeAll(() => service.clock.advance(60_000));
beforeEach(() => service.sees(['product_birkin_croc', 0.05]));

describe('the command predictions', () => {
  const loupe = (words: readonly string[]) => runLoupeHere(words, environmentOf(service));

  const json = async <Document>(...words: string[]) =>
    (await loupeHere(environmentOf(service), ...words)) as Document;

  interface ReliabilityDocument {
    readonly groups: readonly {
      readonly by: string;
      readonly of: string;
      readonly right: { readonly of: number };
    }[];
  }

  test('delete removes what is recorded of one account at once, and nothing of others', async () => {
    await service.sees(['product_submariner', 0.05]);
    const [one, other] = [await service.newKey(), await service.newKey()];
    const identify = async ({ api }: TestKey) => (await api.identifyV2(photo)).body.predictionId;
    const [first, second] = [await identify(one), await identify(one)];
    const kept = await identify(other);
    const words = ['predictions', 'delete', '--account', one.accountId];
    expect(await json(...words)).toEqual({ account: one.accountId, deleted: 2 });
    expect(await Promise.all([first, second].map((id) => service.prediction(id)))).toEqual([null, null]);
    expect(await service.prediction(kept)).not.toBeNull();
    expect(await json(...words)).toEqual({ account: one.accountId, deleted: 0 });
    const log = await json<object[]>('audit', 'log', '--account', one.accountId);
    expect(log.at(-1)).toMatchObject({ action: 'predictions delete', details: { deleted: 2 } });
    const unknown = await loupe(['predictions', 'delete', '--account', 'account_unknown']);
    expect([unknown.code, unknown.stdout]).toEqual([1, '']);
  });

  // contract 7.11
  test('show prints a prediction with model, time, neighbours and distances', async () => {
    await service.sees(['product_submariner', 0.05]);
    const { predictionId } = (await service.api.identifyV2(photo)).body;
    const shown = await json<{ createdAt: string }>('predictions', 'show', predictionId);
    expect(shown).toMatchObject({
      id: predictionId,
      model: expect.stringMatching(/@/),
      neighbours: [{ imageId: expect.any(Number), distance: 0.05 }],
      rows: [{ id: 'product_submariner' }],
    });
    expect(Date.parse(shown.createdAt)).not.toBeNaN();
  });

  // contract 7.18
  test('reliability groups answers by model, month, category and photos, of all models or of one', async () => {
    await service.sees(['product_submariner', 0.05]);
    const predictionId = await answered();
    await correct(predictionId, { correct_id: 'product_submariner' });
    const model = (await service.prediction(predictionId))?.model ?? '';
    const answersOf = async (...words: string[]) => {
      const { groups } = await json<ReliabilityDocument>('predictions', 'reliability', ...words);
      return groups.map(({ by, of, right }) => [by, of, right.of]);
    };
    const byModel = ['model', model, 1];
    const month = service.clock.now().toISOString().slice(0, 7);
    const rest = [
      ['month', month, 1],
      ['category', 'watches', 1],
      ['photos', '1', 1],
    ];
    expect(await answersOf()).toEqual([byModel, ...rest]);
    expect(await answersOf('--model', model)).toEqual([byModel, ...rest]);
    const id = model.replace(/@.*/, '');
    expect(await answersOf('--by', 'model', '--model', id, '--since', '2020-01-01')).toEqual([byModel]);
    expect(await answersOf('--by', 'month', '--model', 'another')).toEqual([]);
    const text = await loupe(['predictions', 'reliability']);
    for (const told of [model, month, 'watches']) expect(text.stdout).toContain(told);
  });
});

// contract 7.18
describe('feedback', () => {
  test.each([
    ['the product that was answered', 'product_birkin_croc', true],
    ['another one', 'product_submariner', false],
    ['that the catalog does not have it', null, false],
  ])('says %s', async (_what, correctId, right) => {
    const id = await answered();
    const answer = await correct(id, { correct_id: correctId, comment: 'seen at the desk' });
    expect(answer).toMatchObject({
      status: 200,
      body: { success: true, prediction_id: id, correct_id: correctId, right, credits_used: 0 },
    });
    expect(answer.headers.get('X-Credits-Used')).toBe('0');
    expect((await service.prediction(id))?.feedback).toEqual({
      ...{ correctId, comment: 'seen at the desk', right },
      at: service.clock.now().toISOString(),
    });
  });

  test('on a taxonomy row is right for every product below it', async () => {
    await service.sees(['product_neverfull_monogram', 0.4], ['product_neverfull_damier', 0.401]);
    const id = await answered();
    expect((await correct(id, { correct_id: 'product_neverfull_damier' })).body.right).toBe(true);
    expect((await correct(id, { correct_id: 'product_birkin_croc' })).body.right).toBe(false);
  });

  test('on an empty answer is right when the catalog does not have the item', async () => {
    await service.sees();
    const id = await answered();
    expect((await correct(id, { correct_id: null })).body.right).toBe(true);
    expect((await correct(id, { correct_id: 'product_birkin_croc' })).body.right).toBe(false);
  });

  test('is replaced by the next', async () => {
    const id = await answered();
    await correct(id, { correct_id: null });
    await correct(id, { correct_id: 'product_birkin_croc' });
    expect((await service.prediction(id))?.feedback).toMatchObject({ correctId: 'product_birkin_croc' });
  });

  test('may be given with any key of the account, and costs nothing', async () => {
    const { api, accountId } = await service.newKey({ credits: 5 });
    const id = await answered(api);
    const other = await service.newKey({ accountId, scopes: ['catalog:read'] });
    const { status } = await correct(id, { correct_id: null }, other.api);
    expect(status).toBe(200);
  });

  test('on an unknown prediction is a 404', async () => {
    expect((await correct('nobody', { correct_id: null })).status).toBe(404);
  });
});

describe('the reliability of answers', () => {
  const predictions = () => service.resolve<PredictionRepository>(PORTS.PredictionRepository);
  // The answers of earlier tests are of before.
  let since: Date;
  beforeEach(() => {
    service.clock.advance(60_000);
    since = service.clock.now();
  });
  const reliability = (by: 'photos' | 'category') =>
    new FeedbackService(
      predictions(),
      service.resolve(PORTS.CatalogRepository),
      service.resolve(PORTS.Clock),
    ).reliability([by], since);

  test('compares what was claimed with what was right, and counts empty answers separately', async () => {
    for (const correctId of ['product_birkin_croc', 'product_submariner'])
      await correct(await answered(), { correct_id: correctId });
    await service.sees();
    await correct(await answered(), { correct_id: null });
    const claims = (await predictions().judged(since)).flatMap(({ confidence }) => confidence ?? []);
    expect(await reliability('photos')).toMatchObject([
      {
        of: '1',
        right: { right: 1, of: 2 },
        claimed: expect.closeTo(((claims[0] ?? 0) + (claims[1] ?? 0)) / 2),
        empty: { right: 1, of: 1 },
      },
    ]);
    expect((await reliability('category')).map(({ of }) => of)).toEqual(['handbags', null]);
  });

  test('is shown by the metrics', async () => {
    const figure = async (name: string) => {
      const metrics = await (await fetch(`${service.url}/metrics`)).text();
      return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(metrics)?.[1]);
    };
    const before = await figure('loupe_prediction_feedback_answers');
    const rightBefore = await figure('loupe_prediction_reliability\\{figure="right"\\}');
    await correct(await answered(), { correct_id: 'product_birkin_croc' });
    expect(await figure('loupe_prediction_feedback_answers')).toBe(before + 1);
    expect(await figure('loupe_prediction_reliability\\{figure="right"\\}')).toBeCloseTo(
      (before * rightBefore + 1) / (before + 1),
    );
  });
});

// contract 7.11
describe('photos', () => {
  const kept = async (id: string) =>
    (await service.resolve<Knex>(PORTS.Knex)('prediction_photos').where({ prediction_id: id })).length;

  test('are kept with the predictions of an account that asked for it, and deleted when it stops', async () => {
    const { api, accountId } = await service.newKey();
    const accounts = service.resolve<AccountRepository>(PORTS.AccountRepository);
    expect(await kept(await answered(api))).toBe(0);
    await accounts.keepPhotos(accountId, true);
    const [first, second] = [await answered(api), await answered(api)];
    expect([await kept(first), await kept(second)]).toEqual([1, 1]);
    await correct(first, { correct_id: 'product_submariner' }, api);
    const corrected = await service
      .resolve<PredictionRepository>(PORTS.PredictionRepository)
      .correctedPhotos(10);
    expect(corrected).toEqual([{ id: first, correctId: 'product_submariner', photos: [expect.any(Buffer)] }]);
    await service.resolve<Knex>(PORTS.Knex)('predictions').where({ id: first }).delete();
    expect(await kept(first)).toBe(0);
    await accounts.keepPhotos(accountId, false);
    expect([await kept(second), await kept(await answered(api))]).toEqual([0, 0]);
  });
});
