import { type Candidate, candidatesOf } from '../../models/vision/candidates';
import { confidenceOf, signalsOf } from '../../models/vision/confidence';
import { rankMatches } from '../../models/vision/matches';

const calibration = {
  confidence: { kind: 'logistic', bias: -10, weights: { similarity: 10, margin: 40 } },
  floor: 0.05,
} as const;

const candidate = (id: string, similarity: number): Candidate => ({ id, similarity, byView: [similarity] });

const noAncestry = new Map<string, readonly string[]>();
const lineage = (ids: readonly string[], ...nodes: string[]) =>
  ids.map((id): [string, string[]] => [id, nodes]);

describe('Candidates', () => {
  it('are products by their nearest image, ties by id', () => {
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
      candidate('product_b', 0.9),
      candidate('product_a', 0.8),
      candidate('product_c', 0.8),
    ]);
  });
});

describe('Candidates of several views', () => {
  const showing = new Map([
    [1, ['product_a']],
    [2, ['product_a']],
    [3, ['product_b']],
  ]);

  it('take the nearest picture of a product for each view', () => {
    const neighbours = [
      { imageId: 1, distance: 0.25, byView: [0.5, 0.25] },
      { imageId: 2, distance: 0.375, byView: [0.375, 0.75] },
    ];
    expect(candidatesOf(neighbours, showing)).toEqual([
      { id: 'product_a', similarity: 0.75, byView: [0.625, 0.75] },
    ]);
  });

  it('come first when more views see them, at an equally near pair', () => {
    const neighbours = [
      { imageId: 1, distance: 0.25, byView: [0.25, 0.75] },
      { imageId: 3, distance: 0.25, byView: [0.25, 0.5] },
    ];
    expect(candidatesOf(neighbours, showing).map(({ id }) => id)).toEqual(['product_b', 'product_a']);
  });
});

describe('Signals', () => {
  const own: Candidate = { id: 'product_a', similarity: 0.75, byView: [0.5, 0.75] };
  const rival: Candidate = { id: 'product_b', similarity: 0.5, byView: [0.5, 0.25] };
  const far: Candidate = { id: 'product_c', similarity: 0.25, byView: [0.25, 0] };
  const isOwn = ({ id }: Candidate) => id === 'product_a';

  it('weigh a candidate against its rivals, nearest pair and view by view', () => {
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

  it('of a group that holds all candidates are weighed against what was not looked at', () => {
    const all = signalsOf([own, rival], () => true, 0.5);
    expect(all).toMatchObject({ margin: 0.25, lead: 0.25 / 0.52, consensus: 1, prominence: 2.5 });
  });

  it('without a weight do not count', () => {
    const signals = signalsOf([own, rival, far], isOwn, 0);
    expect(confidenceOf({ kind: 'logistic', bias: 0, weights: {} }, signals)).toBe(0.5);
    const weighed = { kind: 'logistic', bias: -1, weights: { consensus: 3 } } as const;
    expect(confidenceOf(weighed, signals)).toBeCloseTo(1 / (1 + Math.exp(-2)));
  });
});

describe('Confidence', () => {
  it('grows with similarity and with the lead over the next product', () => {
    const first = (best: number, next: number) =>
      rankMatches(
        [candidate('product_a', best), candidate('product_b', next)],
        noAncestry,
        calibration,
        0,
        0,
      )[0]?.confidence ?? 0;
    expect(first(0.95, 0.8)).toBeGreaterThan(first(0.9, 0.75));
    expect(first(0.9, 0.6)).toBeGreaterThan(first(0.9, 0.8));
  });

  it('below the floor returns nothing, and a floor of 0 returns the nearest whatever they are', () => {
    const far = [candidate('product_a', 0.1)];
    expect(rankMatches(far, noAncestry, calibration, 0.05, 0)).toEqual([]);
    expect(rankMatches(far, noAncestry, calibration, 0, 0).map(({ id }) => id)).toEqual(['product_a']);
  });

  it('gives at most ten rows, best first', () => {
    const many = Array.from({ length: 30 }, (_, index) => candidate(`product_${index}`, 0.9 - index / 100));
    const rows = rankMatches(many, noAncestry, calibration, 0, 0);
    expect(rows.map(({ id }) => id)).toEqual(many.slice(0, 10).map(({ id }) => id));
    expect(rows.map(({ confidence }) => confidence)).toEqual(
      [...rows].map(({ confidence }) => confidence).sort((left, right) => right - left),
    );
  });
});

describe('When neighbours disagree about the product', () => {
  const twins = [candidate('product_a', 0.9), candidate('product_b', 0.9), candidate('product_c', 0.4)];

  it('and agree about its style, the style comes first', () => {
    const ancestry = new Map([
      ...lineage(['product_a', 'product_b'], 'style_s', 'model_m', 'brand_x'),
      ...lineage(['product_c'], 'style_t', 'model_n', 'brand_x'),
    ]);
    const rows = rankMatches(twins, ancestry, calibration, 0.05, 0);
    expect(rows[0]?.id).toBe('style_s');
    expect(rows[0]?.confidence).toBeGreaterThan(0.5);
  });

  it('and about everything else too, no taxonomy row is made up', () => {
    const ancestry = new Map([
      ...lineage(['product_a'], 'style_s', 'brand_x'),
      ...lineage(['product_b'], 'style_t', 'brand_y'),
      ...lineage(['product_c'], 'style_u', 'brand_z'),
    ]);
    expect(rankMatches(twins, ancestry, calibration, 0, 0).map(({ id }) => id)).toEqual([
      'product_a',
      'product_b',
      'product_c',
    ]);
  });

  it('a brand is not sure merely because every candidate that was looked at is of it', () => {
    const close = ['a', 'b', 'c'].map((id) => candidate(`product_${id}`, 0.6));
    const ancestry = new Map(lineage(['product_a', 'product_b', 'product_c'], 'brand_x'));
    expect(rankMatches(close, ancestry, calibration, 0, 0.6)[0]?.id).toBe('product_a');
  });
});
