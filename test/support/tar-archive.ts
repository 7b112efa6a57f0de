import { buffer } from 'node:stream/consumers';
import { pack } from 'tar-stream';

export type TarEntry = Parameters<ReturnType<typeof pack>['entry']>[0] & { readonly body?: string | Buffer };

export async function tarOf(entries: readonly TarEntry[]): Promise<Buffer> {
  const packing = pack();
  for (const { body = '', ...header } of entries) packing.entry(header, body);
  packing.finalize();
  return buffer(packing as unknown as AsyncIterable<Buffer>);
}
