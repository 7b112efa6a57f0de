import type { Knex } from 'knex';
import { SCHEMA } from './first-version';
import type { SchemaStep } from './migrate';

/** A snapshot holds nothing that is not derived; without one, queries are answered among the rows until the next is made. */
const EMPTY = 'TRUNCATE search_snapshots, search_snapshot_bitmaps, search_snapshot_facets';

const BEFORE =
  /^CREATE TABLE search_snapshot_(?:ordinals|orders)[\s\S]*?(?=^CREATE TABLE search_snapshot_(?:bitmaps|facets))/gm;

/** Processes keep the ids of products and what orders them in memory, instead of asking for the ids of each page. */
export const snapshotColumns: SchemaStep = {
  async up(knex: Knex) {
    await knex.raw(EMPTY);
    await knex.raw(`
      DROP TABLE search_snapshot_ordinals, search_snapshot_orders;
      CREATE TABLE search_snapshot_columns (
        snapshot integer,
        name text,
        chunk integer,
        bytes bytea NOT NULL,
        PRIMARY KEY (snapshot, name, chunk)
      );
      COMMENT ON TABLE search_snapshot_columns IS 'What all products have, by ordinal: by falling popularity, then id.
name: id and sort_key, each text with a zero byte after it, and popularity, eight bytes each, as many ordinals to a chunk as in
  a bitmap; by_name, the ordinals by sort_key, then id, four bytes each, in one chunk';
      COMMENT ON TABLE search_snapshot_bitmaps IS 'For an index term that many products have, the ordinals that do, 32768 to a chunk.
term: a facet, a word, @ and a category, or a beginning of up to three letters with * for all longer words that begin so'`);
  },

  async down(knex: Knex) {
    await knex.raw(EMPTY);
    await knex.raw('DROP TABLE search_snapshot_columns');
    for (const [tables] of SCHEMA.matchAll(BEFORE)) await knex.raw(tables);
    await knex.raw(SCHEMA.match(/^COMMENT ON TABLE search_snapshot_bitmaps[^;]*;/m)?.[0] ?? '');
  },
};
