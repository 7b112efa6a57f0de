import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { unavailable } from '../../models/errors';
import { type Logger, PORTS } from '../../models/ports';
import { openTracing } from '../../scripts/composition/tracing/open-tracing';
import { readConfig } from '../../scripts/config';
import { closed, listening } from './local-server';

/** A number of requests that are served one after the other, traced as these settings say. */
export interface TracedCalls {
  readonly settings: Readonly<Record<string, string>>;
  readonly calls: number;
  readonly fetched: 'an image' | 'unavailable' | 'a mistake';
}

/** The program of a process of its own, since Jest lets the exporter load nothing: cases on stdin, their logs on stdout. */
async function main(): Promise<void> {
  const logs: string[][] = [];
  for (const each of JSON.parse(await text(process.stdin)) as TracedCalls[]) logs.push(await logOf(each));
  const modules = Object.keys(require.cache).flatMap(
    (file) => /@opentelemetry\/([^/]+)/.exec(file)?.[1] ?? [],
  );
  // Like the service; whatever is still being sent then is given up.
  process.stdout.write(JSON.stringify({ logs, modules: [...new Set(modules)] }), () => process.exit());
}

async function logOf({ settings, calls, fetched }: TracedCalls): Promise<string[]> {
  const lines: string[] = [];
  const write = (_fields: object, message: string) => void lines.push(message);
  const logger: Logger = { debug: write, info: write, warn: write, error: write };
  Object.assign(process.env, settings);
  const tracing = openTracing(readConfig(settings), logger);
  const source = tracing.port(PORTS.ImageSource, { fetch: () => outcomeOf(fetched) });
  const listener = tracing.requests(async (_req, res) => {
    await source.fetch(new URL('https://pictures.example/')).catch(() => undefined);
    res.end();
  });
  const server = createServer(listener);
  const address = await listening(server);
  for (let call = 0; call < calls; call += 1) {
    await (await fetch(`http://${address}/photo?signature=secret`)).text();
  }
  await closed(server);
  await tracing.close();
  for (const name of Object.keys(settings)) delete process.env[name];
  return lines;
}

async function outcomeOf(fetched: TracedCalls['fetched']): Promise<Buffer> {
  if (fetched === 'unavailable') throw unavailable('The host is away.', 1);
  if (fetched === 'a mistake') throw new TypeError('the secret is 42');
  return Buffer.alloc(0);
}

void main();
