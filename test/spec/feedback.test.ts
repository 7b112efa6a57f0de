import { readFileSync } from 'node:fs';
import { rowsOf } from '../../db/core/sql';
import { FeedbackService } from '../../models/feedback/feedback-service';
import { PromotionService } from '../../models/indexing/promotion-service';
import { RecalibrationService } from '../../models/indexing/recalibration-service';
import { PORTS } from '../../models/ports';
import { at, Random } from '../../models/random';
import { UNCALIBRATED } from '../../models/vision/confidence';
import { FIXTURE } from '../support/fixture-data';
import { environmentOf, loupeHere, runLoupeHere } from '../support/run-loupe';
import { useService } from '../support/service';
import { StoredVectors } from '../support/stored-vectors';

/** contract 7.11, 7.18, 14.10: what is recorded of photos, how callers and operators use it, and recalibration. */
// A separate database, as other files leave predictions, and these tests another calibration.
const service = useService({ CONFIDENCE_FLOOR: '0' }, {}, { ...FIXTURE, pool: 'feedback' });
const { photo } = service;
const CROC = 'product_birkin_croc';
const SUBMARINER = 'product_submariner';

const answered = async (api = service.api) =>
  (await api.identify(photo)).headers.get('X-Prediction-Id') ?? '';
const correct = (id: string, correctId: string | null, api = service.api, rest: object = {}) => {
  const body = { correct_id: correctId, ...rest };
  return api.send<{ right: boolean }>('POST', `/v3/vision/predictions/${id}/feedback`, { body });
};
const feedbackOn = async (id: string) => (await service.prediction(id))?.feedback;
// After the model of the fixture became live.
beforeAll(() => service.clock.advance(60_000));
beforeEach(() => service.sees([CROC, 0.05]));

describe('the command predictions', () => {
  const loupe = (...words: string[]) => runLoupeHere(['predictions', ...words], environmentOf(service));
  const json = async <Document>(...words: string[]) =>
    (await loupeHere(environmentOf(service), ...words)) as Document;

  test('delete removes the records of one account at once, and nothing of others', async () => {
    const [one, other] = [await service.newKey(), await service.newKey()];
    const ids = [await answered(one.api), await answered(one.api)];
    const kept = await answered(other.api);
    const words = ['predictions', 'delete', '--account', one.accountId];
    for (const deleted of [2, 0]) expect(await json(...words)).toEqual({ account: one.accountId, deleted });
    expect(await Promise.all(ids.map((id) => service.prediction(id)))).toEqual([null, null]);
    expect(await service.prediction(kept)).not.toBeNull();
    const log = await json<object[]>('audit', 'log', '--account', one.accountId);
    expect(log.at(-1)).toMatchObject({ action: 'predictions delete', details: { deleted: 2 } });
    expect(await loupe('delete', '--account', 'account_unknown')).toMatchObject({ code: 1, stdout: '' });
  });

  // contract 7.11
  test('show prints a prediction with model, time, neighbours and distances', async () => {
    const id = await answered();
    const shown = await json<{ createdAt: string }>('predictions', 'show', id);
    const neighbours = [{ imageId: expect.any(Number), distance: 0.05 }];
    const found = { neighbours, rows: [{ id: CROC }], timings: { rowsMs: expect.any(Number) } };
    expect(shown).toMatchObject({ id, model: expect.stringMatching(/@/), ...found });
    expect(Date.parse(shown.createdAt)).not.toBeNaN();
  });

  // contract 7.18
  test('reliability compares claims with what was right, by model, month, category and photos; empty answers apart', async () => {
    const since = service.clock.now().toISOString();
    for (const correctId of [CROC, SUBMARINER]) await correct(await answered(), correctId);
    const [row] = (await service.api.identify(photo)).body.data;
    await service.sees();
    const empty = await answered();
    await correct(empty, null);
    const model = (await service.prediction(empty))?.model ?? '';
    interface Groups {
      readonly groups: readonly { by: string; of: string | null; right: { of: number } }[];
    }
    const groupsOf = async (...words: string[]) =>
      (await json<Groups>('predictions', 'reliability', '--since', since, ...words)).groups;
    const told = async (...words: string[]) =>
      (await groupsOf(...words)).map(({ by, of, right }) => [by, of, right.of].join(' '));
    const month = since.slice(0, 7);
    const all = [`model ${model} 2`, `month ${month} 2`, 'category handbags 2', 'category  0', 'photos 1 2'];
    expect(await told()).toEqual(all);
    expect(await told('--by', 'model', '--model', model.replace(/@.*/, ''))).toEqual(all.slice(0, 1));
    expect(await told('--model', 'another')).toEqual([]);
    expect((await groupsOf('--by', 'photos'))[0]).toMatchObject({
      ...{ right: { right: 1, of: 2 }, claimed: expect.closeTo(row?.confidence ?? 0) },
      empty: { right: 1, of: 1 },
    });
    const { stdout } = await loupe('reliability');
    for (const shown of [model, month, 'handbags']) expect(stdout).toContain(shown);
  });
});

