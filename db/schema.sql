-- Written by `npm run db:schema` from the migrations; a test holds it to them.

CREATE EXTENSION vector;

-- Categories as imported.
CREATE TABLE categories (
  id text COLLATE "C" NOT NULL,
  name text NOT NULL,
  hierarchy text[] NOT NULL,
  name_fields text[] NOT NULL,
  popularity double precision NOT NULL DEFAULT 0,
  images text[] NOT NULL DEFAULT '{}'::text[],
  thumbnails text[] NOT NULL DEFAULT '{}'::text[],
  updated_at timestamp with time zone NOT NULL DEFAULT now(),
  PRIMARY KEY (id)
);

-- Tags as imported, with the categories that offer them.
CREATE TABLE tags (
  id text COLLATE "C" NOT NULL,
  "group" text COLLATE "C" NOT NULL,
  name text NOT NULL,
  display_order integer NOT NULL DEFAULT 0,
  categories text[] NOT NULL DEFAULT '{}'::text[],
  PRIMARY KEY (id)
);

-- Brands, models, styles and the other levels of the taxonomy, as imported.
-- category: the id of a category, or several separated by commas
CREATE TABLE entities (
  id text COLLATE "C" NOT NULL,
  kind text NOT NULL,
  name text NOT NULL,
  category text COLLATE "C" NOT NULL,
  parents jsonb NOT NULL DEFAULT '{}'::jsonb,
  tags text[] NOT NULL DEFAULT '{}'::text[],
  keywords text[] NOT NULL DEFAULT '{}'::text[],
  popularity double precision NOT NULL DEFAULT 0,
  images text[] NOT NULL DEFAULT '{}'::text[],
  thumbnails text[] NOT NULL DEFAULT '{}'::text[],
  deleted boolean NOT NULL DEFAULT false,
  updated_at timestamp with time zone NOT NULL DEFAULT now(),
  PRIMARY KEY (id)
);
CREATE INDEX entities_category_kind ON entities USING btree (category, kind);
CREATE INDEX entities_styles_by_model ON entities USING btree ((parents ->> 'model'::text)) WHERE kind = 'style'::text;

-- Products as imported.
-- data: a JSON object of the shop, as text so that it is returned unchanged
CREATE TABLE products (
  id text COLLATE "C" NOT NULL,
  category text COLLATE "C" NOT NULL,
  attributes jsonb NOT NULL,
  tags text[] NOT NULL DEFAULT '{}'::text[],
  keywords text[] NOT NULL DEFAULT '{}'::text[],
  popularity double precision NOT NULL DEFAULT 0,
  images text[] NOT NULL DEFAULT '{}'::text[],
  thumbnails text[] NOT NULL DEFAULT '{}'::text[],
  deleted boolean NOT NULL DEFAULT false,
  updated_at timestamp with time zone NOT NULL DEFAULT now(),
  title text,
  sku text,
  url text,
  data text,
  PRIMARY KEY (id),
  FOREIGN KEY (category) REFERENCES categories(id)
);

-- Variants of products, as imported.
-- product_id: the last product that named the variant; null while none does
-- away_since: since when no product names it; its prices are kept meanwhile
CREATE TABLE variants (
  id text COLLATE "C" NOT NULL,
  product_id text COLLATE "C",
  "position" integer NOT NULL,
  fields jsonb NOT NULL DEFAULT '[]'::jsonb,
  popularity double precision NOT NULL DEFAULT 0,
  images text[] NOT NULL DEFAULT '{}'::text[],
  thumbnails text[] NOT NULL DEFAULT '{}'::text[],
  away_since timestamp with time zone,
  PRIMARY KEY (id),
  CHECK ((product_id IS NULL) = (away_since IS NOT NULL))
);
CREATE INDEX variants_away ON variants USING btree (away_since) WHERE away_since IS NOT NULL;
CREATE INDEX variants_product ON variants USING btree (product_id, "position");

-- The rows of answers: one per live product, taxonomy entity and category (contract 1.2, 4.1).
-- facets: <field>:<id> of every attribute and tags:<id> of every tag, inherited ones included; each once
-- words: folded words of name, taxonomy names, variant fields and keywords (contract 5.2)
-- sort_key: the name in the order of contract 4.12, by code point
-- max_estimate: the best market estimate below a taxonomy entity or category (contract 2.3); null on products
CREATE TABLE catalog_rows (
  id text COLLATE "C" NOT NULL,
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
  updated_at timestamp with time zone NOT NULL DEFAULT now(),
  PRIMARY KEY (id)
) WITH (fillfactor=90);

