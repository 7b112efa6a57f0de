import { readFileSync } from 'node:fs';
import type { Knex } from 'knex';
import { FeedbackService } from '../../models/feedback/feedback-service';
import { PromotionService } from '../../models/indexing/promotion-service';
import { RecalibrationService } from '../../models/indexing/recalibration-service';
import { type EmbeddingRepository, PORTS } from '../../models/ports';
import { at, Random } from '../../models/random';
import { UNCALIBRATED } from '../../models/vision/confidence';
import { FIXTURE } from '../support/fixture-data';
import { useService } from '../support/service';

/** An operator whose model is far too sure of itself: corrections, alert, recalibration, and the way back (contract 7.18, 14.10). */
// A database of its own, since the calibration that it leaves is no other test's.
const service = useService({ CONFIDENCE_FLOOR: '0' }, {}, { ...FIXTURE, name: 'feedback_loop' });
const embeddings = () => service.resolve<EmbeddingRepository>(PORTS.EmbeddingRepository);

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
  await embeddings().recalibrate(await liveId(), { confidence: FAR_TOO_SURE, floor: 0 });
  const rows = await service
    .resolve<Knex>(PORTS.Knex)('product_images')
    .groupBy('image_id')
    .havingRaw('count(*) = 1')
    .orderBy('image_id')
    .select('image_id')
    .min('product_id AS id');
  pictures = rows.map((row) => ({ id: String(row.id), imageId: Number(row.image_id) }));
});

const liveId = async (): Promise<number> => (await embeddings().live())?.id ?? 0;

/** The pictures of the catalog are embedded, so that its model can be changed. */
async function embedCatalog(): Promise<void> {
  const images = await embeddings().pending(await liveId(), 1_000, 0);
  const vectors = [new Float32Array([1, 0, 0, 0])];
  await embeddings().store(
    await liveId(),
    images.map(({ id }) => ({ imageId: id, vectors })),
  );
  await embeddings().markBuilt(await liveId());
}

/** So many photos of this kind of truth, each corrected by its caller. */
async function corrections(count: number, seed: number): Promise<void> {
  // The database, which says when a calibration became live, has a clock of its own.
  service.clock.advance(Date.now() - service.clock.now().getTime());
  const random = new Random('corrections', seed);
  for (let photo = 0; photo < count; photo += 1) {
    const nearest = at(pictures, photo);
    const rival = at(pictures, photo + random.integer(1, pictures.length - 1));
    const lead = random.between(0, 0.6);
    service.queue.sees([
      { imageId: nearest.imageId, distance: RIVAL_DISTANCE * (1 - lead) },
      { imageId: rival.imageId, distance: RIVAL_DISTANCE },
    ]);
    const [own, other] = [(1 - lead) ** -TRUTH.rival, 1];
    const drawn = random.between(0, own + other + TRUTH.none);
    const shown = [nearest.id, rival.id, null][drawn < own ? 0 : drawn < own + other ? 1 : 2];
    const { headers } = await service.api.identify(service.photo);
    await service.api.send('POST', `/v3/vision/predictions/${headers.get('X-Prediction-Id')}/feedback`, {
      body: { correct_id: shown },
    });
  }
}

/** Whether the alert of docs/operations fires on what the service tells of itself. */
async function isAlerting(): Promise<boolean> {
  const metrics = await (await fetch(`${service.url}/metrics`)).text();
  const figure = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(metrics)?.[1]);
  const rules = readFileSync('docs/operations/prometheus-alerts.yaml', 'utf8');
  const [, apart, least] =
    /abs\(max\(loupe_prediction_reliability\{figure="claimed"\}\) - max\(loupe_prediction_reliability\{figure="right"\}\)\) > ([\d.]+)\s+and max\(loupe_prediction_feedback_answers\) >= (\d+)/.exec(
      rules,
    ) ?? [];
  const claimed = figure('loupe_prediction_reliability\\{figure="claimed"\\}');
  const right = figure('loupe_prediction_reliability\\{figure="right"\\}');
  return (
    Math.abs(claimed - right) > Number(apart) && figure('loupe_prediction_feedback_answers') >= Number(least)
  );
}

const calibrationError = async (since: Date): Promise<number | undefined> => {
  const feedback = new FeedbackService(
    service.resolve(PORTS.PredictionRepository),
    service.resolve(PORTS.CatalogRepository),
    service.resolve(PORTS.Clock),
  );
  const [model] = await feedback.reliability(['model'], since);
  return model?.calibration.ece;
};

const recalibrate = () =>
  new RecalibrationService(
    embeddings(),
    service.resolve(PORTS.PredictionRepository),
    service.resolve(PORTS.CatalogRepository),
    service.resolve(PORTS.AuditedWork),
  ).recalibrate(null, false);
const rollback = () => {
  const absent = {} as never;
  return new PromotionService(embeddings(), service.resolve(PORTS.AuditedWork), absent).rollback(false);
};
const calibration = async () => (await embeddings().live())?.manifest.calibration;

test('too little feedback, or a catalog that is not embedded, recalibrates nothing', async () => {
  await corrections(20, 1);
  await expect(recalibrate()).rejects.toThrow('20 answers under it have feedback, at least 100 are needed');
  await expect(recalibrate()).rejects.toThrow('images are not embedded yet');
  expect((await calibration())?.confidence).toEqual(FAR_TOO_SURE);
});

test('a thousand corrections raise the alert, recalibrate the model, and a rollback undoes it', async () => {
  const from = new Date(service.clock.now().getTime() + 1);
  await corrections(980, 2);
  expect(await isAlerting()).toBe(true);
  const off = await calibrationError(from);
  expect(off).toBeGreaterThan(0.3);
  // Ten bins of 500 answers are 0.035 off by chance alone.
  const RIGHT_AGAIN = 0.08;

  await embedCatalog();
  const { after, fitted, overruled } = await recalibrate();
  expect(overruled).toEqual([]);
  expect(after?.ece).toBeLessThan(RIGHT_AGAIN);
  expect(await isAlerting()).toBe(false);
  const since = new Date(service.clock.now().getTime() + 1);
  await corrections(500, 3);
  expect(await isAlerting()).toBe(false);
  expect(await calibrationError(since)).toBeLessThan(RIGHT_AGAIN);

  await rollback();
  expect((await calibration())?.confidence).toEqual(FAR_TOO_SURE);
  await rollback();
  expect((await calibration())?.confidence).toEqual(fitted);
}, 300_000);
