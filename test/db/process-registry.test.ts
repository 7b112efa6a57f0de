import { rowsOf, sql } from '../../db/core/sql';
import { PostgresProcessRegistry } from '../../db/installation/process-registry';
import type { ServiceProcess } from '../../models/ports';
import { useDatabase } from '../support/database';

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

  test('are told to each other as they are now, until they leave', async () => {
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
