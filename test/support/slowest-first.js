const { default: Sequencer } = require('@jest/test-sequencer');

/** Files that take ten seconds or more, the longest first: begun last, one would run alone at the end. */
const SLOWEST = [
  'faults/faults',
  'service/adapt',
  'hostile/strangers',
  'service/reindex',
  'service/backup',
  'service/living',
  'service/bucket',
  'db/catalog-search',
  'db/one-state',
  'hostile/ssrf',
  'hostile/hostile-corpus',
  'spec/idempotency',
  'service/two-processes',
  'service/identify',
  'models/download-model',
  'spec/feedback',
  'spec/every-endpoint',
  'spec/commands',
  'embedded/lifetime',
  'db/hostile-texts',
  'workers/onnx',
  'spec/identifiability',
  'embedded/sharing',
  'db/catalog-import-derivation',
  'db/catalog-import-interrupted',
  'workers/pool',
];

const placeOf = ({ path }) => {
  const place = SLOWEST.findIndex((name) => path.endsWith(`/test/${name}.test.ts`));
  return place < 0 ? SLOWEST.length : place;
};

/** Jest's order, by past duration or by size, except for files known to be slow. */
module.exports = class SlowestFirst extends Sequencer {
  sort(tests) {
    return super.sort(tests).sort((one, other) => placeOf(one) - placeOf(other));
  }
};
