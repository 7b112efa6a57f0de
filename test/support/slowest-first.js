const { default: Sequencer } = require('@jest/test-sequencer');

/** Files that take ten seconds of a processor or more, the longest first: started last, one would run alone. */
const SLOWEST = [
  'faults/faults',
  'hostile/isolation',
  'embedded/lifetime',
  'embedded/full-disk',
  'service/adapt',
  'service/backup',
  'service/reindex',
  'service/consistency',
  'service/bucket',
  'spec/feedback',
  'db/one-state',
  'hostile/hostile-corpus',
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