-- Counts writes of categories, tags and entities.
CREATE TABLE catalog_taxonomy_version (
  only_one boolean NOT NULL DEFAULT true,
  version bigint NOT NULL,
  PRIMARY KEY (only_one),
  CHECK (only_one)
);

-- What a variant is worth now, by grade of condition.
CREATE TABLE market_estimates (
  variant_id text COLLATE "C" NOT NULL,
  source text COLLATE "C" NOT NULL,
  region text COLLATE "C" NOT NULL,
  a double precision,
  b double precision,
  c double precision,
  d double precision,
  currency text NOT NULL,
  estimated_at timestamp with time zone NOT NULL,
  confidence double precision,
  PRIMARY KEY (variant_id, source, region)
);

-- What a variant was worth, day by day.
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

-- Offers of variants by vendors.
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

-- credits: the balance, always the sum of the top-ups less the sum of the ledger; null is unlimited
-- held: the part of it that is reserved
-- jobs_turn: number of its last turn with a job entry, the highest being the latest; null before its first job
CREATE TABLE accounts (
  id text COLLATE "C" NOT NULL,
  name text NOT NULL,
  credits bigint,
  held bigint NOT NULL DEFAULT 0,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  keep_photos boolean NOT NULL DEFAULT false,
  jobs_turn bigint,
  PRIMARY KEY (id),
  CHECK (held <= credits),
  CHECK (credits >= 0),
  CHECK (held >= 0)
);
CREATE INDEX accounts_jobs_turn ON accounts USING btree (jobs_turn) WHERE jobs_turn IS NOT NULL;

-- Keys, by the hash of their secret: what each may do, how often, and until when.
CREATE TABLE api_keys (
  id text COLLATE "C" NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  name text NOT NULL,
  hash bytea NOT NULL,
  versions text[] NOT NULL,
  scopes text[] NOT NULL,
  test boolean NOT NULL,
  per_second integer,
  per_minute integer,
  concurrency integer,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  expires_at timestamp with time zone,
  revoked_at timestamp with time zone,
  overlap_ends_at timestamp with time zone,
  PRIMARY KEY (id),
  UNIQUE (hash),
  FOREIGN KEY (account_id) REFERENCES accounts(id)
);

-- Calls of each test key in the month (UTC) of its latest call.
CREATE TABLE test_calls (
  key_id text COLLATE "C" NOT NULL,
  month text NOT NULL,
  calls integer NOT NULL,
  PRIMARY KEY (key_id),
  FOREIGN KEY (key_id) REFERENCES api_keys(id)
);

-- Credits added; negative for a correction by hand.
CREATE TABLE credit_top_ups (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  account_id text COLLATE "C" NOT NULL,
  amount bigint NOT NULL,
  added_at timestamp with time zone NOT NULL DEFAULT now(),
  note text,
  PRIMARY KEY (id),
  FOREIGN KEY (account_id) REFERENCES accounts(id),
  CHECK (amount <> 0)
);
CREATE INDEX credit_top_ups_account ON credit_top_ups USING btree (account_id);

-- Credits reserved by running calls.
CREATE TABLE credit_reservations (
  charge_id text COLLATE "C" NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  amount bigint NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  PRIMARY KEY (charge_id),
  FOREIGN KEY (account_id) REFERENCES accounts(id),
  CHECK (amount >= 0)
);
CREATE INDEX credit_reservations_expiry ON credit_reservations USING btree (account_id, expires_at);

-- Charges: their sum is that of every credits_used in an answer. A charge is booked once.
CREATE TABLE credit_ledger (
  charge_id text COLLATE "C" NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  key_id text COLLATE "C",
  endpoint text NOT NULL,
  request_id text NOT NULL,
  amount bigint NOT NULL,
  booked_at timestamp with time zone NOT NULL DEFAULT now(),
  PRIMARY KEY (charge_id),
  FOREIGN KEY (account_id) REFERENCES accounts(id)
);
CREATE INDEX credit_ledger_account ON credit_ledger USING btree (account_id, booked_at);

