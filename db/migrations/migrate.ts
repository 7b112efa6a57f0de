import type { Knex } from 'knex';
import { StoreFault } from '../../models/store-fault';

/** One step of the schema and its way back. */
export interface SchemaStep {
  up(knex: Knex): Promise<void>;
  down(knex: Knex): Promise<void>;
}

/** Name of the step (its sorting order, kept for ever) to the step. */
export type SchemaSteps = Readonly<Record<string, SchemaStep>>;

/** Any number, the same in every process: anyone who holds this lock migrates. */
const MIGRATION_LOCK = 5_683_001;

/**
 * Brings the schema up to the last of `steps`; resolves to the names that were run.
 * All in one transaction under a lock that ends with it: processes that start together wait for each other, and a crash
 * leaves neither half a schema nor a lock behind. A step can't use what PostgreSQL refuses within a transaction (CREATE
 * INDEX CONCURRENTLY).
 *
 * @throws StoreFault for a schema that a newer release has made
 */
export async function migrate(knex: Knex, steps: SchemaSteps): Promise<string[]> {
  return await underLock(knex, async (transaction) => {
    await refuseNewer(transaction, steps);
    const [, names]: [number, string[]] = await transaction.migrate.latest(migratorConfig(steps));
    return names;
  });
}

/** Takes the schema back to nothing; resolves to the names that were undone. */
export async function migrateDown(knex: Knex, steps: SchemaSteps): Promise<string[]> {
  return await underLock(knex, async (transaction) => {
    const [, names]: [number, string[]] = await transaction.migrate.rollback(migratorConfig(steps), true);
    return names;
  });
}

/** What is done with the tables while the schema is made anew. */
export interface Remaking {
  /** With the tables of before; may refuse by throwing. */
  before(transaction: Knex): Promise<void>;
  /** With the empty tables of the older schema. */
  fill(transaction: Knex): Promise<void>;
  /** With the tables of the newest schema. */
  after(transaction: Knex): Promise<void>;
}

/**
 * Takes the schema back to nothing, makes it as it is after the steps named `made`, has it filled, and brings it up to the
 * last of `steps`: all in one transaction.
 *
 * @throws StoreFault as `migrate`
 */
export async function remakeSchema(
  knex: Knex,
  steps: SchemaSteps,
  made: readonly string[],
  { before, fill, after }: Remaking,
): Promise<void> {
  await underLock(knex, async (transaction) => {
    await refuseNewer(transaction, steps);
    await transaction.migrate.latest(migratorConfig(steps));
    await before(transaction);
    await transaction.migrate.rollback(migratorConfig(steps), true);
    const older = Object.entries(steps).filter(([name]) => made.includes(name));
    await transaction.migrate.latest(migratorConfig(Object.fromEntries(older)));
    await fill(transaction);
    await transaction.migrate.latest(migratorConfig(steps));
    await after(transaction);
  });
}

/** Names of the steps that were made, in order. */
export async function appliedSteps(knex: Knex): Promise<string[]> {
  return await knex('schema_migrations').orderBy('id').pluck('name');
}

/**
 * Which release made a schema with steps that are not among `steps`, and what to do; null when all are known.
 * @param made names of the steps that were made
 */
export function unknownRelease(made: readonly string[], steps: SchemaSteps): string | null {
  const unknown = made.filter((name) => !Object.hasOwn(steps, name));
  if (unknown.length === 0) return null;
  const [first = ''] = Object.keys(steps).sort();
  const release = made.includes(first)
    ? 'of a newer release of Loupe'
    : 'of a release of Loupe whose schema this one does not continue';
  return `${release}: its schema has ${unknown.join(', ')}, which this release does not know. Use the release that made it`;
}

/** The migrator itself would speak of missing files. */
async function refuseNewer(transaction: Knex, steps: SchemaSteps): Promise<void> {
  if (!(await transaction.schema.hasTable('schema_migrations'))) return;
  const release = unknownRelease(await appliedSteps(transaction), steps);
  if (release === null) return;
  throw new StoreFault(
    `The database is ${release}, or start with an empty database (docs/upgrade.md).`,
    false,
  );
}

async function underLock<Result>(
  knex: Knex,
  run: (transaction: Knex.Transaction) => Promise<Result>,
): Promise<Result> {
  return await knex.transaction(async (transaction) => {
    await transaction.raw('set local statement_timeout = 0');
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
