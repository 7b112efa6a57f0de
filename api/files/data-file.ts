import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { stringify } from 'csv-stringify';
import type { RequestHandler } from 'express';
import { forbidden } from '../../models/errors';
import { DATA_FILE_KINDS, REGIONS } from '../../models/pricing/estimate';
import type { ApiServices } from '../api-services';
import type { AnswerMemory } from '../middleware/answer-memory';
import { pathParameter } from '../middleware/request-address';

/** Columns of each kind of file (contract 2.8). */
export const COLUMNS = {
  pricing_data: ['link', 'variant_name', 'vendor', 'price', 'currency', 'date'],
  historical_estimates: ['date', 'source', 'A', 'B', 'C', 'D', 'currency', 'confidence'],
} as const;

/** CRLF, with quotes where needed: by default the library would not quote lone line breaks. */
const RFC_4180 = { record_delimiter: 'windows', quoted_match: /[\r\n]/ } as const;

/** Rows read at a time, as text. */
const BYTES_AT_ONCE = 128 * 1024;

/** Starts of a cell that spreadsheets run as a formula (contract 2.9). */
const FORMULA = /^[=+\-@\t\r]/;

/**
 * A price file as CSV, for anyone with a signed address that has not expired; any other address is a 403 (contract 2.5).
 * Rows stream from the store as fast as the client reads; a client that leaves ends the reading.
 */
export function sendDataFile({ signer, prices, clock }: ApiServices, answers: AnswerMemory): RequestHandler {
  return async (req, res) => {
    const kind = DATA_FILE_KINDS.find((each) => each === pathParameter(req, 'kind'));
    const region = REGIONS.find((each) => `${each}.csv` === pathParameter(req, 'file'));
    const file = kind && region && { kind, variantId: pathParameter(req, 'variantId'), region };
    if (!file || !signer.verify(file, req.query, clock.now())) {
      throw forbidden('This address is not signed, was changed or has expired; request the item again.');
    }
    await answers.hold(res, BYTES_AT_ONCE);
    const rows = prices.fileRows(file)[Symbol.asyncIterator]();
    // Read before the status is sent, so that an unavailable store is a 503 and not a broken file.
    const first = req.method === 'HEAD' ? null : await rows.next();
    res.set('Cache-Control', 'private, no-store');
    res.attachment(`${file.variantId}-${file.kind}-${file.region}.csv`);
    res.set('Content-Type', 'text/csv; charset=utf-8');
    if (first === null) return void res.end();
    await pipeline(Readable.from(linesOf(COLUMNS[file.kind], first, rows)), stringify(RFC_4180), res);
  };
}

type Cell = string | number | null;
type Cells = readonly Cell[];

/** Header and rows, neutralised; stops reading the store when it is closed itself. */
async function* linesOf(header: Cells, first: IteratorResult<Cells>, rest: AsyncIterator<Cells>) {
  yield header;
  try {
    for (let next = first; !next.done; next = await rest.next()) yield next.value.map(neutralised);
  } finally {
    await rest.return?.();
  }
}

/** A cell that no spreadsheet executes: text that would be a formula gets a leading apostrophe; numbers stay as they are. */
const neutralised = (cell: Cell): Cell =>
  typeof cell === 'string' && FORMULA.test(cell) ? `'${cell}` : cell;