-- Sums of the charges in credit_ledger by day (UTC), separately for test keys; maintained only by triggers on that table.
CREATE TABLE credits_by_day (
  account_id text COLLATE "C" NOT NULL,
  day date NOT NULL,
  endpoint text COLLATE "C" NOT NULL,
  test boolean NOT NULL,
  calls bigint NOT NULL,
  credits bigint NOT NULL,
  PRIMARY KEY (account_id, day, endpoint, test),
  FOREIGN KEY (account_id) REFERENCES accounts(id)
);

-- Calls with an Idempotency-Key.
-- leased_until: when the call counts as dead, and a repetition may take over
-- answer: null while the call runs; written together with its charge
-- replayed: a repetition got the answer; until then answer and charge may be withdrawn, if the caller had disconnected
CREATE TABLE idempotent_calls (
  account_id text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  fingerprint bytea NOT NULL,
  charge_id text COLLATE "C" NOT NULL,
  leased_until timestamp with time zone NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  answer text,
  replayed boolean NOT NULL DEFAULT false,
  PRIMARY KEY (account_id, key),
  FOREIGN KEY (account_id) REFERENCES accounts(id)
);
CREATE INDEX idempotent_calls_expiry ON idempotent_calls USING btree (expires_at);

-- Who did what and when. Append-only, for every role.
-- completes: the unfinished entry that this one completes with its details
CREATE TABLE audit_log (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
  actor text NOT NULL,
  action text NOT NULL,
  account_id text COLLATE "C",
  subject text,
  details jsonb NOT NULL,
  completes bigint,
  PRIMARY KEY (id),
  FOREIGN KEY (completes) REFERENCES audit_log(id)
);
CREATE INDEX audit_log_account ON audit_log USING btree (account_id, id);
CREATE UNIQUE INDEX audit_log_completes ON audit_log USING btree (completes) WHERE completes IS NOT NULL;

-- Images by address, each once.
CREATE TABLE images (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  address text COLLATE "C" NOT NULL,
  PRIMARY KEY (id),
  UNIQUE (address)
);

-- Which products an image shows.
CREATE TABLE product_images (
  image_id bigint NOT NULL,
  product_id text COLLATE "C" NOT NULL,
  PRIMARY KEY (image_id, product_id),
  FOREIGN KEY (image_id) REFERENCES images(id),
  FOREIGN KEY (product_id) REFERENCES products(id) ON DELETE CASCADE
);
CREATE INDEX product_images_product ON product_images USING btree (product_id);

-- Embeddings of all images by one model; the vectors of a version are in embeddings_<id>.
-- state: pruned once that table is dropped
-- maintained: whether new images are embedded for it
-- evaluation: its latest evaluation
-- built_at: when its build was proven complete
CREATE TABLE embedding_versions (
  id integer NOT NULL GENERATED ALWAYS AS IDENTITY,
  model text NOT NULL,
  manifest jsonb NOT NULL,
  state text NOT NULL,
  maintained boolean NOT NULL DEFAULT false,
  evaluation jsonb,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  built_at timestamp with time zone,
  promoted_at timestamp with time zone,
  previous_calibration jsonb,
  calibrated_at timestamp with time zone,
  adaptation jsonb,
  PRIMARY KEY (id),
  CHECK (state = ANY (ARRAY['building'::text, 'live'::text, 'retired'::text, 'pruned'::text]))
);
CREATE UNIQUE INDEX embedding_versions_one_live ON embedding_versions USING btree (state) WHERE state = 'live'::text;

-- The maps of adapted versions (contract 14.20).
CREATE TABLE embedding_maps (
  version_id integer NOT NULL,
  map bytea NOT NULL,
  products text[] COLLATE "C" NOT NULL,
  PRIMARY KEY (version_id),
  FOREIGN KEY (version_id) REFERENCES embedding_versions(id) ON DELETE CASCADE
);

-- Images that could not be embedded under a version, and why.
CREATE TABLE embedding_failures (
  version_id integer NOT NULL,
  image_id bigint NOT NULL,
  reason text NOT NULL,
  failed_at timestamp with time zone NOT NULL DEFAULT now(),
  PRIMARY KEY (version_id, image_id),
  FOREIGN KEY (image_id) REFERENCES images(id) ON DELETE CASCADE,
  FOREIGN KEY (version_id) REFERENCES embedding_versions(id) ON DELETE CASCADE
);

