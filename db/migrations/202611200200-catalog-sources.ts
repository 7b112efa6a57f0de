import type { Knex } from 'knex';

/**
 * The catalog as it was imported, one table per kind of record (catalog-bundle.md). The importer writes these and
 * derives `catalog_rows` from them in the same transaction. Ids sort by code point everywhere, hence COLLATE "C".
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE categories (
      id text COLLATE "C" PRIMARY KEY,
      name text NOT NULL,
      hierarchy text[] NOT NULL,
      name_fields text[] NOT NULL,
      popularity double precision NOT NULL DEFAULT 0,
      images text[] NOT NULL DEFAULT '{}',
      thumbnails text[] NOT NULL DEFAULT '{}',
      updated_at timestamptz NOT NULL DEFAULT now()
    )`);
  await knex.raw(`
    CREATE TABLE tags (
      id text COLLATE "C" PRIMARY KEY,
      "group" text COLLATE "C" NOT NULL,
      name text NOT NULL,
      display_order integer NOT NULL DEFAULT 0,
      categories text[] NOT NULL DEFAULT '{}'
    )`);
  await knex.raw(`
    CREATE TABLE entities (
      id text COLLATE "C" PRIMARY KEY,
      kind text NOT NULL,
      name text NOT NULL,
      category text COLLATE "C" NOT NULL REFERENCES categories,
      parents jsonb NOT NULL DEFAULT '{}',
      tags text[] NOT NULL DEFAULT '{}',
      keywords text[] NOT NULL DEFAULT '{}',
      popularity double precision NOT NULL DEFAULT 0,
      images text[] NOT NULL DEFAULT '{}',
      thumbnails text[] NOT NULL DEFAULT '{}',
      deleted boolean NOT NULL DEFAULT false,
      updated_at timestamptz NOT NULL DEFAULT now()
    )`);
  await knex.raw('CREATE INDEX entities_category_kind ON entities (category, kind)');
  await knex.raw(`
    CREATE TABLE products (
      id text COLLATE "C" PRIMARY KEY,
      category text COLLATE "C" NOT NULL REFERENCES categories,
      attributes jsonb NOT NULL,
      tags text[] NOT NULL DEFAULT '{}',
      keywords text[] NOT NULL DEFAULT '{}',
      popularity double precision NOT NULL DEFAULT 0,
      images text[] NOT NULL DEFAULT '{}',
      thumbnails text[] NOT NULL DEFAULT '{}',
      deleted boolean NOT NULL DEFAULT false,
      updated_at timestamptz NOT NULL DEFAULT now()
    )`);
  await knex.raw(`
    CREATE TABLE variants (
      id text COLLATE "C" PRIMARY KEY,
      product_id text COLLATE "C" NOT NULL REFERENCES products ON DELETE CASCADE,
      position integer NOT NULL,
      fields jsonb NOT NULL DEFAULT '[]',
      popularity double precision NOT NULL DEFAULT 0,
      images text[] NOT NULL DEFAULT '{}',
      thumbnails text[] NOT NULL DEFAULT '{}'
    )`);
  await knex.raw('CREATE INDEX variants_product ON variants (product_id, position)');
}

export async function down(knex: Knex): Promise<void> {
  for (const table of ['variants', 'products', 'entities', 'tags', 'categories']) {
    await knex.schema.dropTable(table);
  }
}
