import type { Knex } from 'knex';

/**
 * Daily sums of the ledger, so that usage costs as much as its answer has lines (contract 9.7). The ledger stays the one
 * source: triggers change the sums in the same statement, whoever writes to it.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE credits_by_day (
      account_id text COLLATE "C" NOT NULL REFERENCES accounts,
      day date NOT NULL,
      endpoint text COLLATE "C" NOT NULL,
      test boolean NOT NULL,
      calls bigint NOT NULL,
      credits bigint NOT NULL,
      PRIMARY KEY (account_id, day, endpoint, test)
    );
    COMMENT ON TABLE credits_by_day IS
    'Sums of the charges in credit_ledger by day (UTC), of test keys and of others; triggers on that table maintain them, nothing else writes here.';

    INSERT INTO credits_by_day (account_id, day, endpoint, test, calls, credits)
    SELECT c.account_id, (booked_at AT TIME ZONE 'UTC')::date, endpoint, coalesce(k.test, false), count(*), sum(amount)
    FROM credit_ledger c LEFT JOIN api_keys k ON k.id = c.key_id WHERE amount > 0 GROUP BY 1, 2, 3, 4;

    CREATE FUNCTION sum_credits_by_day() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF TG_OP <> 'DELETE' THEN
        -- In one order everywhere, so that two bookings never wait for each other.
        INSERT INTO credits_by_day AS s (account_id, day, endpoint, test, calls, credits)
        SELECT b.account_id, (booked_at AT TIME ZONE 'UTC')::date, endpoint, coalesce(k.test, false), count(*), sum(amount)
        FROM booked b LEFT JOIN api_keys k ON k.id = b.key_id WHERE amount > 0 GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4
        ON CONFLICT (account_id, day, endpoint, test) DO UPDATE
        SET calls = s.calls + excluded.calls, credits = s.credits + excluded.credits;
      END IF;
      IF TG_OP <> 'INSERT' THEN
        UPDATE credits_by_day AS s SET calls = s.calls - gone.calls, credits = s.credits - gone.credits
        FROM (
          SELECT u.account_id, (booked_at AT TIME ZONE 'UTC')::date AS day, endpoint, coalesce(k.test, false) AS test,
            count(*) AS calls, sum(amount) AS credits
          FROM unbooked u LEFT JOIN api_keys k ON k.id = u.key_id WHERE amount > 0 GROUP BY 1, 2, 3, 4
        ) AS gone
        WHERE (s.account_id, s.day, s.endpoint, s.test) = (gone.account_id, gone.day, gone.endpoint, gone.test);
      END IF;
      RETURN NULL;
    END $$;
    CREATE TRIGGER sum_booked AFTER INSERT ON credit_ledger REFERENCING NEW TABLE AS booked
    FOR EACH STATEMENT EXECUTE FUNCTION sum_credits_by_day();
    CREATE TRIGGER sum_changed AFTER UPDATE ON credit_ledger REFERENCING NEW TABLE AS booked OLD TABLE AS unbooked
    FOR EACH STATEMENT EXECUTE FUNCTION sum_credits_by_day();
    CREATE TRIGGER sum_deleted AFTER DELETE ON credit_ledger REFERENCING OLD TABLE AS unbooked
    FOR EACH STATEMENT EXECUTE FUNCTION sum_credits_by_day();`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP TRIGGER sum_booked ON credit_ledger;
    DROP TRIGGER sum_changed ON credit_ledger;
    DROP TRIGGER sum_deleted ON credit_ledger;
    DROP FUNCTION sum_credits_by_day();
    DROP TABLE credits_by_day;`);
}
