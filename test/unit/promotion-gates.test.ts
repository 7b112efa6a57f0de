import type { VersionRecord } from '../../models/indexing/embedding-version';
import type { Evaluation } from '../../models/indexing/evaluation';
import { type PromotionState, promotionFaults } from '../../models/indexing/promotion-gates';
import { modelManifest } from '../support/model-manifest';

const evaluation = {
  at: '2026-01-02T00:00:00.000Z',
  images: 100,
  candidate: { ann: [{ filter: 'none', selectivity: 1, recall: 0.99 }] },
  live: { versionId: 1 },
  comparison: { difference: { mean: -0.01, low: -0.03, high: 0.01 } },
} as unknown as Evaluation;

const version: VersionRecord = {
  id: 2,
  model: 'eye@2.0.0',
  manifest: modelManifest('eye', 4, 1),
  state: 'building',
  createdAt: new Date('2026-01-01T00:00:00Z'),
  adaptation: null,
  promotedAt: null,
  builtAt: new Date('2026-01-01T12:00:00Z'),
  maintained: true,
  evaluation,
  previousCalibration: null,
  calibratedAt: null,
};

const ready: PromotionState = {
  version,
  coverage: { pending: 0, done: 100, failed: 2 },
  isIndexed: true,
  liveId: 1,
  readiness: [{ worker: 'host:1', versionId: 2, fault: null }],
};

const judged = (change: object): PromotionState => ({
  ...ready,
  version: { ...version, evaluation: { ...evaluation, ...change } as Evaluation },
});

test('nothing speaks against a version that is complete, ready everywhere, and judged no worse', () => {
  expect(promotionFaults(ready)).toEqual([]);
});

test.each<[string, PromotionState, RegExp]>([
  [
    'images are missing',
    { ...ready, coverage: { pending: 3, done: 96, failed: 1 } },
    /3 of 100 images are not embedded/,
  ],
  ['it was never complete', { ...ready, version: { ...version, builtAt: null } }, /never proven/],
  [
    'every image failed',
    { ...judged({ images: 0 }), coverage: { pending: 0, done: 0, failed: 9 } },
    /none of its 9 images/,
  ],
  ['it has no index', { ...ready, isIndexed: false }, /no index/],
  [
    'a worker can not load its model',
    { ...ready, readiness: [...ready.readiness, { worker: 'far:7', versionId: 2, fault: 'not installed' }] },
    /^far:7: not installed$/,
  ],
  ['nobody tried its model', { ...ready, readiness: [] }, /nobody has tried/],
  ['it was not judged', { ...ready, version: { ...version, evaluation: null } }, /not evaluated/],
  [
    'it has no calibration',
    { ...ready, version: { ...version, manifest: { ...version.manifest, calibration: null } } },
    /not calibrated/,
  ],
  ['it was judged against another version', { ...ready, liveId: 7 }, /against version 1, which is not live/],
  ['it was judged before it was complete', judged({ at: '2026-01-01T11:00:00.000Z' }), /before its build/],
  ['the catalog has changed since', judged({ images: 80 }), /with 80 images and has 100 now/],
  [
    'it is surely worse',
    judged({ comparison: { difference: { mean: -0.05, low: -0.08, high: -0.02 } } }),
    /-5\.0 points \(-8\.0 points to -2\.0 points\)/,
  ],
  [
    'its index loses neighbours',
    judged({ candidate: { ann: [{ filter: 'watches', selectivity: 0.1, recall: 0.9 }] } }),
    /90\.0 % .* \(watches\)/,
  ],
])('it is said when %s', (_what, state, reason) => {
  const faults = promotionFaults(state);
  expect(faults).toHaveLength(1);
  expect(faults[0]).toMatch(reason);
});
