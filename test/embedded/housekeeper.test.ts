import { Housekeeper } from '../../db/embedded/housekeeper';
import { startFixture } from './embedded-support';

test('dead rows are removed, the planner gets statistics, and the log is truncated', async () => {
  const fixture = await startFixture();
  const client = await fixture.connect();
  await client.query("create table t as select repeat('x', 900) as filler from generate_series(1, 20000)");
  for (let round = 0; round < 4; round += 1) await client.query("update t set filler = filler || 'y'");
  const figures = async () => {
    // Counts are published only once a second.
    await client.query('select pg_stat_force_next_flush()');
    const { rows } = await client.query(
      `select n_dead_tup::int as dead, c.reltuples::int as rows,
              pg_wal_lsn_diff(pg_current_wal_insert_lsn(), redo_lsn)::float8 as log
       from pg_stat_user_tables s join pg_class c on c.oid = s.relid, pg_control_checkpoint()`,
    );
    return rows[0];
  };
  expect((await figures()).dead).toBeGreaterThan(20_000);
  expect((await figures()).log).toBeGreaterThan(64 * 1024 * 1024);

  const faults: string[] = [];
  const turns = { isBusy: false, turnsGranted: 1 };
  await new Housekeeper(await fixture.embedded.socketFolder(), turns, (line) => faults.push(line)).run();

  expect(faults).toEqual([]);
  expect(await figures()).toMatchObject({ dead: 0, rows: 20_000 });
  expect((await figures()).log).toBeLessThan(64 * 1024 * 1024);
  await fixture.remove();
});
