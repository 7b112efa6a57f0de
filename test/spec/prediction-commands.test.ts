import { FIXTURE } from '../support/fixture-data';
import { environmentOf, loupeHere, runLoupeHere } from '../support/run-loupe';
import { type TestKey, useService } from '../support/service';

/** contract 14: what is recorded of photos, as an operator's scripts ask for it. */
// A database of its own: other files leave predictions that count.
const service = useService({}, {}, { ...FIXTURE, name: 'predictions' });

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

test('what is recorded of the photos of an account is deleted at once, and nothing of others', async () => {
  await service.sees(['product_submariner', 0.05]);
  const photo = { base64: (await service.photo()).toString('base64') };
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
test('a prediction is shown with model, time, neighbours and distances', async () => {
  await service.sees(['product_submariner', 0.05]);
  const photo = { base64: (await service.photo()).toString('base64') };
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
test('the reliability of answers is told by model, month, category and photos, of all models or of one', async () => {
  await service.sees(['product_submariner', 0.05]);
  const photo = { base64: (await service.photo()).toString('base64') };
  const { predictionId } = (await service.api.identifyV2(photo)).body;
  const path = `/v3/vision/predictions/${predictionId}/feedback`;
  await service.api.send('POST', path, { body: { correct_id: 'product_submariner' } });
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