// contract 7.18
describe('feedback', () => {
  test('names the answered product, another one or none, free of charge, and the last one counts', async () => {
    const id = await answered();
    const comment = 'seen at the desk';
    for (const [correctId, right] of [
      [CROC, true],
      [SUBMARINER, false],
      [null, false],
    ] as const) {
      const { status, body, headers } = await correct(id, correctId, service.api, { comment });
      const named = { prediction_id: id, correct_id: correctId, comment };
      const told = { ...named, success: true, right, credits_used: 0 };
      expect([status, body, headers.get('X-Credits-Used')]).toEqual([200, told, '0']);
      const now = service.clock.now().toISOString();
      expect(await feedbackOn(id)).toEqual({ correctId, comment, right, at: now });
    }
  });

  test('on a taxonomy row is right for every product below it; on an empty answer, when there is none', async () => {
    const [monogram, damier] = ['product_neverfull_monogram', 'product_neverfull_damier'];
    await service.sees([monogram, 0.4], [damier, 0.401]);
    const ofModel = await answered();
    await service.sees();
    const ofNothing = await answered();
    for (const [id, correctId, right] of [
      [ofModel, damier, true],
      [ofModel, CROC, false],
      [ofNothing, null, true],
      [ofNothing, CROC, false],
    ] as const)
      expect((await correct(id, correctId)).body.right).toBe(right);
  });

  test('may be given with any key of the account; on an unknown prediction it is a 404', async () => {
    const { api, accountId } = await service.newKey({ credits: 5 });
    const other = await service.newKey({ accountId, scopes: ['catalog:read'] });
    expect((await correct(await answered(api), null, other.api)).status).toBe(200);
    expect((await correct('nobody', null)).status).toBe(404);
  });
});

// contract 7.11
test('photos are kept with the predictions of an account that asked for it, and deleted when it stops', async () => {
  const { api, accountId } = await service.newKey();
  const kept = async (id: string) =>
    (await service.knex('prediction_photos').where({ prediction_id: id })).length;
  const accounts = service.resolve(PORTS.AccountRepository);
  expect(await kept(await answered(api))).toBe(0);
  await accounts.keepPhotos(accountId, true);
  const [first, second] = [await answered(api), await answered(api)];
  expect([await kept(first), await kept(second)]).toEqual([1, 1]);
  await correct(first, SUBMARINER, api);
  const corrected = await service.resolve(PORTS.PredictionRepository).correctedPhotos(10);
  expect(corrected).toEqual([{ id: first, correctId: SUBMARINER, photos: [expect.any(Buffer)] }]);
  await service.knex('predictions').where({ id: first }).delete();
  expect(await kept(first)).toBe(0);
  await accounts.keepPhotos(accountId, false);
  expect([await kept(second), await kept(await answered(api))]).toEqual([0, 0]);
});

