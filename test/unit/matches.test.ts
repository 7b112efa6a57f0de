import { type Candidate, candidatesOf } from '../../models/vision/candidates';
import { confidenceOf, signalsOf } from '../../models/vision/confidence';
import type { Ancestry } from '../../models/vision/matches';
import { matchesOf, rankMatches } from '../../models/vision/matches';

const calibration = {
  confidence: { kind: 'logistic', bias: -10, weights: { similarity: 10, margin: 40 } },
  floor: 0.05,
} as const;

const candidate = (id: string, similarity: number, imageId = 1): Candidate => ({
  id,
  similarity,
  byPhoto: [[similarity]],
  imageId,
});

/** The rows of an answer, where every taxonomy row still exists. */
const rowsOf = (candidates: readonly Candidate[], ancestry: Ancestry, floor: number, unseen = 0) =>
  matchesOf(rankMatches({ candidates, ancestry, calibration, unseen }, floor), () => true);

const noAncestry = new Map<string, readonly string[]>();
const lineage = (ids: readonly string[], ...nodes: string[]) =>
  ids.map((id): [string, string[]] => [id, nodes]);

describe('Candidates', () => {
  test('are products by their nearest image, ties by id', () => {
    const neighbours = [
      { imageId: 1, distance: 0.1 },
      { imageId: 2, distance: 0.2 },
      { imageId: 3, distance: 0.2 },
      { imageId: 9, distance: 0.0 },
    ];
    const showing = new Map([
      [1, ['product_b']],
      [2, ['product_b', 'product_c']],
      [3, ['product_a']],
    ]);
    expect(candidatesOf(neighbours, showing)).toEqual([
      candidate('product_b', 0.9, 1),
      candidate('product_a', 0.8, 3),
      candidate('product_c', 0.8, 2),
    ]);
  });
});

describe('Candidates of several views', () => {
  const showing = new Map([
    [1, ['product_a']],
    [2, ['product_a']],
    [3, ['product_b']],
  ]);

  test('take the nearest picture of a product for each view', () => {
    const neighbours = [
      { imageId: 1, distance: 0.25, byView: [0.5, 0.25] },
      { imageId: 2, distance: 0.375, byView: [0.375, 0.75] },
    ];
    expect(candidatesOf(neighbours, showing)).toEqual([
      { id: 'product_a', similarity: 0.75, byPhoto: [[0.625, 0.75]], imageId: 1 },
    ]);
  });

  test('come first when more views see them, at an equally near pair', () => {
    const neighbours = [
      { imageId: 1, distance: 0.25, byView: [0.25, 0.75] },
      { imageId: 3, distance: 0.25, byView: [0.25, 0.5] },
    ];
    expect(candidatesOf(neighbours, showing).map(({ id }) => id)).toEqual(['product_b', 'product_a']);
  });
});

describe('Signals', () => {
  const own: Candidate = { id: 'product_a', similarity: 0.75, byPhoto: [[0.5, 0.75]], imageId: 1 };
  const rival: Candidate = { id: 'product_b', similarity: 0.5, byPhoto: [[0.5, 0.25]], imageId: 1 };
  const far: Candidate = { id: 'product_c', similarity: 0.25, byPhoto: [[0.25, 0]], imageId: 1 };
  const isOwn = ({ id }: Candidate) => id === 'product_a';

  test('weigh a candidate against its rivals, nearest pair and view by view', () => {
    expect(signalsOf([own, rival, far], isOwn, 0)).toEqual({
      similarity: 0.75,
      whole: 0.5,
      margin: 0.25,
      lead: 0.25 / 0.52,
      viewLead: 0.5 / 0.77,
      consensus: 1,
      prominence: expect.closeTo((0.75 - 0.375) / Math.sqrt((2 * 0.125 ** 2 + 5 * 0.01) / 7)),
    });
    expect(signalsOf([rival, own], ({ id }) => id === 'product_b', 0)).toMatchObject({ consensus: 0.5 });
  });

  test('of a group that holds all candidates are weighed against what was not looked at', () => {
    const all = signalsOf([own, rival], () => true, 0.5);
    expect(all).toMatchObject({ margin: 0.25, lead: 0.25 / 0.52, consensus: 1, prominence: 2.5 });
  });

  test('without a weight do not count', () => {
    const signals = signalsOf([own, rival, far], isOwn, 0);
    expect(confidenceOf({ kind: 'logistic', bias: 0, weights: {} }, signals)).toBe(0.5);
    const weighed = { kind: 'logistic', bias: -1, weights: { consensus: 3 } } as const;
    expect(confidenceOf(weighed, signals)).toBeCloseTo(1 / (1 + Math.exp(-2)));
  });
});

