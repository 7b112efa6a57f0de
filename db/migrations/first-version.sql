-- The first version of the schema; `first-version.ts` runs it. Later migrations change what it makes, `db/schema.sql` shows
-- what they leave.

CREATE EXTENSION IF NOT EXISTS vector;

-- The catalog as it was imported, a table per kind of record (contract 13), and catalog_rows, derived from it in the same
-- transaction. Ids sort by code point everywhere, hence COLLATE "C".

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
  category text COLLATE "C" NOT NULL,
  parents jsonb NOT NULL DEFAULT '{}',
  tags text[] NOT NULL DEFAULT '{}',
  keywords text[] NOT NULL DEFAULT '{}',
  popularity double precision NOT NULL DEFAULT 0,
  images text[] NOT NULL DEFAULT '{}',
  thumbnails text[] NOT NULL DEFAULT '{}',
  deleted boolean NOT NULL DEFAULT false,
  updated_at timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE entities IS 'Brands, models, styles and the other levels of the taxonomy, as imported.
category: the id of a category, or several separated by commas';
CREATE INDEX entities_category_kind ON entities (category, kind);
CREATE INDEX entities_styles_by_model ON entities ((parents ->> 'model')) WHERE kind = 'style';

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
  updated_at timestamptz NOT NULL DEFAULT now(),
  title text,
  sku text,
  url text,
  data text
);
COMMENT ON TABLE products IS
'Products as imported.
data: a JSON object of the shop, as text so that it is returned unchanged';

CREATE TABLE variants (
  id text COLLATE "C" PRIMARY KEY,
  product_id text COLLATE "C",
  position integer NOT NULL,
  fields jsonb NOT NULL DEFAULT '[]',
  popularity double precision NOT NULL DEFAULT 0,
  images text[] NOT NULL DEFAULT '{}',
  thumbnails text[] NOT NULL DEFAULT '{}',
  away_since timestamptz,
  CONSTRAINT variants_away_check CHECK ((product_id IS NULL) = (away_since IS NOT NULL))
);
COMMENT ON TABLE variants IS
'Variants of products, as imported.
product_id: the last product that named the variant; null while none does
away_since: since when no product names it; its prices are kept meanwhile';
CREATE INDEX variants_away ON variants (away_since) WHERE away_since IS NOT NULL;
CREATE INDEX variants_product ON variants (product_id, position);

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
'The rows of answers: one per live product, taxonomy entity and category (contract 1.2, 4.1).
facets: <field>:<id> of every attribute and tags:<id> of every tag, inherited ones included; each once
words: folded words of name, taxonomy names, variant fields and keywords (contract 5.2)
sort_key: the name in the order of contract 4.12, by code point
max_estimate: the best market estimate below a taxonomy entity or category (contract 2.3); null on products';

CREATE TABLE catalog_taxonomy_version (
  only_one boolean DEFAULT true PRIMARY KEY CHECK (only_one),
  version bigint NOT NULL
);
COMMENT ON TABLE catalog_taxonomy_version IS 'Counts writes of categories, tags and entities.';
INSERT INTO catalog_taxonomy_version (version) VALUES (0);

CREATE FUNCTION catalog_taxonomy_changed() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      UPDATE catalog_taxonomy_version SET version = version + 1;
      RETURN NULL;
    END $$;

CREATE TRIGGER categories_changed AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON categories
FOR EACH STATEMENT EXECUTE FUNCTION catalog_taxonomy_changed();

CREATE TRIGGER tags_changed AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON tags
FOR EACH STATEMENT EXECUTE FUNCTION catalog_taxonomy_changed();

CREATE TRIGGER entities_changed AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON entities
FOR EACH STATEMENT EXECUTE FUNCTION catalog_taxonomy_changed();

-- Prices of variants (contract 2)

CREATE TABLE market_estimates (
  variant_id text COLLATE "C" NOT NULL,
  source text COLLATE "C" NOT NULL,
  region text COLLATE "C" NOT NULL,
  a double precision,
  b double precision,
  c double precision,
  d double precision,
  currency text NOT NULL,
  estimated_at timestamptz NOT NULL,
  confidence double precision,
  PRIMARY KEY (variant_id, source, region)
);
COMMENT ON TABLE market_estimates IS 'What a variant is worth now, by grade of condition.';