-- Which workers have loaded the model of a version, or why not.
CREATE TABLE embedding_readiness (
  worker text NOT NULL,
  version_id integer NOT NULL,
  fault text,
  told_at timestamp with time zone NOT NULL DEFAULT now(),
  PRIMARY KEY (worker, version_id),
  FOREIGN KEY (version_id) REFERENCES embedding_versions(id) ON DELETE CASCADE
);

-- Records of identifications, without the photos (contract 7.11).
CREATE TABLE predictions (
  id text COLLATE "C" NOT NULL,
  created_at timestamp with time zone NOT NULL,
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
  test boolean NOT NULL DEFAULT false,
  PRIMARY KEY (id)
);
CREATE INDEX predictions_account ON predictions USING btree (account_id);
CREATE INDEX predictions_created ON predictions USING btree (created_at);
CREATE INDEX predictions_feedback ON predictions USING btree (model, created_at) WHERE feedback IS NOT NULL;

-- Prepared photos of accounts that keep them, as long as their prediction.
CREATE TABLE prediction_photos (
  prediction_id text COLLATE "C" NOT NULL,
  "position" smallint NOT NULL,
  jpeg bytea NOT NULL,
  PRIMARY KEY (prediction_id, "position"),
  FOREIGN KEY (prediction_id) REFERENCES predictions(id) ON DELETE CASCADE
);

-- Jobs: photos to be identified later.
-- base_url: base of addresses in the answers, from the call that created the job
CREATE TABLE vision_jobs (
  id text COLLATE "C" NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  key_id text COLLATE "C" NOT NULL,
  created_at timestamp with time zone NOT NULL,
  includes text[] NOT NULL,
  base_url text NOT NULL,
  cancelled boolean NOT NULL DEFAULT false,
  test boolean NOT NULL DEFAULT false,
  PRIMARY KEY (id),
  FOREIGN KEY (account_id) REFERENCES accounts(id),
  FOREIGN KEY (key_id) REFERENCES api_keys(id)
);
CREATE INDEX vision_jobs_account ON vision_jobs USING btree (account_id);
CREATE INDEX vision_jobs_created ON vision_jobs USING btree (created_at);

-- The entries of jobs, one identification each.
-- request: with its prepared photos, until it is answered
-- due_at: when to begin or, once begun, when its process counts as dead
-- answer: the body that the caller gets
CREATE TABLE vision_job_entries (
  job_id text COLLATE "C" NOT NULL,
  "position" smallint NOT NULL,
  state text NOT NULL,
  request json,
  tries integer NOT NULL DEFAULT 0,
  due_at timestamp with time zone NOT NULL,
  prediction_id text,
  answer json,
  answer_bytes integer,
  credits_used integer NOT NULL DEFAULT 0,
  account_id text COLLATE "C" NOT NULL,
  PRIMARY KEY (job_id, "position"),
  FOREIGN KEY (job_id) REFERENCES vision_jobs(id) ON DELETE CASCADE,
  CHECK (state = ANY (ARRAY['waiting'::text, 'running'::text, 'done'::text, 'failed'::text, 'cancelled'::text]))
);
CREATE INDEX vision_job_entries_due ON vision_job_entries USING btree (account_id, "position", due_at) WHERE state = ANY (ARRAY['waiting'::text, 'running'::text]);

-- secret: signs messages, so it is not hashed
-- due_at: nothing is sent before: a message is under way, or the last ones failed
-- failures: since the last delivered message
CREATE TABLE webhook_endpoints (
  id text COLLATE "C" NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  url text NOT NULL,
  events text[] NOT NULL,
  credits_below bigint,
  secret text NOT NULL,
  created_at timestamp with time zone NOT NULL,
  due_at timestamp with time zone NOT NULL,
  failures integer NOT NULL DEFAULT 0,
  last_failure text,
  disabled_at timestamp with time zone,
  test boolean NOT NULL DEFAULT false,
  key_id text COLLATE "C",
  PRIMARY KEY (id),
  FOREIGN KEY (account_id) REFERENCES accounts(id),
  FOREIGN KEY (key_id) REFERENCES api_keys(id)
);
CREATE INDEX webhook_endpoints_account ON webhook_endpoints USING btree (account_id);

