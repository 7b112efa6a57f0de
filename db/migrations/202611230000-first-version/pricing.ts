import type { Knex } from 'knex';

/** The four grades of condition. */
const GRADES = 'a double precision, b double precision, c double precision, d double precision';

/** Market estimates, their history and the listings behind them, keyed as contract 13.2 says. */
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
    );
    COMMENT ON TABLE market_estimates IS 'What a variant is worth now, by grade of condition.';

    CREATE TABLE estimate_history (
      variant_id text COLLATE "C" NOT NULL REFERENCES variants ON DELETE CASCADE,
      region text COLLATE "C" NOT NULL,
      date date NOT NULL,
      source text COLLATE "C" NOT NULL,
      ${GRADES},
      currency text NOT NULL,
      confidence double precision,
      PRIMARY KEY (variant_id, region, date, source)
    );
    COMMENT ON TABLE estimate_history IS 'What a variant was worth, day by day.';

    CREATE TABLE listings (
      variant_id text COLLATE "C" NOT NULL REFERENCES variants ON DELETE CASCADE,
      region text COLLATE "C" NOT NULL,
      link text COLLATE "C" NOT NULL,
      variant_name text NOT NULL,
      vendor text NOT NULL,
      price double precision,
      currency text NOT NULL,
      date date,
      PRIMARY KEY (variant_id, region, link)
    );
    COMMENT ON TABLE listings IS 'Offers of variants that vendors made.';`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE listings, estimate_history, market_estimates');
}
