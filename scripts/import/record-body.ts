import { setImmediate } from 'node:timers/promises';
import { ListedSource } from '../../models/catalog/import/import-service';
import type { ReadRecords, RecordKind } from '../../models/catalog/import/records';
import { WHOLE_LINE } from '../../models/catalog/import/stage';
import { badRequest, tooManyRecords } from '../../models/errors';
import type { ReadLine, RecordBodies, RecordBody } from '../../models/ports';
import { RECORDS_MAX } from '../../models/records/records-service';
import { BUNDLE_FILES } from './bundle';
import { type Parsed, parsedLine, parseLine, type RecordParsers, recordParsers } from './parse-record';
import { type Line, readLines } from './read-lines';

/** Between so many lines others get their turn. */
const LINES_AT_ONCE = 64;
const PIECE = 64 * 1024;

const KIND_OF = new Map(
  Object.entries(BUNDLE_FILES).map(([kind, file]) => [file.replace('.jsonl', ''), kind as RecordKind]),
);
const NO_FILE = `is no object with one key, the file of the record in a bundle: ${[...KIND_OF.keys()].join(', ')}`;

type Lists = { readonly [Kind in RecordKind]: ReadLine<ReadRecords[Kind]>[] };

const noLines = (): Lists => ({
  categories: [],
  tags: [],
  synonyms: [],
  entities: [],
  products: [],
  estimates: [],
  history: [],
  listings: [],
});

/** Bodies of calls that write records (contract 15.1): JSON Lines, each `{"products": …}` or another file of a bundle. */
export const RECORD_BODIES: RecordBodies = {
  async read(body, now) {
    const lines = await linesOf(body);
    const parsers = recordParsers(now);
    const reading = { ids: new Map<number, string>(), faults: [], lists: noLines() };
    for (const [position, line] of lines.entries()) {
      if (position % LINES_AT_ONCE === 0) await setImmediate();
      readInto(reading, line, parsers);
    }
    return {
      lines: lines.map(({ number }) => ({ line: number, id: reading.ids.get(number) ?? null })),
      faults: reading.faults,
      source: new ListedSource(reading.lists),
    };
  },
};

async function linesOf(body: Uint8Array): Promise<readonly Line[]> {
  const lines: Line[] = [];
  for await (const some of readLines(piecesOf(body))) {
    lines.push(...some);
    if (lines.length > RECORDS_MAX) throw tooManyRecords(RECORDS_MAX);
  }
  if (lines.length === 0) throw badRequest('The body is empty; send a record in each line.');
  return lines;
}

/** In pieces, so that no more lines are made of it than are looked at. */
async function* piecesOf({ buffer, byteOffset, byteLength }: Uint8Array): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(buffer, byteOffset, byteLength);
  for (let at = 0; at < bytes.length; at += PIECE) yield bytes.subarray(at, at + PIECE);
}

interface Reading {
  readonly ids: Map<number, string>;
  readonly faults: RecordBody['faults'][number][];
  readonly lists: Lists;
}

function readInto(reading: Reading, line: Line, parsers: RecordParsers): void {
  const { number } = line;
  if ('fault' in line)
    return void reading.faults.push({ line: number, field: WHOLE_LINE, reason: line.fault });
  const unwrapped = parseLine(line.text, unwrap);
  if ('reason' in unwrapped) return void reading.faults.push({ line: number, ...unwrapped });
  const { kind, value } = unwrapped;
  const id = idOf(value);
  if (id !== null) reading.ids.set(number, id);
  addTo(reading.lists, kind, line, parsers[kind](value));
}

function addTo<Kind extends RecordKind>(
  lists: Lists,
  kind: Kind,
  line: Line & { readonly text: string },
  parsed: Parsed<ReadRecords[Kind]>,
): void {
  const list: ReadLine<ReadRecords[Kind]>[] = lists[kind];
  list.push(parsedLine(line, parsed));
}

/** The record and the file of a bundle that it would stand in. */
function unwrap(value: unknown): { kind: RecordKind; value: unknown } | { field: string; reason: string } {
  const [entry, ...more] = value instanceof Object && !Array.isArray(value) ? Object.entries(value) : [];
  const kind = entry && KIND_OF.get(entry[0]);
  if (!entry || !kind || more.length > 0) return { field: WHOLE_LINE, reason: NO_FILE };
  return { kind, value: entry[1] };
}

const ID_LENGTH_MAX = 200;

/** As it was sent, unless it is longer than any id. */
function idOf(value: unknown): string | null {
  const id = value instanceof Object && 'id' in value ? value.id : null;
  return typeof id === 'string' && id.length <= ID_LENGTH_MAX ? id : null;
}
