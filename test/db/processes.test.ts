import { rowsOf, sql } from '../../db/core/sql';
import { PostgresProcessRegistry } from '../../db/installation/process-registry';
import { misfitsOf } from '../../models/installation/misfits';
import { ProcessWatch } from '../../models/installation/process-watch';
import { type ProcessTraits, type ServiceProcess } from '../../models/ports';
import { useDatabase } from '../support/database';
import { LogSink } from '../support/log-sink';

/** contract 14.15 */
describe('the processes of an installation', () => {
  const database = useDatabase();
  const registry = () => new PostgresProcessRegistry(database.knex);
  const processOf = (id: string, release = '1'): ServiceProcess => ({
    id,
    name: `host:${id}`,
    role: 'api',
    traits: { release, signingKeys: ['key'], imageStore: null },
  });
  const seenAt = (id: string, ago: string) =>
    rowsOf(
      database.knex,
      sql`UPDATE service_processes SET seen_at = now() - ${ago}::interval WHERE id = ${id}`,
    );
  const ids = async () => (await registry().renew(processOf('own'))).map(({ id }) => id);

  test("see each other's current traits until they leave", async () => {
    expect(await registry().renew(processOf('a'))).toEqual([]);
    expect(await registry().renew(processOf('b'))).toEqual([processOf('a')]);
    await registry().renew(processOf('a', '2'));
    expect(await registry().renew(processOf('b'))).toEqual([processOf('a', '2')]);
    await registry().leave('a');
    await registry().leave('b');
    expect(await ids()).toEqual([]);
  });

  test.each([
    ['lately', '20 seconds', true, true],
    ['not for a while', '40 seconds', false, true],
    ['long ago', '2 hours', false, false],
    ['a moment ahead, by a clock that was set', '-20 seconds', true, true],
    ['far ahead, by a clock that was set', '-2 hours', false, false],
  ])('that were seen %s', async (_when, ago, lives, isKept) => {
    await registry().renew(processOf('other'));
    await seenAt('other', ago);
    expect(await ids()).toEqual(lives ? ['other'] : []);
    const kept = await rowsOf(database.knex, sql`SELECT id FROM service_processes WHERE id = 'other'`);
    expect(kept).toHaveLength(isKept ? 1 : 0);
    await registry().leave('other');
  });
});

describe('processes beside each other', () => {
  /** contract 14.15: processes that do not fit together say what differs. */

  const TRAITS: ProcessTraits = { release: '1.0.0', signingKeys: ['new'], imageStore: 'store-1' };
  const processOf = (name: string, traits: Partial<ProcessTraits> = {}): ServiceProcess => ({
    id: name,
    name,
    role: 'api',
    traits: { ...TRAITS, ...traits },
  });
  const OWN = processOf('here:1');

  const RELEASE = /runs another release/;
  const KEYS = /SIGNING_KEYS/;
  const IMAGES = /stores pictures elsewhere/;

  test.each<[string, Partial<ProcessTraits>, readonly RegExp[]]>([
    ['the same', {}, []],
    ['another release', { release: '1.1.0' }, [RELEASE]],
    ['other keys', { signingKeys: ['other'] }, [KEYS]],
    ['the key that is new here, and no older one', { signingKeys: ['new'] }, []],
    ['the same key in front, and an older one', { signingKeys: ['new', 'old'] }, []],
    ['the next key in front, which is not known here', { signingKeys: ['next', 'new'] }, [KEYS]],
    ['no keys, as it is a worker', { signingKeys: [] }, []],
    ['another store of images', { imageStore: 'store-2' }, [IMAGES]],
    ['a store of images that can not be asked', { imageStore: null }, []],
    [
      'nothing in common',
      { release: '2', signingKeys: ['other'], imageStore: 'store-2' },
      [RELEASE, KEYS, IMAGES],
    ],
  ])('a process beside one with %s', (_what, traits, expected) => {
    const others = [processOf('fits:2'), processOf('there:3', traits)];
    const misfits = misfitsOf(OWN, others);
    expect(misfits).toEqual(
      expected.map((says) => ({ says: expect.stringMatching(says), processes: ['there:3'] })),
    );
    // The other one says the same.
    expect(misfitsOf(processOf('there:3', traits), [OWN]).map(({ says }) => says)).toEqual(
      misfits.map(({ says }) => says),
    );
  });

  test('processes on both sides of a key rotation fit', () => {
    const before = processOf('a', { signingKeys: ['old', 'new'] });
    const after = processOf('b', { signingKeys: ['new', 'old'] });
    expect(misfitsOf(before, [after])).toEqual([]);
  });

  test('the log names processes that differ once per change, and says when all fit again', async () => {
    const log = new LogSink();
    let others: readonly ServiceProcess[] = [];
    const registry = { renew: async () => others, leave: async () => undefined };
    const { traits, ...self } = OWN;
    const watch = new ProcessWatch(registry, log.logger, self, async () => traits);
    await watch.look();
    others = [processOf('there:2', { imageStore: 'store-2' })];
    await watch.look();
    await watch.look();
    expect(watch.misfits).toEqual([expect.stringMatching(IMAGES)]);
    others = [];
    await watch.look();
    expect(watch.misfits).toEqual([]);
    expect(await log.lines(2)).toMatchObject([
      { msg: expect.stringMatching(IMAGES), processes: ['there:2'] },
      { msg: 'all processes fit together again' },
    ]);
  });

  test('concurrent renewals share one write', async () => {
    let writings = 0;
    let written = (): void => undefined;
    const renew = () => {
      writings += 1;
      return new Promise<readonly ServiceProcess[]>((resolve) => {
        written = () => resolve([]);
      });
    };
    const { traits, ...self } = OWN;
    const watch = new ProcessWatch(
      { renew, leave: async () => undefined },
      new LogSink().logger,
      self,
      async () => traits,
    );
    const asked = [watch.renew(), watch.renew(), watch.renew()];
    await new Promise(setImmediate);
    written();
    await Promise.all(asked);
    expect(writings).toBe(1);
  });
});
