import { EVERYTHING } from '../../models/catalog/catalog-query';
import type { ExactNeighbours } from '../../models/ports';
import type { EmbeddingVersion } from '../../models/vision/embedding-model';
import { RecallSampler } from '../../workers/recall-sampler';
import { LogSink } from '../support/log-sink';

const versionOf = (id: number) => ({ id }) as EmbeddingVersion;
const found = (...ids: number[]) => ids.map((imageId) => ({ imageId, distance: 0 }));
const vectors = [Float32Array.of(1)];

/** An exact search that knows images 1 to 4, when it is let. */
function setup(options: { approximate?: boolean; oneOf?: number; chance?: () => number }) {
  const asked: number[] = [];
  const exact: ExactNeighbours = {
    isApproximate: async () => options.approximate ?? true,
    nearest: async ({ id }, _vectors, limit) => {
      asked.push(id);
      return [1, 2, 3, 4].slice(0, limit);
    },
  };
  const settings = { oneOf: options.oneOf ?? 1 };
  const sampler = new RecallSampler(exact, new LogSink().logger, settings, options.chance ?? (() => 0));
  return { sampler, asked };
}

describe('the recall of searches', () => {
  test('is the share of the true nearest that were found, over the last samples', async () => {
    const { sampler } = setup({});
    expect(sampler.figures()).toBeNull();
    sampler.consider(versionOf(1), vectors, found(1, 2, 3, 4), EVERYTHING);
    await sampler.close();
    sampler.consider(versionOf(1), vectors, found(4, 3, 8, 9), EVERYTHING);
    await sampler.close();
    expect(sampler.figures()).toEqual({ mean: 0.75, lowest: 0.5, samples: 2 });
  });

  test('begins anew with another version', async () => {
    const { sampler } = setup({});
    sampler.consider(versionOf(1), vectors, found(8, 9), EVERYTHING);
    await sampler.close();
    sampler.consider(versionOf(2), vectors, found(1, 2), EVERYTHING);
    await sampler.close();
    expect(sampler.figures()).toEqual({ mean: 1, lowest: 1, samples: 1 });
  });

  test('is measured now and then only, and never two at a time', async () => {
    const rare = setup({ oneOf: 1_000, chance: () => 0.5 });
    rare.sampler.consider(versionOf(1), vectors, found(1), EVERYTHING);
    const off = setup({ oneOf: 0 });
    off.sampler.consider(versionOf(1), vectors, found(1), EVERYTHING);
    const busy = setup({});
    for (let search = 0; search < 3; search += 1)
      busy.sampler.consider(versionOf(1), vectors, found(1), EVERYTHING);
    await Promise.all([rare, off, busy].map(({ sampler }) => sampler.close()));
    expect([rare.asked, off.asked, busy.asked]).toEqual([[], [], [1]]);
  });

  test('is not measured where the search is exact anyway', async () => {
    const { sampler, asked } = setup({ approximate: false });
    sampler.consider(versionOf(1), vectors, found(1), EVERYTHING);
    await sampler.close();
    expect([asked, sampler.figures()]).toEqual([[], null]);
  });
});
