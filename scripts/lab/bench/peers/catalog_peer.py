"""Answers catalog queries from an index of the rows of a Loupe installation: tantivy, SQLite FTS5 or DuckDB, behind FastAPI.

A row matches any word of the text, the last one as a prefix, and passes the filters; the best by BM25 come first, without a text
the most popular. An answer has ids, names and the exact total, and no prices, attributes, facets, misspellings or synonyms.
`npm run bench -- peers --catalog` starts it with DATABASE_URL, ENGINE, and FOLDER for the index.
"""

import json
import os
import re
import sqlite3
import threading
from pathlib import Path

import duckdb
import psycopg
import tantivy
from fastapi import FastAPI
from pydantic import BaseModel

FOLDER = Path(os.environ["FOLDER"])
PAGE_SIZE = 20
# The position in a listing is the key of a row everywhere.
ROWS = """
    SELECT row_number() OVER (ORDER BY s.popularity DESC, s.id) AS position, s.id, r.name,
        tsvector_to_array(s.words) AS words, s.facets
    FROM catalog_search AS s JOIN catalog_rows AS r USING (id) WHERE s.kind = 'product' ORDER BY position"""


class Filter(BaseModel):
    include: list[str]
    exclude: list[str]


class Question(BaseModel):
    words: list[str]
    filters: list[Filter]
    page: int


def rows():
    with psycopg.connect(os.environ["DATABASE_URL"]) as connection, connection.cursor("rows") as cursor:
        cursor.itersize = 5000
        yield from cursor.execute(ROWS)


class Tantivy:
    def __init__(self):
        builder = tantivy.SchemaBuilder().add_integer_field("position", fast=True)
        for field in ("id", "name", "words", "facets"):
            builder.add_text_field(field, stored=field in ("id", "name"), tokenizer_name="raw")
        self.schema = builder.build()
        index = tantivy.Index(self.schema, path=str(FOLDER))
        writer = index.writer(heap_size=256 << 20)
        for position, id, name, words, facets in rows():
            writer.add_document(tantivy.Document(position=position, id=id, name=name, words=words, facets=facets))
        writer.commit()
        writer.wait_merging_threads()
        index.reload()
        self.searcher = index.searcher()

    def search(self, question):
        parts = [(tantivy.Occur.Must, tantivy.Query.all_query())]
        if question.words:
            texts = [tantivy.Query.term_query(self.schema, "words", word) for word in question.words]
            texts.append(tantivy.Query.regex_query(self.schema, "words", re.escape(question.words[-1]) + ".+"))
            parts = [(tantivy.Occur.Must, self.any_of(texts))]
        for each in question.filters:
            for occur, values in ((tantivy.Occur.Must, each.include), (tantivy.Occur.MustNot, each.exclude)):
                terms = [tantivy.Query.term_query(self.schema, "facets", value) for value in values]
                if terms:
                    parts.append((occur, self.any_of(terms)))
        order = {} if question.words else {"order_by_field": "position", "order": tantivy.Order.Asc}
        found = self.searcher.search(
            tantivy.Query.boolean_query(parts), PAGE_SIZE, offset=question.page * PAGE_SIZE, **order
        )
        documents = [self.searcher.doc(address) for _, address in found.hits]
        return found.count, [(document["id"][0], document["name"][0]) for document in documents]

    def any_of(self, queries):
        return tantivy.Query.boolean_query([(tantivy.Occur.Should, query) for query in queries])