-- Undelivered messages, written together with the events that they report.
CREATE TABLE webhook_messages (
  id text COLLATE "C" NOT NULL,
  endpoint_id text COLLATE "C" NOT NULL,
  type text NOT NULL,
  data json NOT NULL,
  created_at timestamp with time zone NOT NULL,
  tries integer NOT NULL DEFAULT 0,
  due_at timestamp with time zone NOT NULL,
  PRIMARY KEY (id),
  FOREIGN KEY (endpoint_id) REFERENCES webhook_endpoints(id) ON DELETE CASCADE
);
CREATE INDEX webhook_messages_endpoint ON webhook_messages USING btree (endpoint_id, tries, created_at);

-- The searched columns of each catalog row, derived from it by triggers. A row of catalog_rows fills a sixth of a page;
-- totals over many rows would read one page per row.
CREATE TABLE catalog_search (
  id text COLLATE "C" NOT NULL,
  kind text COLLATE "C" NOT NULL,
  category text COLLATE "C" NOT NULL,
  popularity double precision NOT NULL,
  sort_key text COLLATE "C" NOT NULL,
  facets text[] COLLATE "C" NOT NULL,
  words tsvector NOT NULL,
  PRIMARY KEY (id)
);
CREATE INDEX catalog_search_facets ON catalog_search USING gin (facets) WITH (gin_pending_list_limit='64');
CREATE INDEX catalog_search_name ON catalog_search USING btree (kind, category, sort_key, id);
CREATE INDEX catalog_search_node_facets ON catalog_search USING gin (facets) WITH (gin_pending_list_limit='64') WHERE kind <> 'product'::text;
CREATE INDEX catalog_search_node_names ON catalog_search USING btree (sort_key, popularity DESC, id) WHERE kind <> 'product'::text;
CREATE INDEX catalog_search_node_popular ON catalog_search USING btree (popularity DESC, id) WHERE kind <> 'product'::text;
CREATE INDEX catalog_search_node_words ON catalog_search USING gin (words) WITH (gin_pending_list_limit='64') WHERE kind <> 'product'::text;
CREATE INDEX catalog_search_popular ON catalog_search USING btree (kind, category, popularity DESC, id);
CREATE INDEX catalog_search_unpopular ON catalog_search USING btree (kind, category, popularity, id);
CREATE INDEX catalog_search_words ON catalog_search USING gin (words) WITH (gin_pending_list_limit='64');

-- The vocabulary of the catalog, with the deletion neighbourhood of each word: the word less some letters. Two words
-- within n edits of each other share a text that lacks at most n letters of each.
CREATE TABLE search_words (
  word text COLLATE "C" NOT NULL,
  deletions text[] COLLATE "C" NOT NULL,
  PRIMARY KEY (word)
);
CREATE INDEX search_words_deletions ON search_words USING gin (deletions) WITH (gin_pending_list_limit='64');

-- Synonyms, folded: in a query each of the phrases is also read as each of the readings.
CREATE TABLE synonyms (
  id text COLLATE "C" NOT NULL,
  phrases text[] COLLATE "C" NOT NULL,
  readings text[] COLLATE "C" NOT NULL,
  PRIMARY KEY (id)
);
CREATE INDEX synonyms_phrases ON synonyms USING gin (phrases) WITH (gin_pending_list_limit='64');

-- Folded texts of queries that found nothing, the most frequent of each day, without anything about the caller.
CREATE TABLE search_misses (
  day date NOT NULL,
  query text COLLATE "C" NOT NULL,
  misses integer NOT NULL,
  PRIMARY KEY (day, query)
);

-- A row for each change of a product in catalog_search, and one for each statement that changes anything else that
-- queries are answered from. Writers do not wait for each other here. The next snapshot deletes the rows that it has seen.
-- number: ascending for the changes of one product
-- id: empty for other rows and synonyms, NULL for all products at once
-- transaction: shows readers which rows are new to them
CREATE TABLE catalog_search_changes (
  number bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  id text COLLATE "C",
  transaction xid8 NOT NULL DEFAULT pg_current_xact_id()
);
CREATE INDEX catalog_search_changes_transaction ON catalog_search_changes USING btree (transaction);

