import { rowsOf, sql } from '../../db/core/sql';
import { PostgresProcessRegistry } from '../../db/installation/process-registry';
import { mismatchesOf, ProcessWatch } from '../../models/installation/process-watch';
import type { ProcessRegistry, ProcessTraits, ServiceProcess } from '../../models/ports';
import { useDatabase } from '../support/database';
import { LogSink } from '../support/log-sink';

/** contract 14.15 */
const TRAITS: ProcessTraits = { release: '1.0.0', signingKeys: ['new', 'next'], imageStore: 'store-1' };
const processOf = (id: string, traits: Partial<ProcessTraits> = {}): ServiceProcess => ({
  ...{ id, name: `host:${id}`, role: 'api' },
  ...{ traits: { ...TRAITS, ...traits }, models: null },
});
const OWN = processOf('own');

const database = useDatabase();
const registry = () => new PostgresProcessRegistry(database.knex);

describe('the processes of an installation', () => {
  const others = async () => (await registry().renew(OWN)).map(({ id }) => id);
  const workers = async () => (await registry().workers()).map(({ name }) => name);

  test("see each other's current traits until they leave", async () => {
    const [before, after] = [processOf('a'), processOf('a', { release: '2' })];
    expect(await registry().renew(before)).toEqual([]);
    expect(await registry().renew(OWN)).toEqual([before]);
    await registry().renew(after);
    expect(await registry().renew(OWN)).toEqual([after]);
    await registry().leave('a');
    expect(await others()).toEqual([]);
  });

  test.each([
    ['lately', '20 seconds', true, true],
    ['not for a while', '40 seconds', false, true],
    ['long ago', '2 hours', false, false],
    ['a moment ahead, by a clock that was set', '-20 seconds', true, true],
    ['far ahead, by a clock that was set', '-2 hours', false, false],
  ])('that were seen %s', async (_when, ago, lives, isKept) => {
    const models = [{ versionId: 7, fault: null }];
    await registry().renew({ ...processOf('other'), name: 'other', role: 'worker', models });
    const seen = sql`UPDATE service_processes SET seen_at = now() - ${ago}::interval WHERE id = 'other'`;
    await rowsOf(database.knex, seen);
    expect([await others(), await workers()]).toEqual(Array(2).fill(lives ? ['other'] : []));
    expect(await database.knex('service_processes').where({ id: 'other' })).toHaveLength(isKept ? 1 : 0);
    await registry().leave('other');
  });
});

test('a worker that has not reported its models counts as one without any', async () => {
  // As of an older release, which does not report them here: a promotion waits for it.
  await registry().renew({ ...processOf('older'), role: 'worker' });
  await registry().renew(OWN);
  expect(await registry().workers()).toEqual([{ name: 'host:older', models: [] }]);
});

describe('processes that run together', () => {
  const RELEASE = /runs another release/;
  const KEYS = /SIGNING_KEYS/;
  const IMAGES = /stores pictures elsewhere/;

  test.each<[string, Partial<ProcessTraits>, readonly RegExp[]]>([
    ['the same', {}, []],
    ['another release', { release: '1.1.0' }, [RELEASE]],
    ['other keys', { signingKeys: ['other'] }, [KEYS]],
    ['the key that is new here, and no older one', { signingKeys: ['new'] }, []],
    ['the same key in front, and an older one', { signingKeys: ['new', 'old'] }, []],
    ['the next key in front, which is known here', { signingKeys: ['next', 'new'] }, []],
    ['another key in front, which is not known here', { signingKeys: ['another', 'new'] }, [KEYS]],
    ['no keys, as it is a worker', { signingKeys: [] }, []],
    ['another store of images', { imageStore: 'store-2' }, [IMAGES]],
    ['a store of images that cannot be asked', { imageStore: null }, []],
    ['nothing in common', { release: '2', signingKeys: ['b'], imageStore: 's-2' }, [RELEASE, KEYS, IMAGES]],
  ])('a process beside one with %s', (_what, traits, expected) => {
    const other = processOf('other', traits);
    const mismatches = mismatchesOf(OWN, [processOf('fits'), other]);
    const told = expected.map((says) => ({ says: expect.stringMatching(says), processes: ['host:other'] }));
    expect(mismatches).toEqual(told);
    // The other process reports the same.
    expect(mismatchesOf(other, [OWN]).map(({ says }) => says)).toEqual(mismatches.map(({ says }) => says));
  });

  /** A watch with this renewal, and its log. */
  const watching = (renew: ProcessRegistry['renew'], { logger }: LogSink) => {
    const { traits, ...self } = OWN;
    const registered = { renew, workers: async () => [], leave: async () => undefined };
    return new ProcessWatch(registered, logger, self, async () => traits);
  };

  test('the log names processes that differ once per change, and says when all fit again', async () => {
    const log = new LogSink();
    let others: readonly ServiceProcess[] = [];
    const watch = watching(async () => others, log);
    await watch.run();
    others = [processOf('other', { imageStore: 'store-2' })];
    await watch.run();
    await watch.run();
    expect(watch.mismatches).toEqual([expect.stringMatching(IMAGES)]);
    others = [];
    await watch.run();
    expect(watch.mismatches).toEqual([]);
    expect(await log.lines(2)).toMatchObject([
      { msg: expect.stringMatching(IMAGES), processes: ['host:other'] },
      { msg: 'all processes fit together again' },
    ]);
  });

  test('concurrent renewals share one write, and a report has one of its own', async () => {
    const renew = jest.fn(async (_process: ServiceProcess) => []);
    const watch = watching(renew, new LogSink());
    await Promise.all([watch.renew(), watch.renew(), watch.renew()]);
    expect(renew).toHaveBeenCalledTimes(1);
    const models = [{ versionId: 7, fault: null }];
    await Promise.all([watch.renew(), watch.report(models)]);
    expect(renew).toHaveBeenCalledTimes(3);
    expect(renew).toHaveBeenLastCalledWith(expect.objectContaining({ models }));
  });
});
