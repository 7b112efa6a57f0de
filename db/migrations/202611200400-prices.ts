import type { Knex } from 'knex';

const GRADES = 'a double precision, b double precision, c double precision, d double precision';

/** Market estimates, their history and the listings behind them, keyed as catalog-bundle.md says. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE market_estimates (
      variant_id text COLLATE "C" NOT NULL REFERENCES variants ON DELETE CASCADE,
      source text COLLATE "C" NOT NULL,
      region text COLLATE "C" NOT NULL,
      ${GRADES},
      currency text NOT NULL,
      estimated_at timestamptz NOT NULL,
      confidence double precision,
      PRIMARY KEY (variant_id, source, region)
    )`);
  await knex.raw(`
    CREATE TABLE estimate_history (
      variant_id text COLLATE "C" NOT NULL REFERENCES variants ON DELETE CASCADE,
      region text COLLATE "C" NOT NULL,
      date date NOT NULL,
      source text COLLATE "C" NOT NULL,
      ${GRADES},
      currency text NOT NULL,
      confidence double precision,
      PRIMARY KEY (variant_id, region, date, source)
    )`);
  await knex.raw(`
    CREATE TABLE listings (
      variant_id text COLLATE "C" NOT NULL REFERENCES variants ON DELETE CASCADE,
      region text COLLATE "C" NOT NULL,
      link text COLLATE "C" NOT NULL,
      variant_name text NOT NULL,
      vendor text NOT NULL,
      price double precision NOT NULL,
      currency text NOT NULL,
      date date NOT NULL,
      PRIMARY KEY (variant_id, region, link)
    )`);
}

export async function down(knex: Knex): Promise<void> {
  for (const table of ['listings', 'estimate_history', 'market_estimates'])
    await knex.schema.dropTable(table);
}
