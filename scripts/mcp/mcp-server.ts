import { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { type LoupeClient, LoupeError, type Photo } from '../../api/client/loupe-client';
import * as answers from '../../api/v3/answers';
import { FILTERS_MAX, includes, itemsBody, match } from '../../api/v3/schema';
import { decodeBase64 } from '../../api/wire/decode-base64';
import { pageNumber, searchText, sizeOfPage, valueList } from '../../api/wire/shared';
import { messageOf } from '../../models/errors';
import { PHOTOS_MAX } from '../../models/vision/image-input';
import { readPhotoFile } from '../photo-file';

export interface McpOptions {
  /** Calls the service with the caller's key; the service reports what is wrong with a call. */
  readonly client: LoupeClient;
  readonly imageBytesMax: number;
  /** Whether files of this machine may be named: only by someone who could read them anyway. */
  readonly readsFiles: boolean;
}

const category = z.string().min(1).exactOptional().describe('slug or name of a category, such as "handbags"');
const modules = includes.describe('what rows contain besides name and pictures; "pricing" costs more');

/** Base64 takes four characters for three bytes, and a data URI some more. */
const base64Max = (bytes: number): number => Math.ceil(bytes / 3) * 4 + 1024;

/** Bytes of a message: more than the service takes, so that it reports what is too large. */
export const messageBytesMax = (imageBytesMax: number): number => 2 * base64Max(imageBytesMax) + 2 ** 20;

const address = z.strictObject({
  url: z.url({ protocol: /^https?$/ }).describe('public http(s) address of a photo'),
});
const bytes = (bytesMax: number) =>
  z.strictObject({
    base64: z.string().min(1).max(base64Max(bytesMax)).describe('a JPEG, PNG or WebP as base64'),
  });
const file = z.strictObject({
  path: z.string().min(1).max(4096).describe('a file of this machine that is a JPEG, PNG or WebP'),
});

const filter = z.strictObject({
  field: z.string().min(1).describe('a taxonomy field such as "brand", or "tags"'),
  include: valueList.exactOptional().describe('ids or names; the row has at least one'),
  exclude: valueList.exactOptional().describe('the row has none'),
});

/** Every tool reads and changes nothing, except the caller's credits. */
const annotations = { readOnlyHint: true, openWorldHint: false } as const;

const rowsOf = (row: z.ZodObject) => ({
  data: z.array(row.loose()).describe('the rows, in order'),
});
const identified = answers.identifyAnswer
  .extend(rowsOf(answers.matchedRow))
  .extend({ predictionId: z.string().describe('id for feedback on the answer') })
  .loose();

const INSTRUCTIONS =
  'Loupe knows one catalog of products with their brands, styles and resale estimates. Use "identify" for photos, ' +
  '"search" for words and filters, "look_up" for ids that an answer named, "similar" for products that look like one. ' +
  'Each call that finds rows costs credits of the key; "credits_used" says how many. Ids and names come from the ' +
  'catalog: do not make them up. A confidence is a calibrated probability, and no proof that an item is genuine.';

/** The tools of Loupe for a model (contract 14.13). Each is one call of the API, costs what that costs, and ends when it is cancelled. */
export function mcpServer({ client, imageBytesMax, readsFiles }: McpOptions): McpServer {
  const server = new McpServer(
    { name: 'loupe', title: 'Loupe', version: '1' },
    { instructions: INSTRUCTIONS },
  );
  const sent = bytes(imageBytesMax);
  const photo = readsFiles
    ? z.union([file, address, sent], 'must be an object with one of "path", "url" and "base64"')
    : z.union([address, sent], 'must be an object with one of "url" and "base64"');
  const photoOf = async (given: z.infer<typeof photo>): Promise<Photo> => {
    if ('path' in given) return { bytes: await readPhotoFile(given.path, imageBytesMax) };
    return 'url' in given ? given : { bytes: decodeBase64(given.base64, 'base64') };
  };
  server.registerTool(
    'identify',
    {
      title: 'Identify an item by photos',
      description:
        'Which item of the catalog photos show: rows, best first, each with a calibrated confidence from 0 to 1. ' +
        'The first may be a brand, model or style, followed by its likeliest products. ' +
        'None where nothing is sure enough. It never proves that an item is genuine.',
      inputSchema: z.strictObject({
        photos: z.array(photo).min(1).max(PHOTOS_MAX).describe('photos of one item, from several sides'),
        category_id: category,
        min_confidence: z
          .number()
          .min(0)
          .max(1)
          .exactOptional()
          .describe('confidence that the first row needs; 0 returns the ten nearest rows'),
        includes: modules,
      }),
      outputSchema: identified,
      annotations,
    },
    ({ photos, ...known }, { mcpReq: { signal } }) =>
      answered(async () => client.identify(await Promise.all(photos.map(photoOf)), { ...known, signal })),
  );
  server.registerTool(
    'search',
    {
      title: 'Search the catalog',
      description: 'A page of the catalog, by text, filters or both, with the number of all results.',
      inputSchema: z.strictObject({
        query: searchText.exactOptional().describe('free text; without it rows are listed'),
        match: match.exactOptional().describe('"all": only rows with all words of the query'),
        category_id: category,
        filters: z.array(filter).max(FILTERS_MAX).exactOptional().describe('rows must pass all of them'),
        page: pageNumber.exactOptional().describe('page number, from 0'),
        page_size: sizeOfPage.exactOptional(),
        includes: modules,
      }),
      outputSchema: answers.queryAnswer.extend(rowsOf(answers.catalogRow)).loose(),
      annotations,
    },
    (query, { mcpReq: { signal } }) => answered(() => client.search(query, { signal })),
  );
  server.registerTool(
    'look_up',
    {
      title: 'Look rows up by their ids',
      description: 'Rows of the catalog by their ids, up to 100; unknown ids are in "not_found".',
      inputSchema: z.strictObject({ ids: itemsBody.shape.ids, includes: modules }),
      outputSchema: answers.itemsAnswer.extend(rowsOf(answers.catalogRow)).loose(),
      annotations,
    },
    ({ ids, ...rest }, { mcpReq: { signal } }) => answered(() => client.items(ids, { ...rest, signal })),
  );
  server.registerTool(
    'similar',
    {
      title: 'Find similar products',
      description: 'Products that look like one, the most similar first.',
      inputSchema: z.strictObject({
        id: z.string().min(1).describe('id of a product'),
        category_id: category,
        size: sizeOfPage.exactOptional().describe('maximum number of rows'),
        includes: modules,
      }),
      outputSchema: answers.similarAnswer.extend(rowsOf(answers.similarRow)).loose(),
      annotations,
    },
    ({ id, ...rest }, { mcpReq: { signal } }) => answered(() => client.similar(id, { ...rest, signal })),
  );
  return server;
}

/** An answer of the service, also as text for clients that know no other; a refusal as an error, so the model can fix its call. */
async function answered<Answer extends object>(ask: () => Promise<Answer>) {
  try {
    const structuredContent = { ...(await ask()) };
    const text = JSON.stringify(structuredContent);
    return { content: [{ type: 'text' as const, text }], structuredContent };
  } catch (failure) {
    return { content: [{ type: 'text' as const, text: reasonOf(failure) }], isError: true };
  }
}

function reasonOf(failure: unknown): string {
  if (failure instanceof LoupeError) return JSON.stringify(failure.failure);
  const reason = messageOf(failure);
  return reason === 'fetch failed' ? 'The Loupe service cannot be reached.' : reason;
}
