import type { Knex } from 'knex';

/** One step of the schema and its way back. */
interface SchemaStep {
  up(knex: Knex): Promise<void>;
  down(knex: Knex): Promise<void>;
}

/** Name of the step (its sorting order, kept for ever) to the step. */
export type SchemaSteps = Readonly<Record<string, SchemaStep>>;

/** Any number, the same in every process: whoever holds this lock migrates. */
const MIGRATION_LOCK = 5_683_001;

/**
 * Brings the schema up to the last of `steps`; resolves to the names that were run.
 * All in one transaction under a lock that ends with it: processes that start together wait for each other, and a crash
 * leaves neither half a schema nor a lock behind. A step can't use what PostgreSQL refuses within a transaction (CREATE
 * INDEX CONCURRENTLY).
 */
export async function migrate(knex: Knex, steps: SchemaSteps): Promise<string[]> {
  return await underLock(knex, async (transaction) => {
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
 */
export async function remakeSchema(
  knex: Knex,
  steps: SchemaSteps,
  made: readonly string[],
  { before, fill, after }: Remaking,
): Promise<void> {
  await underLock(knex, async (transaction) => {
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
