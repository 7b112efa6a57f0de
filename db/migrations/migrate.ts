import type { Knex } from 'knex';
import { StoreFault } from '../../models/store-fault';
import { disableTimeout } from '../core/sql';

export interface SchemaStep {
  up(knex: Knex): Promise<void>;
  down(knex: Knex): Promise<void>;
}

/** Migrations by name; they run in the order of their names, which never change. */
export type SchemaSteps = Readonly<Record<string, SchemaStep>>;

/** The process that migrates holds this advisory lock: any number, the same in every process. */
const MIGRATION_LOCK = 5_683_001;

/**
 * Migrates the schema to the last of `steps`, in one transaction under a lock; resolves to the names that were run. A step can't
 * use what PostgreSQL refuses within a transaction (CREATE INDEX CONCURRENTLY).
 * @throws StoreFault for a schema that a newer release has made
 */
export const migrate = (knex: Knex, steps: SchemaSteps): Promise<string[]> =>
  underLock(knex, async (transaction) => {
    await assertNotNewer(transaction, steps);
    return up(transaction, steps);
  });

/** Takes the schema back to nothing; resolves to the names that were undone. */
export const migrateDown = (knex: Knex, steps: SchemaSteps): Promise<string[]> =>
  underLock(knex, (transaction) => down(transaction, steps));

/** As `migrate`, in a transaction of `underLock`. */
export async function up(transaction: Knex.Transaction, steps: SchemaSteps): Promise<string[]> {
  const [, names]: [number, string[]] = await transaction.migrate.latest(migratorConfig(steps));
  return names;
}

/** As `migrateDown`, in a transaction of `underLock`. */
export async function down(transaction: Knex.Transaction, steps: SchemaSteps): Promise<string[]> {
  const [, names]: [number, string[]] = await transaction.migrate.rollback(migratorConfig(steps), true);
  return names;
}

export async function appliedSteps(knex: Knex): Promise<string[]> {
  return await knex('schema_migrations').orderBy('id').pluck('name');
}

/** Which release made steps that are not among `steps`, and what to do; null when all are known. @param made their names */
export function unknownRelease(made: readonly string[], steps: SchemaSteps): string | null {
  const unknown = made.filter((name) => !Object.hasOwn(steps, name));
  if (unknown.length === 0) return null;
  const [first = ''] = Object.keys(steps).sort();
  const release = made.includes(first)
    ? 'of a newer release of Loupe'
    : 'of a release of Loupe whose schema this one does not continue';
  return `${release}: its schema has ${unknown.join(', ')}, which this release does not know. Use the release that made it`;
}

/** The migrator itself would report missing files. @throws StoreFault for a schema with steps that are not among `steps` */
export async function assertNotNewer(transaction: Knex, steps: SchemaSteps): Promise<void> {
  if (!(await transaction.schema.hasTable('schema_migrations'))) return;
  const release = unknownRelease(await appliedSteps(transaction), steps);
  if (release === null) return;
  throw new StoreFault(
    `The database is ${release}, or start with an empty database (docs/upgrade.md).`,
    false,
  );
}

/** A transaction that only one process runs at a time. */
export async function underLock<Result>(
  knex: Knex,
  run: (transaction: Knex.Transaction) => Promise<Result>,
): Promise<Result> {
  return await knex.transaction(async (transaction) => {
    await disableTimeout(transaction);
    await transaction.raw('select pg_advisory_xact_lock(?)', [MIGRATION_LOCK]);
    return await run(transaction);
  });
}

function migratorConfig(steps: SchemaSteps): Knex.MigratorConfig {
  return {
    tableName: 'schema_migrations',
    migrationSource: {
      getMigrations: async () => Object.keys(steps).sort(),
      getMigrationName: (name: string) => name,
      getMigration: async (name: string) => {
        const step = steps[name];
        if (!step) throw new Error(`no migration is named ${name}`);
        return step;
      },
    },
  };
}