CREATE TABLE estimate_history (
  variant_id text COLLATE "C" NOT NULL,
  region text COLLATE "C" NOT NULL,
  date date NOT NULL,
  source text COLLATE "C" NOT NULL,
  a double precision,
  b double precision,
  c double precision,
  d double precision,
  currency text NOT NULL,
  confidence double precision,
  PRIMARY KEY (variant_id, region, date, source)
);
COMMENT ON TABLE estimate_history IS 'What a variant was worth, day by day.';

CREATE TABLE listings (
  variant_id text COLLATE "C" NOT NULL,
  region text COLLATE "C" NOT NULL,
  link text COLLATE "C" NOT NULL,
  variant_name text NOT NULL,
  vendor text NOT NULL,
  price double precision,
  currency text NOT NULL,
  date date,
  PRIMARY KEY (variant_id, region, link)
);
COMMENT ON TABLE listings IS 'Offers of variants by vendors.';

-- Accounts, keys, credits, and the audit log (contract 9, 10)

CREATE TABLE accounts (
  id text COLLATE "C" PRIMARY KEY,
  name text NOT NULL,
  credits bigint CHECK (credits >= 0),
  held bigint NOT NULL DEFAULT 0 CHECK (held >= 0),
  created_at timestamptz NOT NULL DEFAULT now(),
  keep_photos boolean NOT NULL DEFAULT false,
  jobs_turn bigint,
  CHECK (held <= credits)
);
COMMENT ON TABLE accounts IS
'credits: the balance, always the sum of the top-ups less the sum of the ledger; null is unlimited
held: the part of it that is reserved
jobs_turn: number of its last turn with a job entry, the highest being the latest; null before its first job';
CREATE INDEX accounts_jobs_turn ON accounts (jobs_turn) WHERE jobs_turn IS NOT NULL;

CREATE TABLE api_keys (
  id text COLLATE "C" PRIMARY KEY,
  account_id text COLLATE "C" NOT NULL REFERENCES accounts,
  name text NOT NULL,
  hash bytea NOT NULL UNIQUE,
  versions text[] NOT NULL,
  scopes text[] NOT NULL,
  test boolean NOT NULL,
  per_second integer,
  per_minute integer,
  concurrency integer,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz,
  revoked_at timestamptz,
  overlap_ends_at timestamptz
);
COMMENT ON TABLE api_keys IS 'Keys, by the hash of their secret: what each may do, how often, and until when.';
COMMENT ON COLUMN api_keys.overlap_ends_at IS 'When a rotated key stops working; null before its first rotation.';

CREATE TABLE test_calls (
  key_id text COLLATE "C" PRIMARY KEY REFERENCES api_keys,
  month text NOT NULL,
  calls integer NOT NULL
);
COMMENT ON TABLE test_calls IS 'Calls of each test key in the month (UTC) of its latest call.';

CREATE TABLE credit_top_ups (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  account_id text COLLATE "C" NOT NULL REFERENCES accounts,
  amount bigint NOT NULL CHECK (amount <> 0),
  added_at timestamptz NOT NULL DEFAULT now(),
  note text
);
COMMENT ON TABLE credit_top_ups IS 'Credits added; negative for a correction by hand.';
CREATE INDEX credit_top_ups_account ON credit_top_ups (account_id);

CREATE TABLE credit_reservations (
  charge_id text COLLATE "C" PRIMARY KEY,
  account_id text COLLATE "C" NOT NULL REFERENCES accounts,
  amount bigint NOT NULL CHECK (amount >= 0),
  expires_at timestamptz NOT NULL
);
COMMENT ON TABLE credit_reservations IS 'Credits reserved by running calls.';
CREATE INDEX credit_reservations_expiry ON credit_reservations (account_id, expires_at);