-- Snapshots of the products, made from a state of catalog_search (db/catalog/search/README.md).
CREATE TABLE search_snapshots (
  number integer NOT NULL GENERATED ALWAYS AS IDENTITY,
  products integer NOT NULL,
  PRIMARY KEY (number)
);

-- Columns of all products by ordinal, which is by descending popularity, then id.
-- name: id and sort_key, texts that end with a zero byte, and popularity, eight bytes each, as many ordinals to a chunk as in
--   a bitmap; by_name, the ordinals by sort_key, then id, four bytes each, in one chunk
CREATE TABLE search_snapshot_columns (
  snapshot integer NOT NULL,
  name text NOT NULL,
  chunk integer NOT NULL,
  bytes bytea NOT NULL,
  PRIMARY KEY (snapshot, name, chunk)
);

-- For each frequent index term the ordinals of its products, 32768 to a chunk.
-- term: a facet, a word, @ and a category, or a prefix of up to three letters and * for all longer words
CREATE TABLE search_snapshot_bitmaps (
  snapshot integer NOT NULL,
  term text COLLATE "C" NOT NULL,
  chunk integer NOT NULL,
  bits bit(32768) NOT NULL,
  PRIMARY KEY (snapshot, term, chunk)
);

-- Values of a facet field by ordinal, as many to a chunk as in a bitmap; empty chunks have no row.
-- lists: the distinct lists of ids in the chunk, the empty one first
-- codes: for each ordinal the position of its list among them, two bytes each
CREATE TABLE search_snapshot_facets (
  snapshot integer NOT NULL,
  field text COLLATE "C" NOT NULL,
  chunk integer NOT NULL,
  lists jsonb NOT NULL,
  codes bytea NOT NULL,
  PRIMARY KEY (snapshot, field, chunk)
);

-- At most one import at a time; a holder without a heartbeat has died.
CREATE TABLE catalog_import_lock (
  only_one boolean NOT NULL DEFAULT true,
  holder text NOT NULL,
  host text NOT NULL,
  process_id integer NOT NULL,
  started_at timestamp with time zone NOT NULL DEFAULT now(),
  heartbeat_at timestamp with time zone NOT NULL DEFAULT now(),
  PRIMARY KEY (only_one),
  CHECK (only_one)
);

-- Catalog rows to be derived again, because something that they name has changed. Written in the transaction of
-- that change, so that nothing is lost when an import is killed.
CREATE TABLE catalog_stale_rows (
  id text COLLATE "C" NOT NULL,
  PRIMARY KEY (id)
);

-- Addresses of stored pictures and their thumbnails, by content.
CREATE TABLE catalog_stored_images (
  digest text COLLATE "C" NOT NULL,
  address text NOT NULL,
  thumbnail text,
  PRIMARY KEY (digest)
);

-- Changes that a dry run would have made so far, for the checks of later lines.
CREATE UNLOGGED TABLE catalog_import_preview (
  id text COLLATE "C" NOT NULL,
  kind text NOT NULL,
  category text,
  product_id text COLLATE "C",
  deleted boolean NOT NULL DEFAULT false,
  PRIMARY KEY (id)
);
CREATE INDEX catalog_import_preview_product ON catalog_import_preview USING btree (product_id);

-- Indexes dropped by a large import, to be built at its end. A row is added when its index is dropped, and deleted when
-- it is built, so that the next import knows what a killed one left.
CREATE TABLE deferred_indexes (
  name text NOT NULL,
  definition text NOT NULL,
  PRIMARY KEY (name)
);

-- Running processes, and what all of them must agree on; a process whose row is not renewed has died.
-- traits: release, signing keys and image store; digests where they would show a secret
-- models: for a process that embeds, whether each version is ready, or why not; else null
-- seen_at: by the clock of the database
CREATE TABLE service_processes (
  id text COLLATE "C" NOT NULL,
  name text NOT NULL,
  role text NOT NULL,
  traits jsonb NOT NULL,
  seen_at timestamp with time zone NOT NULL,
  models jsonb,
  PRIMARY KEY (id)
);