class Fts5:
    def __init__(self):
        self.file = FOLDER / "rows.sqlite"
        self.local = threading.local()
        database = sqlite3.connect(self.file)
        database.execute("CREATE TABLE shown (position INTEGER PRIMARY KEY, id TEXT, name TEXT)")
        database.execute("CREATE VIRTUAL TABLE rows USING fts5(words, facets, content='', tokenize=\"unicode61 tokenchars ':_-'\")")
        self.total = 0
        for self.total, id, name, words, facets in rows():
            database.execute("INSERT INTO shown VALUES (?, ?, ?)", (self.total, id, name))
            values = (self.total, " ".join(words), " ".join([*facets, "every:row"]))
            database.execute("INSERT INTO rows (rowid, words, facets) VALUES (?, ?, ?)", values)
        database.execute("INSERT INTO rows (rows) VALUES ('optimize')")
        database.commit()

    def search(self, question):
        if not hasattr(self.local, "database"):
            self.local.database = sqlite3.connect(f"file:{self.file}?mode=ro", uri=True)
        database = self.local.database
        offset = question.page * PAGE_SIZE
        if not question.words and not question.filters:
            found = database.execute(f"SELECT id, name FROM shown WHERE position > ? ORDER BY position LIMIT {PAGE_SIZE}", [offset])
            return self.total, found.fetchall()
        any_of = lambda values: "(" + " OR ".join(f'"{value}"' for value in values) + ")"
        wanted = [f"words : ({any_of(question.words)[1:-1]}*)"] if question.words else []
        wanted += [f"facets : {any_of(each.include)}" for each in question.filters if each.include]
        unwanted = [f" NOT facets : {any_of(each.exclude)}" for each in question.filters if each.exclude]
        expression = " AND ".join(wanted or ['facets : "every:row"']) + "".join(unwanted)
        order = "rank" if question.words else "rows.rowid"
        page = f"SELECT rows.rowid AS position FROM rows WHERE rows MATCH ? ORDER BY {order} LIMIT {PAGE_SIZE} OFFSET {offset}"
        found = database.execute(f"SELECT id, name FROM ({page}) JOIN shown USING (position)", [expression]).fetchall()
        return database.execute("SELECT count(*) FROM rows WHERE rows MATCH ?", [expression]).fetchone()[0], found


class DuckDb:
    def __init__(self):
        lines = FOLDER / "rows.jsonl"
        with lines.open("w", encoding="utf-8") as file:
            for row in rows():
                file.write(json.dumps(dict(zip(("position", "id", "name", "words", "facets"), row))) + "\n")
        self.database = duckdb.connect(str(FOLDER / "rows.duckdb"))
        columns = "{position: 'BIGINT', id: 'VARCHAR', name: 'VARCHAR', words: 'VARCHAR[]', facets: 'VARCHAR[]'}"
        self.database.execute(
            f"CREATE TABLE rows AS SELECT * REPLACE (array_to_string(words, ' ') AS words) FROM read_json('{lines}', columns = {columns})"
        )
        [extension] = Path(duckdb.__file__).parent.parent.glob("duckdb_extension_fts/**/fts.duckdb_extension")
        self.database.execute(f"LOAD '{extension}'")
        self.database.execute(
            "PRAGMA create_fts_index('rows', 'position', 'words', stemmer = 'none', stopwords = 'none', ignore = '\\s+', strip_accents = 0)"
        )

    def search(self, question):
        values = []
        conditions = ["score IS NOT NULL"] if question.words else []
        for each in question.filters:
            for sense, wanted in (("", each.include), ("NOT ", each.exclude)):
                if wanted:
                    conditions.append(f"{sense}list_has_any(facets, ?)")
                    values.append(wanted)
        score = "fts_main_rows.match_bm25(position, ?)" if question.words else "0"
        text = [" ".join(question.words)] if question.words else []
        found = self.database.cursor().execute(
            f"""SELECT id, name, count(*) OVER () FROM (SELECT *, {score} AS score FROM rows)
            WHERE {" AND ".join(conditions) or "true"} ORDER BY score DESC, position
            LIMIT {PAGE_SIZE} OFFSET {question.page * PAGE_SIZE}""",
            [*text, *values],
        ).fetchall()
        return (found[0][2] if found else 0), [row[:2] for row in found]


engine = {"tantivy": Tantivy, "SQLite FTS5": Fts5, "DuckDB": DuckDb}[os.environ["ENGINE"]]()
app = FastAPI()


@app.post("/search")
def search(question: Question):
    total, found = engine.search(question)
    return {"total_results": total, "data": [{"id": id, "name": name} for id, name in found]}
