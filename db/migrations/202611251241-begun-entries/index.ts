import type { Knex } from 'knex';

const COMMENT = 'Who did what and when. Only ever added to, whoever asks.';

/** What is done in several transactions is in the audit log from the first one on (contract 15.8). */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE audit_log ADD completes bigint REFERENCES audit_log;
    CREATE UNIQUE INDEX audit_log_completes ON audit_log (completes) WHERE completes IS NOT NULL;
    COMMENT ON TABLE audit_log IS
    '${COMMENT}
completes: the entry that this one ends; the details here are its details';`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE audit_log DROP completes;
    COMMENT ON TABLE audit_log IS '${COMMENT}';`);
}