-- When each task was last begun by any process.
CREATE TABLE housekeeping (
  task text NOT NULL,
  begun_at timestamp with time zone NOT NULL,
  PRIMARY KEY (task)
);

-- Stored images that no row of the catalog names, and since when.
CREATE TABLE unowned_images (
  address text COLLATE "C" NOT NULL,
  since timestamp with time zone NOT NULL,
  PRIMARY KEY (address)
);

-- Which feeds a product came from.
-- run: the import that last contained it
CREATE TABLE product_feeds (
  feed text NOT NULL,
  product_id text COLLATE "C" NOT NULL,
  run uuid NOT NULL,
  PRIMARY KEY (feed, product_id)
);
CREATE INDEX product_feeds_product ON product_feeds USING btree (product_id);

CREATE OR REPLACE FUNCTION audit_log_only_grows()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    BEGIN
      RAISE EXCEPTION 'the audit log is only ever added to';
    END $function$;

CREATE OR REPLACE FUNCTION catalog_changes_since(seen pg_snapshot, lines_max integer)
 RETURNS TABLE(id text, number bigint)
 LANGUAGE plpgsql
 STABLE ROWS 10
 SET enable_seqscan TO 'off'
AS $function$
    BEGIN
      RETURN QUERY SELECT c.id, c.number FROM catalog_search_changes c
        WHERE c.transaction >= coalesce(pg_snapshot_xmin(seen), '0')
          AND (seen IS NULL OR NOT pg_visible_in_snapshot(c.transaction, seen))
        LIMIT lines_max;
    END $function$;

CREATE OR REPLACE FUNCTION catalog_rows_after_delete()
 RETURNS trigger
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
    BEGIN
      DELETE FROM catalog_search s USING old_rows o WHERE s.id = o.id;
      RETURN NULL;
    END $function$;

CREATE OR REPLACE FUNCTION catalog_rows_after_insert()
 RETURNS trigger
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
    BEGIN
      INSERT INTO catalog_search (id, kind, category, popularity, sort_key, facets, words) SELECT id, kind, category, popularity, sort_key, facets, words FROM new_rows;
      RETURN NULL;
    END $function$;

CREATE OR REPLACE FUNCTION catalog_rows_after_truncate()
 RETURNS trigger
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
    BEGIN
      TRUNCATE catalog_search;
      RETURN NULL;
    END $function$;

CREATE OR REPLACE FUNCTION catalog_rows_after_update()
 RETURNS trigger
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
    BEGIN
      IF NOT EXISTS (SELECT id, kind, category, popularity, sort_key, facets, words FROM new_rows EXCEPT SELECT id, kind, category, popularity, sort_key, facets, words FROM old_rows) AND NOT EXISTS (SELECT id, kind, category, popularity, sort_key, facets, words FROM old_rows EXCEPT SELECT id, kind, category, popularity, sort_key, facets, words FROM new_rows) THEN RETURN NULL; END IF;
      DELETE FROM catalog_search s USING (SELECT id FROM old_rows EXCEPT SELECT id FROM new_rows) o WHERE s.id = o.id;
      INSERT INTO catalog_search (id, kind, category, popularity, sort_key, facets, words) SELECT id, kind, category, popularity, sort_key, facets, words FROM new_rows EXCEPT SELECT id, kind, category, popularity, sort_key, facets, words FROM old_rows
      ON CONFLICT (id) DO UPDATE SET kind = excluded.kind, category = excluded.category, popularity = excluded.popularity, sort_key = excluded.sort_key, facets = excluded.facets, words = excluded.words;
      RETURN NULL;
    END $function$;

CREATE OR REPLACE FUNCTION catalog_search_after_delete()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
      BEGIN
        INSERT INTO catalog_search_changes (id)
        SELECT DISTINCT id FROM (SELECT CASE WHEN kind = 'product' THEN id ELSE '' END FROM before) AS changed (id);
        RETURN NULL;
      END $function$;

CREATE OR REPLACE FUNCTION catalog_search_after_insert()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
      BEGIN
        INSERT INTO catalog_search_changes (id)
        SELECT DISTINCT id FROM (SELECT CASE WHEN kind = 'product' THEN id ELSE '' END FROM after) AS changed (id);
        RETURN NULL;
      END $function$;

