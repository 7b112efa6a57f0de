import { setImmediate } from 'node:timers/promises';
import type { RecordKind } from '../../models/catalog/import/records';
import { WHOLE_LINE } from '../../models/catalog/import/stage';
import { badRequest, tooManyRecords } from '../../models/errors';
import type { ReadLine, RecordBodies } from '../../models/ports';
import { RECORDS_MAX } from '../../models/records/records-service';
import { BUNDLE_FILES, withRecords } from './bundle';
import { recordParsers } from './parse-record';
import { readLines } from './read-lines';
import { ID_LENGTH_MAX } from './record-values';

const PIECE = 64 * 1024;

const KIND_OF = new Map(
  Object.entries(BUNDLE_FILES).map(([kind, file]) => [file.replace('.jsonl', ''), kind as RecordKind]),
);
const NO_FILE = `must be an object with one key, the file of the record in a bundle: ${[...KIND_OF.keys()].join(', ')}`;

/** Bodies of calls that write records (contract 15.1): JSON Lines, each `{"products": …}` or another file of a bundle. */
export const RECORD_BODIES: RecordBodies = {
  async read(body, now) {
    const read = (await linesOf(body)).map(unwrapped);
    const parsers = recordParsers(now);
    return {
      lines: read.map(({ line, record }) => ({ line: line.line, id: idOf(record) })),
      source: {
        async file(kind) {
          const own = read.filter((each) => each.kind === kind);
          const file = {
            name: kind,
            bytes: own.length,
            async *read() {
              yield { lines: own.map(({ line }) => line), bytesRead: own.length };
            },
          };
          return withRecords(file, parsers[kind]);
        },
      },
    };
  },
};

async function linesOf(body: Uint8Array): Promise<readonly ReadLine<unknown>[]> {
  const lines: ReadLine<unknown>[] = [];
  for await (const some of readLines(piecesOf(body))) {
    lines.push(...some);
    if (lines.length > RECORDS_MAX) throw tooManyRecords(RECORDS_MAX);
    await setImmediate();
  }
  if (lines.length === 0) throw badRequest('The body is empty; send a record in each line.');
  return lines;
}

/** In pieces, so that reading can stop at the limit of lines. */
async function* piecesOf({ buffer, byteOffset, byteLength }: Uint8Array): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(buffer, byteOffset, byteLength);
  for (let at = 0; at < bytes.length; at += PIECE) yield bytes.subarray(at, at + PIECE);
}

/** The record of a line and its kind; without a kind the line is a fault of the first file. */
function unwrapped(line: ReadLine<unknown>): { kind: RecordKind; line: ReadLine<unknown>; record: unknown } {
  if ('reason' in line) return { kind: 'categories', line, record: null };
  const { record: value } = line;
  const [entry, ...more] = value instanceof Object && !Array.isArray(value) ? Object.entries(value) : [];
  const kind = entry && KIND_OF.get(entry[0]);
  if (kind && more.length === 0) return { kind, line: { ...line, record: entry[1] }, record: entry[1] };
  const fault = { line: line.line, field: WHOLE_LINE, reason: NO_FILE };
  return { kind: 'categories', line: fault, record: null };
}

function idOf(record: unknown): string | null {
  const id = record instanceof Object && 'id' in record ? record.id : null;
  return typeof id === 'string' && id.length <= ID_LENGTH_MAX ? id : null;
}