CREATE TABLE credit_ledger (
  charge_id text COLLATE "C" PRIMARY KEY,
  account_id text COLLATE "C" NOT NULL REFERENCES accounts,
  key_id text COLLATE "C",
  endpoint text NOT NULL,
  request_id text NOT NULL,
  amount bigint NOT NULL,
  booked_at timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE credit_ledger IS
'Charges: their sum is that of every credits_used in an answer. A charge is booked once.';
CREATE INDEX credit_ledger_account ON credit_ledger (account_id, booked_at);

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
'Sums of the charges in credit_ledger by day (UTC), separately for test keys; maintained only by triggers on that table.';

-- The ledger is the source: the sums change in the statement that changes it (contract 9.7).
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

CREATE TRIGGER sum_changed AFTER UPDATE ON credit_ledger REFERENCING OLD TABLE AS unbooked NEW TABLE AS booked
FOR EACH STATEMENT EXECUTE FUNCTION sum_credits_by_day();

CREATE TRIGGER sum_deleted AFTER DELETE ON credit_ledger REFERENCING OLD TABLE AS unbooked
FOR EACH STATEMENT EXECUTE FUNCTION sum_credits_by_day();

CREATE TABLE idempotent_calls (
  account_id text COLLATE "C" NOT NULL REFERENCES accounts,
  key text COLLATE "C" NOT NULL,
  fingerprint bytea NOT NULL,
  charge_id text COLLATE "C" NOT NULL,
  leased_until timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  answer text,
  replayed boolean NOT NULL DEFAULT false,
  PRIMARY KEY (account_id, key)
);
COMMENT ON TABLE idempotent_calls IS
'Calls with an Idempotency-Key.
leased_until: when the call counts as dead, and a repetition may take over
answer: null while the call runs; written together with its charge
replayed: a repetition got the answer; until then answer and charge may be withdrawn, if the caller had disconnected';
CREATE INDEX idempotent_calls_expiry ON idempotent_calls (expires_at);

CREATE TABLE audit_log (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at timestamptz NOT NULL DEFAULT clock_timestamp(),
  actor text NOT NULL,
  action text NOT NULL,
  account_id text COLLATE "C",
  subject text,
  details jsonb NOT NULL,
  completes bigint REFERENCES audit_log
);
COMMENT ON TABLE audit_log IS
'Who did what and when. Append-only, for every role.
completes: the unfinished entry that this one completes with its details';
CREATE INDEX audit_log_account ON audit_log (account_id, id);
CREATE UNIQUE INDEX audit_log_completes ON audit_log (completes) WHERE completes IS NOT NULL;

CREATE FUNCTION audit_log_only_grows() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      RAISE EXCEPTION 'the audit log is only ever added to';
    END $$;

CREATE TRIGGER audit_log_only_grows BEFORE DELETE OR UPDATE OR TRUNCATE ON audit_log
FOR EACH STATEMENT EXECUTE FUNCTION audit_log_only_grows();

-- Images of products, and embedding versions (contract 14). The vectors of a version lie in a table of its own,
-- embeddings_<version id> (image_id, view, embedding halfvec), made with the version and dropped when it is pruned.

CREATE TABLE images (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  address text COLLATE "C" NOT NULL UNIQUE
);
COMMENT ON TABLE images IS 'Images by address, each once.';

CREATE TABLE product_images (
  image_id bigint NOT NULL REFERENCES images,
  product_id text COLLATE "C" NOT NULL REFERENCES products ON DELETE CASCADE,
  PRIMARY KEY (image_id, product_id)
);
COMMENT ON TABLE product_images IS 'Which products an image shows.';
CREATE INDEX product_images_product ON product_images (product_id);

CREATE TABLE embedding_versions (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  model text NOT NULL,
  manifest jsonb NOT NULL,
  state text NOT NULL CHECK (state IN ('building', 'live', 'retired', 'pruned')),
  maintained boolean NOT NULL DEFAULT false,
  evaluation jsonb,
  created_at timestamptz NOT NULL DEFAULT now(),
  built_at timestamptz,
  promoted_at timestamptz,
  previous_calibration jsonb,
  calibrated_at timestamptz,
  adaptation jsonb
);
COMMENT ON TABLE embedding_versions IS
'Embeddings of all images by one model; the vectors of a version are in embeddings_<id>.
state: pruned once that table is dropped
maintained: whether new images are embedded for it
evaluation: its latest evaluation
built_at: when its build was proven complete';
COMMENT ON COLUMN embedding_versions.previous_calibration IS 'Restored by a rollback; NULL once another version is live.';
COMMENT ON COLUMN embedding_versions.adaptation IS 'How its map was fitted; null for the vectors as the model gives them.';
CREATE UNIQUE INDEX embedding_versions_one_live ON embedding_versions (state) WHERE state = 'live';

CREATE TABLE embedding_maps (
  version_id integer PRIMARY KEY REFERENCES embedding_versions ON DELETE CASCADE,
  map bytea NOT NULL,
  products text[] COLLATE "C" NOT NULL
);
COMMENT ON TABLE embedding_maps IS 'The maps of adapted versions (contract 14.20).';
COMMENT ON COLUMN embedding_maps.map IS 'Square, by rows, float32, little-endian.';
COMMENT ON COLUMN embedding_maps.products IS 'Ids of the products that the map was fitted on.';

CREATE TABLE embedding_failures (
  version_id integer NOT NULL REFERENCES embedding_versions ON DELETE CASCADE,
  image_id bigint NOT NULL REFERENCES images ON DELETE CASCADE,
  reason text NOT NULL,
  failed_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (version_id, image_id)
);
COMMENT ON TABLE embedding_failures IS 'Images that could not be embedded under a version, and why.';

CREATE TABLE embedding_readiness (
  worker text NOT NULL,
  version_id integer NOT NULL REFERENCES embedding_versions ON DELETE CASCADE,
  fault text,
  told_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (worker, version_id)
);
COMMENT ON TABLE embedding_readiness IS 'Which workers have loaded the model of a version, or why not.';

-- Predictions, jobs and webhooks (contract 7, 16)

CREATE TABLE predictions (
  id text COLLATE "C" PRIMARY KEY,
  created_at timestamptz NOT NULL,
  request_id text NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  endpoint text NOT NULL,
  version_id integer NOT NULL,
  model text NOT NULL,
  image_digests text[] NOT NULL,
  neighbours jsonb NOT NULL,
  rows jsonb NOT NULL,
  timings jsonb NOT NULL,
  best jsonb,
  feedback jsonb,
  test boolean NOT NULL DEFAULT false
);
COMMENT ON TABLE predictions IS 'Records of identifications, without the photos (contract 7.11).';
COMMENT ON COLUMN predictions.best IS 'The likeliest product, returned or not, with its confidence.';
COMMENT ON COLUMN predictions.feedback IS 'What the photos show, according to the caller.';
CREATE INDEX predictions_account ON predictions (account_id);
CREATE INDEX predictions_created ON predictions (created_at);
CREATE INDEX predictions_feedback ON predictions (model, created_at) WHERE feedback IS NOT NULL;

CREATE TABLE prediction_photos (
  prediction_id text COLLATE "C" NOT NULL REFERENCES predictions ON DELETE CASCADE,
  position smallint NOT NULL,
  jpeg bytea NOT NULL,
  PRIMARY KEY (prediction_id, position)
);
COMMENT ON TABLE prediction_photos IS 'Prepared photos of accounts that keep them, as long as their prediction.';

CREATE TABLE vision_jobs (
  id text COLLATE "C" PRIMARY KEY,
  account_id text COLLATE "C" NOT NULL REFERENCES accounts,
  key_id text COLLATE "C" NOT NULL REFERENCES api_keys,
  created_at timestamptz NOT NULL,
  includes text[] NOT NULL,
  base_url text NOT NULL,
  cancelled boolean NOT NULL DEFAULT false,
  test boolean NOT NULL DEFAULT false
);
COMMENT ON TABLE vision_jobs IS
'Jobs: photos to be identified later.
base_url: base of addresses in the answers, from the call that created the job';
CREATE INDEX vision_jobs_account ON vision_jobs (account_id);
CREATE INDEX vision_jobs_created ON vision_jobs (created_at);

CREATE TABLE vision_job_entries (
  job_id text COLLATE "C" NOT NULL REFERENCES vision_jobs ON DELETE CASCADE,
  position smallint NOT NULL,
  state text NOT NULL CHECK (state IN ('waiting', 'running', 'done', 'failed', 'cancelled')),
  request json,
  tries integer NOT NULL DEFAULT 0,
  due_at timestamptz NOT NULL,
  prediction_id text,
  answer json,
  answer_bytes integer,
  credits_used integer NOT NULL DEFAULT 0,
  account_id text COLLATE "C" NOT NULL,
  PRIMARY KEY (job_id, position)
);
COMMENT ON TABLE vision_job_entries IS
'The entries of jobs, one identification each.
request: with its prepared photos, until it is answered
due_at: when to begin or, once begun, when its process counts as dead
answer: the body that the caller gets';
CREATE INDEX vision_job_entries_due ON vision_job_entries (account_id, position, due_at)
WHERE state IN ('waiting', 'running');

CREATE TABLE webhook_endpoints (
  id text COLLATE "C" PRIMARY KEY,
  account_id text COLLATE "C" NOT NULL REFERENCES accounts,
  url text NOT NULL,
  events text[] NOT NULL,
  credits_below bigint,
  secret text NOT NULL,
  created_at timestamptz NOT NULL,
  due_at timestamptz NOT NULL,
  failures integer NOT NULL DEFAULT 0,
  last_failure text,
  disabled_at timestamptz,
  test boolean NOT NULL DEFAULT false,
  key_id text COLLATE "C" REFERENCES api_keys
);
COMMENT ON TABLE webhook_endpoints IS
'secret: signs messages, so it is not hashed
due_at: nothing is sent before: a message is under way, or the last ones failed
failures: since the last delivered message';
CREATE INDEX webhook_endpoints_account ON webhook_endpoints (account_id);

CREATE TABLE webhook_messages (
  id text COLLATE "C" PRIMARY KEY,
  endpoint_id text COLLATE "C" NOT NULL REFERENCES webhook_endpoints ON DELETE CASCADE,
  type text NOT NULL,
  data json NOT NULL,
  created_at timestamptz NOT NULL,
  tries integer NOT NULL DEFAULT 0,
  due_at timestamptz NOT NULL
);
COMMENT ON TABLE webhook_messages IS 'Undelivered messages, written together with the events that they report.';
CREATE INDEX webhook_messages_endpoint ON webhook_messages (endpoint_id, tries, created_at);

-- Search (contract 4, 5; db/catalog/search/README.md): tables that triggers and snapshots fill from catalog_rows

CREATE TABLE catalog_search (
  id text COLLATE "C" PRIMARY KEY,
  kind text COLLATE "C" NOT NULL,
  category text COLLATE "C" NOT NULL,
  popularity double precision NOT NULL,
  sort_key text COLLATE "C" NOT NULL,
  facets text[] COLLATE "C" NOT NULL,
  words tsvector NOT NULL
);
COMMENT ON TABLE catalog_search IS
'The searched columns of each catalog row, derived from it by triggers. A row of catalog_rows fills a sixth of a page;
totals over many rows would read one page per row.';
-- Ascending popularity has an index of its own, because every order ends with the id ascending (contract 4.13). Every query
-- reads what a GIN index has not yet sorted in: at most 64 kB of it, not 4 MB.
CREATE INDEX catalog_search_facets ON catalog_search USING gin (facets) WITH (gin_pending_list_limit = 64);
CREATE INDEX catalog_search_name ON catalog_search (kind, category, sort_key, id);
CREATE INDEX catalog_search_node_names ON catalog_search (sort_key, popularity DESC, id) WHERE kind <> 'product';
CREATE INDEX catalog_search_node_popular ON catalog_search (popularity DESC, id) WHERE kind <> 'product';
CREATE INDEX catalog_search_node_words ON catalog_search USING gin (words) WHERE kind <> 'product';
CREATE INDEX catalog_search_popular ON catalog_search (kind, category, popularity DESC, id);
CREATE INDEX catalog_search_unpopular ON catalog_search (kind, category, popularity, id);
CREATE INDEX catalog_search_words ON catalog_search USING gin (words) WITH (gin_pending_list_limit = 64);

-- The functions of catalog_rows look up by index, always: a session plans them once, and planned on an empty catalog they
-- would read all rows again for each batch of a first load. They compare transition tables, which have no index, as sets:
-- a join would be quadratic.
CREATE FUNCTION catalog_rows_after_delete() RETURNS trigger
LANGUAGE plpgsql SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
    BEGIN
      DELETE FROM catalog_search s USING old_rows o WHERE s.id = o.id;
      RETURN NULL;
    END $$;

CREATE TRIGGER catalog_rows_delete AFTER DELETE ON catalog_rows REFERENCING OLD TABLE AS old_rows
FOR EACH STATEMENT EXECUTE FUNCTION catalog_rows_after_delete();

CREATE FUNCTION catalog_rows_after_insert() RETURNS trigger
LANGUAGE plpgsql SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
    BEGIN
      INSERT INTO catalog_search (id, kind, category, popularity, sort_key, facets, words) SELECT id, kind, category, popularity, sort_key, facets, words FROM new_rows;
      RETURN NULL;
    END $$;

CREATE TRIGGER catalog_rows_insert AFTER INSERT ON catalog_rows REFERENCING NEW TABLE AS new_rows
FOR EACH STATEMENT EXECUTE FUNCTION catalog_rows_after_insert();

CREATE FUNCTION catalog_rows_after_truncate() RETURNS trigger
LANGUAGE plpgsql SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
    BEGIN
      TRUNCATE catalog_search;
      RETURN NULL;
    END $$;

CREATE TRIGGER catalog_rows_truncate AFTER TRUNCATE ON catalog_rows
FOR EACH STATEMENT EXECUTE FUNCTION catalog_rows_after_truncate();

CREATE FUNCTION catalog_rows_after_update() RETURNS trigger
LANGUAGE plpgsql SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
    BEGIN
      IF NOT EXISTS (SELECT id, kind, category, popularity, sort_key, facets, words FROM new_rows EXCEPT SELECT id, kind, category, popularity, sort_key, facets, words FROM old_rows) AND NOT EXISTS (SELECT id, kind, category, popularity, sort_key, facets, words FROM old_rows EXCEPT SELECT id, kind, category, popularity, sort_key, facets, words FROM new_rows) THEN RETURN NULL; END IF;
      DELETE FROM catalog_search s USING (SELECT id FROM old_rows EXCEPT SELECT id FROM new_rows) o WHERE s.id = o.id;
      INSERT INTO catalog_search (id, kind, category, popularity, sort_key, facets, words) SELECT id, kind, category, popularity, sort_key, facets, words FROM new_rows EXCEPT SELECT id, kind, category, popularity, sort_key, facets, words FROM old_rows
      ON CONFLICT (id) DO UPDATE SET kind = excluded.kind, category = excluded.category, popularity = excluded.popularity, sort_key = excluded.sort_key, facets = excluded.facets, words = excluded.words;
      RETURN NULL;
    END $$;

CREATE TRIGGER catalog_rows_update AFTER UPDATE ON catalog_rows REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
FOR EACH STATEMENT EXECUTE FUNCTION catalog_rows_after_update();

CREATE TABLE search_words (
  word text COLLATE "C" PRIMARY KEY,
  deletions text[] COLLATE "C" NOT NULL
);
COMMENT ON TABLE search_words IS
'The vocabulary of the catalog, with the deletion neighbourhood of each word: the word less some letters. Two words
within n edits of each other share a text that lacks at most n letters of each.';
CREATE INDEX search_words_deletions ON search_words USING gin (deletions);

CREATE FUNCTION words_with_deletion(deletion text, words_max integer) RETURNS SETOF text
LANGUAGE plpgsql STABLE STRICT ROWS 20 SET enable_seqscan = off AS $$
  BEGIN
    -- By the index, always: planned for a limit, the look-up would read the table.
    RETURN QUERY SELECT word FROM search_words WHERE deletions @> ARRAY[deletion] LIMIT words_max;
  END $$;

CREATE TABLE synonyms (
  id text COLLATE "C" PRIMARY KEY,
  phrases text[] COLLATE "C" NOT NULL,
  readings text[] COLLATE "C" NOT NULL
);
COMMENT ON TABLE synonyms IS
'Synonyms, folded: in a query each of the phrases is also read as each of the readings.';
CREATE INDEX synonyms_phrases ON synonyms USING gin (phrases);

CREATE TABLE search_misses (
  day date NOT NULL,
  query text COLLATE "C" NOT NULL,
  misses integer NOT NULL,
  PRIMARY KEY (day, query)
);
COMMENT ON TABLE search_misses IS
'Folded texts of queries that found nothing, the most frequent of each day, without anything about the caller.';

CREATE TABLE catalog_search_changes (
  number bigint GENERATED ALWAYS AS IDENTITY,
  id text COLLATE "C",
  transaction xid8 NOT NULL DEFAULT pg_current_xact_id()
);
COMMENT ON TABLE catalog_search_changes IS
'A row for each change of a product in catalog_search, and one for each statement that changes anything else that
queries are answered from. Writers do not wait for each other here. The next snapshot deletes the rows that it has seen.
number: ascending for the changes of one product
id: empty for other rows and synonyms, NULL for all products at once
transaction: shows readers which rows are new to them';
CREATE INDEX catalog_search_changes_transaction ON catalog_search_changes (transaction);

-- By the index, however small the table was when the plan was made.
CREATE FUNCTION catalog_changes_since(seen pg_snapshot, lines_max integer) RETURNS TABLE(id text, number bigint)
LANGUAGE plpgsql STABLE ROWS 10 SET enable_seqscan = off AS $$
    BEGIN
      RETURN QUERY SELECT c.id, c.number FROM catalog_search_changes c
        WHERE c.transaction >= coalesce(pg_snapshot_xmin(seen), '0')
          AND (seen IS NULL OR NOT pg_visible_in_snapshot(c.transaction, seen))
        LIMIT lines_max;
    END $$;

CREATE FUNCTION catalog_search_after_delete() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        INSERT INTO catalog_search_changes (id)
        SELECT DISTINCT id FROM (SELECT CASE WHEN kind = 'product' THEN id ELSE '' END FROM before) AS changed (id);
        RETURN NULL;
      END $$;

CREATE TRIGGER catalog_search_delete AFTER DELETE ON catalog_search REFERENCING OLD TABLE AS before
FOR EACH STATEMENT EXECUTE FUNCTION catalog_search_after_delete();

CREATE FUNCTION catalog_search_after_insert() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        INSERT INTO catalog_search_changes (id)
        SELECT DISTINCT id FROM (SELECT CASE WHEN kind = 'product' THEN id ELSE '' END FROM after) AS changed (id);
        RETURN NULL;
      END $$;

CREATE TRIGGER catalog_search_insert AFTER INSERT ON catalog_search REFERENCING NEW TABLE AS after
FOR EACH STATEMENT EXECUTE FUNCTION catalog_search_after_insert();

CREATE FUNCTION catalog_search_after_truncate() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        INSERT INTO catalog_search_changes (id) SELECT NULL;
        RETURN NULL;
      END $$;

CREATE TRIGGER catalog_search_truncate AFTER TRUNCATE ON catalog_search
FOR EACH STATEMENT EXECUTE FUNCTION catalog_search_after_truncate();

CREATE FUNCTION catalog_search_after_update() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        INSERT INTO catalog_search_changes (id)
        SELECT DISTINCT id FROM (SELECT CASE WHEN kind = 'product' THEN id ELSE '' END FROM before UNION ALL SELECT CASE WHEN kind = 'product' THEN id ELSE '' END FROM after) AS changed (id);
        RETURN NULL;
      END $$;

CREATE TRIGGER catalog_search_update AFTER UPDATE ON catalog_search REFERENCING OLD TABLE AS before NEW TABLE AS after
FOR EACH STATEMENT EXECUTE FUNCTION catalog_search_after_update();

CREATE FUNCTION synonyms_changed() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      INSERT INTO catalog_search_changes (id) VALUES ('');
      RETURN NULL;
    END $$;

CREATE TRIGGER synonyms_changed AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON synonyms
FOR EACH STATEMENT EXECUTE FUNCTION synonyms_changed();

CREATE TABLE search_snapshots (
  number integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  products integer NOT NULL
);
COMMENT ON TABLE search_snapshots IS
'Snapshots of the products, made from a state of catalog_search (db/catalog/search/README.md).';

CREATE TABLE search_snapshot_columns (
  snapshot integer,
  name text,
  chunk integer,
  bytes bytea NOT NULL,
  PRIMARY KEY (snapshot, name, chunk)
);
COMMENT ON TABLE search_snapshot_columns IS 'Columns of all products by ordinal, which is by descending popularity, then id.
name: id and sort_key, texts that end with a zero byte, and popularity, eight bytes each, as many ordinals to a chunk as in
  a bitmap; by_name, the ordinals by sort_key, then id, four bytes each, in one chunk';

CREATE TABLE search_snapshot_bitmaps (
  snapshot integer NOT NULL,
  term text COLLATE "C" NOT NULL,
  chunk integer NOT NULL,
  bits bit(32768) NOT NULL,
  PRIMARY KEY (snapshot, term, chunk)
);
COMMENT ON TABLE search_snapshot_bitmaps IS 'For each frequent index term the ordinals of its products, 32768 to a chunk.
term: a facet, a word, @ and a category, or a prefix of up to three letters and * for all longer words';

CREATE TABLE search_snapshot_facets (
  snapshot integer NOT NULL,
  field text COLLATE "C" NOT NULL,
  chunk integer NOT NULL,
  lists jsonb NOT NULL,
  codes bytea NOT NULL,
  PRIMARY KEY (snapshot, field, chunk)
);
COMMENT ON TABLE search_snapshot_facets IS
'Values of a facet field by ordinal, as many to a chunk as in a bitmap; empty chunks have no row.
lists: the distinct lists of ids in the chunk, the empty one first
codes: for each ordinal the position of its list among them, two bytes each';

-- Import (contract 13)

CREATE TABLE catalog_import_lock (
  only_one boolean DEFAULT true PRIMARY KEY CHECK (only_one),
  holder text NOT NULL,
  host text NOT NULL,
  process_id integer NOT NULL,
  started_at timestamptz NOT NULL DEFAULT now(),
  heartbeat_at timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE catalog_import_lock IS 'At most one import at a time; a holder without a heartbeat has died.';

CREATE TABLE catalog_stale_rows (
  id text COLLATE "C" PRIMARY KEY
);
COMMENT ON TABLE catalog_stale_rows IS
'Catalog rows to be derived again, because something that they name has changed. Written in the transaction of
that change, so that nothing is lost when an import is killed.';

CREATE TABLE catalog_stored_images (
  digest text COLLATE "C" PRIMARY KEY,
  address text NOT NULL,
  thumbnail text
);
COMMENT ON TABLE catalog_stored_images IS 'Addresses of stored pictures and their thumbnails, by content.';

CREATE UNLOGGED TABLE catalog_import_preview (
  id text COLLATE "C" PRIMARY KEY,
  kind text NOT NULL,
  category text,
  product_id text COLLATE "C",
  deleted boolean NOT NULL DEFAULT false
);
COMMENT ON TABLE catalog_import_preview IS
'Changes that a dry run would have made so far, for the checks of later lines.';
CREATE INDEX catalog_import_preview_product ON catalog_import_preview (product_id);

CREATE TABLE deferred_indexes (
  name text PRIMARY KEY,
  definition text NOT NULL
);
COMMENT ON TABLE deferred_indexes IS
'Indexes dropped by a large import, to be built at its end. A row is added when its index is dropped, and deleted when
it is built, so that the next import knows what a killed one left.';

-- Processes, and what they do from time to time (contract 14)

CREATE TABLE service_processes (
  id text COLLATE "C" PRIMARY KEY,
  name text NOT NULL,
  role text NOT NULL,
  traits jsonb NOT NULL,
  seen_at timestamptz NOT NULL
);
COMMENT ON TABLE service_processes IS
'Running processes, and what all of them must agree on; a process whose row is not renewed has died.
traits: release, signing keys and image store; digests where they would show a secret
seen_at: by the clock of the database';

CREATE TABLE housekeeping (
  task text PRIMARY KEY,
  begun_at timestamptz NOT NULL
);
COMMENT ON TABLE housekeeping IS 'When each task was last begun by any process.';

CREATE TABLE unowned_images (
  address text COLLATE "C" PRIMARY KEY,
  since timestamptz NOT NULL
);
COMMENT ON TABLE unowned_images IS 'Stored images that no row of the catalog names, and since when.';

CREATE TABLE product_feeds (
  feed text NOT NULL,
  product_id text COLLATE "C" NOT NULL,
  run uuid NOT NULL,
  PRIMARY KEY (feed, product_id)
);
CREATE INDEX product_feeds_product ON product_feeds (product_id);
COMMENT ON TABLE product_feeds IS 'Which feeds a product came from.
run: the import that last contained it';