CREATE OR REPLACE FUNCTION catalog_search_after_truncate()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
      BEGIN
        INSERT INTO catalog_search_changes (id) SELECT NULL;
        RETURN NULL;
      END $function$;

CREATE OR REPLACE FUNCTION catalog_search_after_update()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
      BEGIN
        INSERT INTO catalog_search_changes (id)
        SELECT DISTINCT id FROM (SELECT CASE WHEN kind = 'product' THEN id ELSE '' END FROM before UNION ALL SELECT CASE WHEN kind = 'product' THEN id ELSE '' END FROM after) AS changed (id);
        RETURN NULL;
      END $function$;

CREATE OR REPLACE FUNCTION catalog_taxonomy_changed()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    BEGIN
      UPDATE catalog_taxonomy_version SET version = version + 1;
      RETURN NULL;
    END $function$;

CREATE OR REPLACE FUNCTION sum_credits_by_day()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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
    END $function$;

CREATE OR REPLACE FUNCTION synonyms_changed()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    BEGIN
      INSERT INTO catalog_search_changes (id) VALUES ('');
      RETURN NULL;
    END $function$;

CREATE OR REPLACE FUNCTION words_with_deletion(deletion text, words_max integer)
 RETURNS SETOF text
 LANGUAGE plpgsql
 STABLE STRICT ROWS 20
 SET enable_seqscan TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
  BEGIN
    -- By the index, always: planned for a limit, the look-up would read the table.
    RETURN QUERY SELECT word FROM search_words WHERE deletions @> ARRAY[deletion] LIMIT words_max;
  END $function$;

CREATE TRIGGER categories_changed AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON categories FOR EACH STATEMENT EXECUTE FUNCTION catalog_taxonomy_changed();

CREATE TRIGGER tags_changed AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON tags FOR EACH STATEMENT EXECUTE FUNCTION catalog_taxonomy_changed();

CREATE TRIGGER entities_changed AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON entities FOR EACH STATEMENT EXECUTE FUNCTION catalog_taxonomy_changed();

CREATE TRIGGER catalog_rows_delete AFTER DELETE ON catalog_rows REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION catalog_rows_after_delete();

CREATE TRIGGER catalog_rows_insert AFTER INSERT ON catalog_rows REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION catalog_rows_after_insert();

CREATE TRIGGER catalog_rows_truncate AFTER TRUNCATE ON catalog_rows FOR EACH STATEMENT EXECUTE FUNCTION catalog_rows_after_truncate();

CREATE TRIGGER catalog_rows_update AFTER UPDATE ON catalog_rows REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION catalog_rows_after_update();

CREATE TRIGGER sum_booked AFTER INSERT ON credit_ledger REFERENCING NEW TABLE AS booked FOR EACH STATEMENT EXECUTE FUNCTION sum_credits_by_day();

CREATE TRIGGER sum_changed AFTER UPDATE ON credit_ledger REFERENCING OLD TABLE AS unbooked NEW TABLE AS booked FOR EACH STATEMENT EXECUTE FUNCTION sum_credits_by_day();

CREATE TRIGGER sum_deleted AFTER DELETE ON credit_ledger REFERENCING OLD TABLE AS unbooked FOR EACH STATEMENT EXECUTE FUNCTION sum_credits_by_day();

CREATE TRIGGER audit_log_only_grows BEFORE DELETE OR UPDATE OR TRUNCATE ON audit_log FOR EACH STATEMENT EXECUTE FUNCTION audit_log_only_grows();

CREATE TRIGGER catalog_search_delete AFTER DELETE ON catalog_search REFERENCING OLD TABLE AS before FOR EACH STATEMENT EXECUTE FUNCTION catalog_search_after_delete();

CREATE TRIGGER catalog_search_insert AFTER INSERT ON catalog_search REFERENCING NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION catalog_search_after_insert();

CREATE TRIGGER catalog_search_truncate AFTER TRUNCATE ON catalog_search FOR EACH STATEMENT EXECUTE FUNCTION catalog_search_after_truncate();

CREATE TRIGGER catalog_search_update AFTER UPDATE ON catalog_search REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION catalog_search_after_update();

CREATE TRIGGER synonyms_changed AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON synonyms FOR EACH STATEMENT EXECUTE FUNCTION synonyms_changed();
