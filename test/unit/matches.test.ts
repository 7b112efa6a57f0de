import { rankMatches, scoreProducts } from '../../models/vision/matches';

const calibration = {
  confidence: { kind: 'logistic', bias: -10, similarity: 10, margin: 40 },
  floor: 0.05,
} as const;

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
    expect(scoreProducts(neighbours, showing)).toEqual([
      { id: 'product_b', similarity: 0.9 },
      { id: 'product_a', similarity: 0.8 },
      { id: 'product_c', similarity: 0.8 },
    ]);
  });
});

describe('Confidence', () => {
  it('grows with similarity and with the lead over the next product', () => {
    const first = (best: number, next: number) =>
      rankMatches(
        [
          { id: 'product_a', similarity: best },
          { id: 'product_b', similarity: next },
        ],
        noAncestry,
        calibration,
        0,
        0,
      )[0]?.confidence ?? 0;
    expect(first(0.95, 0.8)).toBeGreaterThan(first(0.9, 0.75));
    expect(first(0.9, 0.6)).toBeGreaterThan(first(0.9, 0.8));
  });

  it('below the floor returns nothing, and a floor of 0 returns the nearest whatever they are', () => {
    const far = [{ id: 'product_a', similarity: 0.1 }];
    expect(rankMatches(far, noAncestry, calibration, 0.05, 0)).toEqual([]);
    expect(rankMatches(far, noAncestry, calibration, 0, 0).map(({ id }) => id)).toEqual(['product_a']);
  });

  it('gives at most ten rows, best first', () => {
    const many = Array.from({ length: 30 }, (_, index) => ({
      id: `product_${index}`,
      similarity: 0.9 - index / 100,
    }));
    const rows = rankMatches(many, noAncestry, calibration, 0, 0);
    expect(rows.map(({ id }) => id)).toEqual(many.slice(0, 10).map(({ id }) => id));
    expect(rows.map(({ confidence }) => confidence)).toEqual(
      [...rows].map(({ confidence }) => confidence).sort((left, right) => right - left),
    );
  });
});

describe('When neighbours disagree about the product', () => {
  const twins = [
    { id: 'product_a', similarity: 0.9 },
    { id: 'product_b', similarity: 0.9 },
    { id: 'product_c', similarity: 0.4 },
  ];

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
    const close = ['a', 'b', 'c'].map((id) => ({ id: `product_${id}`, similarity: 0.6 }));
    const ancestry = new Map(lineage(['product_a', 'product_b', 'product_c'], 'brand_x'));
    expect(rankMatches(close, ancestry, calibration, 0, 0.6)[0]?.id).toBe('product_a');
  });
});
