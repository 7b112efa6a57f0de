import { once } from 'node:events';
import type { Command } from '@commander-js/extra-typings';
import { unavailable } from '../../models/errors';
import { runningService } from '../composition/running-service';
import { StartRefused } from '../composition/wait-for-store';
import { readConfig } from '../config';
import { serveMcpOverHttp, serveMcpOverStdio } from '../mcp/serve-mcp';
import { portNumber } from './terminal';

export function register(mcp: Command): void {
  mcp
    .option('--http <port>', 'serve programs of this machine over HTTP, each with its own key', portNumber)
    .action(({ http }) => serve(http));
}

async function serve(port: number | undefined): Promise<void> {
  const config = readConfig();
  const { LOUPE_API_KEY: key, IMAGE_BYTES_MAX: imageBytesMax } = config;
  const baseUrl = config.LOUPE_URL ?? (await runningService(config));
  if (baseUrl === null) throw unavailable('No service runs here: start one, or name one in LOUPE_URL.', 1);
  if (port === undefined) {
    if (!key) throw new StartRefused('LOUPE_API_KEY: set it to the API key that the calls are made with');
    return serveMcpOverStdio({ baseUrl, imageBytesMax }, key);
  }
  const { server, url } = await serveMcpOverHttp({ baseUrl, imageBytesMax, port });
  process.stderr.write(`MCP at ${url}, for ${baseUrl}\n`);
  await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
  server.close();
  server.closeAllConnections();
}
