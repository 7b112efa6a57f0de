import { readFile } from 'node:fs/promises';
import { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { type LoupeClient, LoupeError, type Photo } from '../../api/client/loupe-client';
import { decodeBase64 } from '../../api/wire/decode-base64';

/** What the tools of a caller work with. */
export interface McpOptions {
  /** Asks the service with the caller's key; what is wrong with a call, the service says. */
  readonly client: LoupeClient;
  /** Whether files of this machine may be named: only to who could read them anyway. */
  readonly readsFiles: boolean;
}

const includes = z
  .array(z.enum(['taxonomy', 'pricing']))
  .exactOptional()
  .describe('what rows have beside name and pictures; "pricing" costs more credits');
const category = z.string().exactOptional().describe('slug or name of a category, such as "handbags"');

const address = z.object({ url: z.url().describe('public address of a photo') });
const bytes = z.object({ base64: z.string().describe('a JPEG, PNG or WebP') });
const file = z.object({ path: z.string().describe('a file of this machine') });

const filter = z.object({
  field: z.string().describe('a taxonomy field such as "brand", or "tags"'),
  include: z.array(z.string()).exactOptional().describe('ids or names; the row has at least one'),
  exclude: z.array(z.string()).exactOptional().describe('the row has none'),
});

/** Every tool asks and changes nothing, but for the credits of the caller. */
const annotations = { readOnlyHint: true, openWorldHint: false } as const;

/** The tools of Loupe for a model (contract 14.13). Each is one call of the API, and costs what that costs. */
export function mcpServer({ client, readsFiles }: McpOptions): McpServer {
  const server = new McpServer({ name: 'loupe', version: '1' });
  const photo = readsFiles ? z.union([file, address, bytes]) : z.union([address, bytes]);
  server.registerTool(
    'identify',
    {
      description:
        'Which item of the catalog photos show: rows, best first, each with a calibrated confidence from 0 to 1. ' +
        'None where nothing is sure enough. It never proves that an item is genuine.',
      inputSchema: z.object({
        photos: z.array(photo).min(1).max(5).describe('of one item, from several sides'),
        category_id: category,
        includes,
      }),
      annotations,
    },
    ({ photos, ...known }) =>
      answered(async () => client.identify(await Promise.all(photos.map(photoOf)), known)),
  );
  server.registerTool(
    'search',
    {
      description: 'A page of the catalog, by text, filters or both, with the number of all results.',
      inputSchema: z.object({
        query: z.string().exactOptional().describe('free text; without it rows are listed'),
        category_id: category,
        filters: z.array(filter).exactOptional().describe('ANDed'),
        page: z.int().exactOptional().describe('from 0'),
        page_size: z.int().exactOptional(),
        includes,
      }),
      annotations,
    },
    (query) => answered(() => client.search(query)),
  );
  server.registerTool(
    'look_up',
    {
      description: 'Rows of the catalog by their ids, up to 100; ids that there are not are in "not_found".',
      inputSchema: z.object({ ids: z.array(z.string()), includes }),
      annotations,
    },
    ({ ids, ...rest }) => answered(() => client.items(ids, rest)),
  );
  server.registerTool(
    'similar',
    {
      description: 'Products that look like one, the most similar first.',
      inputSchema: z.object({
        id: z.string().describe('of a product'),
        category_id: category,
        size: z.int().exactOptional().describe('how many at most'),
        includes,
      }),
      annotations,
    },
    ({ id, ...rest }) => answered(() => client.similar(id, rest)),
  );
  return server;
}

/** An answer of the service as JSON; a refusal as an error, for the model to mend its call by. */
async function answered(ask: () => Promise<object>) {
  try {
    return { content: [{ type: 'text' as const, text: JSON.stringify(await ask()) }] };
  } catch (failure) {
    return { content: [{ type: 'text' as const, text: reasonOf(failure) }], isError: true };
  }
}

function reasonOf(failure: unknown): string {
  if (failure instanceof LoupeError) return JSON.stringify(failure.failure);
  const reason = failure instanceof Error ? failure.message : String(failure);
  return reason === 'fetch failed' ? 'The Loupe service can not be reached.' : reason;
}

async function photoOf(photo: z.infer<typeof file | typeof address | typeof bytes>): Promise<Photo> {
  if ('path' in photo) return { bytes: await readFile(photo.path) };
  return 'url' in photo ? photo : { bytes: decodeBase64(photo.base64, 'base64') };
}