describe('Confidence', () => {
  test('grows with similarity and with the lead over the next product', () => {
    const first = (best: number, next: number) =>
      rowsOf([candidate('product_a', best), candidate('product_b', next)], noAncestry, 0)[0]?.confidence ?? 0;
    expect(first(0.95, 0.8)).toBeGreaterThan(first(0.9, 0.75));
    expect(first(0.9, 0.6)).toBeGreaterThan(first(0.9, 0.8));
  });

  test('below the floor returns nothing, and a floor of 0 returns the nearest whatever they are', () => {
    const far = [candidate('product_a', 0.1)];
    expect(rowsOf(far, noAncestry, 0.05)).toEqual([]);
    expect(rowsOf(far, noAncestry, 0).map(({ id }) => id)).toEqual(['product_a']);
  });

  test('gives at most ten rows, best first', () => {
    const many = Array.from({ length: 30 }, (_, index) => candidate(`product_${index}`, 0.9 - index / 100));
    const rows = rowsOf(many, noAncestry, 0);
    expect(rows.map(({ id }) => id)).toEqual(many.slice(0, 10).map(({ id }) => id));
    expect(rows.map(({ confidence }) => confidence)).toEqual(
      [...rows].map(({ confidence }) => confidence).sort((left, right) => right - left),
    );
  });
});

describe('When neighbours disagree about the product', () => {
  const twins = [candidate('product_a', 0.9), candidate('product_b', 0.9), candidate('product_c', 0.4)];

  test('and agree about its style, the style comes first', () => {
    const ancestry = new Map([
      ...lineage(['product_a', 'product_b'], 'style_s', 'model_m', 'brand_x'),
      ...lineage(['product_c'], 'style_t', 'model_n', 'brand_x'),
    ]);
    const rows = rowsOf(twins, ancestry, 0.05);
    expect(rows[0]?.id).toBe('style_s');
    expect(rows[0]?.confidence).toBeGreaterThan(0.5);
  });

  test('and a product is likelier than not, but below the floor, the style that is above it is the answer', () => {
    const likely = [candidate('product_a', 0.925), candidate('product_b', 0.9), candidate('product_c', 0.4)];
    const ancestry = new Map(lineage(['product_a', 'product_b'], 'style_s', 'brand_x'));
    expect(rowsOf(likely, noAncestry, 0)[0]?.confidence).toBeCloseTo(0.56);
    expect(rowsOf(likely, ancestry, 0.83).map(({ id }) => id)).toEqual(['style_s']);
    expect(rowsOf(likely, noAncestry, 0.83)).toEqual([]);
  });

  test('and about everything else too, no taxonomy row is made up', () => {
    const ancestry = new Map([
      ...lineage(['product_a'], 'style_s', 'brand_x'),
      ...lineage(['product_b'], 'style_t', 'brand_y'),
      ...lineage(['product_c'], 'style_u', 'brand_z'),
    ]);
    expect(rowsOf(twins, ancestry, 0).map(({ id }) => id)).toEqual(['product_a', 'product_b', 'product_c']);
  });

  test('and agree about a style that was deleted, the model comes first, and the brand when that is gone too', () => {
    const ancestry = new Map(lineage(['product_a', 'product_b'], 'style_s', 'model_m', 'brand_x'));
    const ranking = rankMatches({ candidates: twins, ancestry, calibration, unseen: 0 }, 0.05);
    const first = (...deleted: string[]) => matchesOf(ranking, (id) => !deleted.includes(id))[0];
    expect(first('style_s')).toMatchObject({ id: 'model_m', confidence: expect.closeTo(0.98, 0) });
    expect(first('style_s', 'model_m')?.id).toBe('brand_x');
    expect(first('style_s', 'model_m', 'brand_x')?.id).toBe('product_a');
  });

  test('a brand is not sure merely because every candidate that was looked at is of it', () => {
    const close = ['a', 'b', 'c'].map((id) => candidate(`product_${id}`, 0.6));
    const ancestry = new Map(lineage(['product_a', 'product_b', 'product_c'], 'brand_x'));
    expect(rowsOf(close, ancestry, 0, 0.6)[0]?.id).toBe('product_a');
  });
});
