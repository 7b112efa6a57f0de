import { once } from 'node:events';
import type { Command } from 'commander';
import { unavailable } from '../../models/errors';
import { runningService } from '../composition/running-service';
import { StartRefused } from '../composition/wait-for-store';
import { type Config, readConfig } from '../config';
import { serveMcpOverHttp, serveMcpOverStdio } from '../mcp/serve-mcp';
import { wholeNumber } from './whole-number';

/** `loupe mcp`: the API as tools for a model, over the Model Context Protocol. */
export function registerMcp(mcp: Command): void {
  mcp
    .option(
      '--http <port>',
      'serve programs of this machine, each with its own key, and not the one that started it',
      wholeNumber,
    )
    .action(serve);
}

async function serve({ http }: { readonly http?: number }): Promise<void> {
  const config = readConfig();
  const baseUrl = await addressOf(config);
  if (http === undefined) {
    if (!config.LOUPE_API_KEY) {
      throw new StartRefused('LOUPE_API_KEY: set it to the API key that the calls are made with');
    }
    serveMcpOverStdio({ baseUrl, imageBytesMax: config.IMAGE_BYTES_MAX }, config.LOUPE_API_KEY);
    return;
  }
  const { server, url } = await serveMcpOverHttp({
    baseUrl,
    imageBytesMax: config.IMAGE_BYTES_MAX,
    port: http,
  });
  process.stderr.write(`MCP at ${url}, for ${baseUrl}\n`);
  await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
  server.close();
  server.closeAllConnections();
}

/** Of the service: the setting, or the one that runs here. */
async function addressOf(config: Config): Promise<string> {
  const address = config.LOUPE_URL ?? (await runningService(config));
  if (address === null) throw unavailable('No service runs here: start one, or name one in LOUPE_URL.', 1);
  return address;
}
