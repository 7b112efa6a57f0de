import type { Command } from '@commander-js/extra-typings';
import { LoupeClient } from '../../api/client/loupe-client';
import { unavailable } from '../../models/errors';
import { runningService } from '../composition/running-service';
import { StartRefused } from '../composition/wait-for-store';
import { readConfig } from '../config';
import { serveMcp } from '../mcp/mcp-server';

/** `loupe mcp`: the API as tools for the program that started this one (Model Context Protocol), until its input ends. */
export function register(mcp: Command): void {
  mcp.action(async () => {
    const config = readConfig();
    const { LOUPE_API_KEY: key, IMAGE_BYTES_MAX: imageBytesMax } = config;
    const baseUrl = config.LOUPE_URL ?? (await runningService(config));
    if (baseUrl === null) throw unavailable('No service runs here: start one, or name one in LOUPE_URL.', 1);
    if (!key) throw new StartRefused('LOUPE_API_KEY: set it to the API key that the calls are made with');
    serveMcp({ client: new LoupeClient({ baseUrl, key }), imageBytesMax });
  });
}