/** An operator whose model is far too confident: corrections, alert, recalibration, and the way back. */
describe('recalibration', () => {
  const embeddings = () => service.resolve(PORTS.EmbeddingRepository);
  const predictions = () => service.resolve(PORTS.PredictionRepository);
  const catalog = () => service.resolve(PORTS.CatalogRepository);
  const feedback = () => new FeedbackService(predictions(), catalog(), service.clock);
  const calibration = async () => (await service.liveVersion()).manifest.calibration;

  /** How often an answer is right, by how far its picture stands out: of its rival, and of what the catalog does not have. */
  const TRUTH = { rival: 3, none: 0.6 };
  const FAR_TOO_SURE = {
    ...UNCALIBRATED.confidence,
    candidate: { nearest: 40, views: 40 },
    none: { constant: -99, similarity: 0, nearest: 0, views: 0, others: 0, spread: 0 },
  };
  const RIVAL_DISTANCE = 0.5;
  let pictures: { id: string; imageId: number }[];

  beforeAll(async () => {
    // Of the other tests, whose clock is ahead.
    await service.knex('predictions').delete();
    await embeddings().recalibrate((await service.liveVersion()).id, { confidence: FAR_TOO_SURE, floor: 0 });
    const shown = service
      .knex('product_images')
      .groupBy('image_id')
      .havingRaw('count(*) = 1')
      .orderBy('image_id');
    const rows = await shown.select('image_id').min('product_id AS id');
    pictures = rows.map((row) => ({ id: String(row.id), imageId: Number(row.image_id) }));
  });

  /** The pictures of the catalog are embedded, so that its model can be changed. */
  async function embedCatalog(): Promise<void> {
    const { id: version } = await service.liveVersion();
    const images = await embeddings().pending(version, { afterId: 0, limit: 1_000 });
    await new StoredVectors(embeddings).embed(version, images);
    await embeddings().markBuilt(version);
  }

  /** Copies of each answer, as if many callers had sent similar photos; what is right for them is drawn evenly. */
  const COPIES = 4;

  async function corrections(count: number, seed: number): Promise<void> {
    // Calibrations are dated by the clock of the database.
    service.clock.advance(Date.now() - service.clock.now().getTime());
    const random = new Random('corrections', seed);
    const owner = { accountId: service.key.accountId, test: false };
    const told: Promise<unknown>[] = [];
    for (let number = 0; number < count; number += COPIES) {
      const nearest = at(pictures, number / COPIES);
      const rival = at(pictures, number / COPIES + random.integer(1, pictures.length - 1));
      const lead = random.between(0, 0.6);
      service.queue.sees([
        { imageId: nearest.imageId, distance: RIVAL_DISTANCE * (1 - lead) },
        { imageId: rival.imageId, distance: RIVAL_DISTANCE },
      ]);
      // Answers without a right item are split by their ids: by these, the same in every run.
      const copies = await rowsOf<{ id: string }>(service.knex)`
        INSERT INTO predictions
        SELECT (jsonb_populate_record(p, jsonb_build_object('id', concat_ws('-', ${seed}::int, ${number}::int, copy)))).*
        FROM predictions AS p, generate_series(1, ${COPIES}::int) AS copy WHERE p.id = ${await answered(service.api)}
        RETURNING id`;
      const [own, other] = [(1 - lead) ** -TRUTH.rival, 1];
      for (const [copy, { id }] of copies.entries()) {
        const drawn = ((copy + random.between(0, 1)) / COPIES) * (own + other + TRUTH.none);
        const correctId = drawn < own ? nearest.id : drawn < own + other ? rival.id : null;
        told.push(feedback().correct(owner, id, { correctId, comment: null }));
      }
    }
    await Promise.all(told);
  }

  /** Whether the alert of docs/operations fires on the metrics of the service. */
  async function isAlerting(): Promise<boolean> {
    const rules = readFileSync('docs/operations/prometheus-alerts.yaml', 'utf8');
    const rule =
      /abs\(max\(loupe_prediction_reliability\{figure="claimed"\}\) - max\(loupe_prediction_reliability\{figure="right"\}\)\) > ([\d.]+)\s+and max\(loupe_prediction_feedback_answers\) >= (\d+)/;
    const [, apart, least] = rule.exec(rules) ?? [];
    const metrics = await (await fetch(`${service.url}/metrics`)).text();
    const figureOf = (name: string) =>
      Number(new RegExp(`^loupe_prediction_${name} (\\S+)$`, 'm').exec(metrics)?.[1]);
    const [claimed, right] = ['claimed', 'right'].map((name) =>
      figureOf(`reliability\\{figure="${name}"\\}`),
    );
    const isApart = Math.abs(Number(claimed) - Number(right)) > Number(apart);
    return isApart && figureOf('feedback_answers') >= Number(least);
  }

  const calibrationError = async (since: Date): Promise<number | undefined> =>
    (await feedback().reliability(['model'], since))[0]?.calibration.ece;
  const recalibrate = () =>
    new RecalibrationService(
      ...([embeddings(), predictions(), catalog(), service.resolve(PORTS.AuditedTransaction)] as const),
    ).recalibrate(null, false);
  const rollback = () =>
    new PromotionService(embeddings(), service.resolve(PORTS.AuditedTransaction), {} as never).rollback(
      false,
    );

  test('changes nothing with too little feedback, or where the catalog is not embedded', async () => {
    await corrections(20, 1);
    await expect(recalibrate()).rejects.toThrow('20 answers under it have feedback, at least 100 are needed');
    await expect(recalibrate()).rejects.toThrow('images are not embedded yet');
    expect((await calibration())?.confidence).toEqual(FAR_TOO_SURE);
  });

  // contract 14.10
  test('is what the alert calls for after hundreds of corrections, and a rollback undoes it', async () => {
    const from = new Date(service.clock.now().getTime() + 1);
    await corrections(680, 2);
    expect(await isAlerting()).toBe(true);
    expect(await calibrationError(from)).toBeGreaterThan(0.25);
    // Ten bins of 250 answers are off by 0.05 by chance alone.
    const RIGHT_AGAIN = 0.08;
    await embedCatalog();
    const { after, fitted, overruled } = await recalibrate();
    expect(overruled).toEqual([]);
    expect(after?.ece).toBeLessThan(RIGHT_AGAIN);
    expect(await isAlerting()).toBe(false);
    const since = new Date(service.clock.now().getTime() + 1);
    await corrections(252, 3);
    expect(await isAlerting()).toBe(false);
    expect(await calibrationError(since)).toBeLessThan(RIGHT_AGAIN);
    for (const confidence of [FAR_TOO_SURE, fitted]) {
      await rollback();
      expect((await calibration())?.confidence).toEqual(confidence);
    }
  }, 300_000);
});
