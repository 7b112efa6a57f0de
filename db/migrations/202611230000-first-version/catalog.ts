import type { Knex } from 'knex';

/**
 * The catalog as it was imported, one table per kind of record (contract 13), and `catalog_rows`, derived from them in
 * the same transaction. Ids sort by code point everywhere, hence COLLATE "C".
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
    );
    COMMENT ON TABLE categories IS 'Categories as imported.';

    CREATE TABLE tags (
      id text COLLATE "C" PRIMARY KEY,
      "group" text COLLATE "C" NOT NULL,
      name text NOT NULL,
      display_order integer NOT NULL DEFAULT 0,
      categories text[] NOT NULL DEFAULT '{}'
    );
    COMMENT ON TABLE tags IS 'Tags as imported, with the categories that offer them.';

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
    );
    CREATE INDEX entities_category_kind ON entities (category, kind);
    CREATE INDEX entities_styles_by_model ON entities ((parents->>'model')) WHERE kind = 'style';
    COMMENT ON TABLE entities IS 'Brands, models, styles and the other levels of the taxonomy, as imported.';

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
    );
    COMMENT ON TABLE products IS 'Products as imported.';

    CREATE TABLE variants (
      id text COLLATE "C" PRIMARY KEY,
      product_id text COLLATE "C" NOT NULL REFERENCES products ON DELETE CASCADE,
      position integer NOT NULL,
      fields jsonb NOT NULL DEFAULT '[]',
      popularity double precision NOT NULL DEFAULT 0,
      images text[] NOT NULL DEFAULT '{}',
      thumbnails text[] NOT NULL DEFAULT '{}'
    );
    CREATE INDEX variants_product ON variants (product_id, position);
    COMMENT ON TABLE variants IS 'Variants of products, as imported.';

    CREATE TABLE catalog_rows (
      id text COLLATE "C" PRIMARY KEY,
      kind text COLLATE "C" NOT NULL,
      category text COLLATE "C" NOT NULL,
      popularity double precision NOT NULL,
      sort_key text COLLATE "C" NOT NULL,
      facets text[] COLLATE "C" NOT NULL,
      words tsvector NOT NULL,
      name text NOT NULL,
      attributes jsonb NOT NULL,
      images text[] NOT NULL,
      thumbnails text[] NOT NULL,
      max_estimate jsonb,
      updated_at timestamptz NOT NULL DEFAULT now()
    ) WITH (fillfactor = 90);
    COMMENT ON TABLE catalog_rows IS
    'What answers are made of: a row per live product, taxonomy entity and category (contract 1.2, 4.1).
facets: <field>:<id> of every attribute and tags:<id> of every tag, inherited ones included; each once
words: folded words of name, taxonomy names, variant fields and keywords (contract 5.2)
sort_key: the name in the order of contract 4.12, by code point
max_estimate: the best market estimate below a taxonomy entity or category (contract 2.3); null on products';`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE catalog_rows, variants, products, entities, tags, categories');
}
