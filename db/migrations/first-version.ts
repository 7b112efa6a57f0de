import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SchemaStep } from './migrate';

const SCHEMA = readFileSync(join(__dirname, 'first-version.sql'), 'utf8');

export const firstVersion: SchemaStep = {
  up: (knex) => knex.raw(SCHEMA),

  /** Drops what the file makes, and the vectors of every embedding version. */
  async down(knex) {
    const versions: number[] = await knex('embedding_versions').pluck('id');
    const tables = [
      ...made(/^CREATE (?:UNLOGGED )?TABLE (\w+)/gm),
      ...versions.map((id) => `embeddings_${id}`),
    ];
    await knex.raw(`
      DROP TABLE IF EXISTS ${tables.join(', ')};
      DROP FUNCTION ${made(/^CREATE FUNCTION (\w+)/gm).join(', ')};
      DROP EXTENSION vector;`);
  },
};

const made = (statement: RegExp): string[] => [...SCHEMA.matchAll(statement)].map(([, name = '']) => name);
