import { once } from 'node:events';
import { access, constants } from 'node:fs/promises';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { LifecycleState } from '../../api/api-services';
import { createApp } from '../../api/app';
import { createServer } from '../../api/server';
import type { DemoOffer } from '../../api/site/demo-offer';
import { makeFolder } from '../../db/files/durable-files';
import { messageOf, unavailable } from '../../models/errors';
import type { Config } from '../config';
import { apiSettings, servicesOf } from './api-wiring';
import { type Loupe, type Overrides, openLoupe } from './container';
import { announceService, withdrawService } from './running-service';
import { type JobServices, jobServices } from './services';
import { StartRefused } from './wait-for-store';

/** The `url` of a worker whose port was in use. */
export const NO_ADDRESS = '';

export interface RunningService {
  readonly url: string;
  readonly services: JobServices;
  /** Finishes running work (at most `STOP_TIMEOUT_MS`), then closes everything in the reverse order of its start. */
  close(): Promise<void>;
}

/**
 * Starts what the role asks for, and resolves once it can serve; a failure closes what was opened.
 * @param demo what a demonstration gives to its own page, once it has it @throws AppError or ConfigError saying what is missing
 */
export async function startService(
  config: Config,
  overrides: Overrides = {},
  demo?: () => DemoOffer | null,
): Promise<RunningService> {
  let lifecycle: LifecycleState = 'starting';
  await prepareDataFolder(config.DATA_DIR);
  const servesHttp = config.ROLE !== 'worker';
  const loupe = await openLoupe(config, { answersQueues: config.ROLE !== 'api', servesHttp }, overrides);
  try {
    const settings = apiSettings(config, loupe, () => lifecycle, demo);
    const app = createApp(servesHttp ? servicesOf(loupe.container) : null, settings);
    const server = createServer(app, loupe.tracing.requests(app));
    const url = servesHttp ? await listen(server, config) : await listenIfFree(server, config, loupe);
    if (servesHttp) await announceService(config, url);
    lifecycle = 'ready';
    for (const warning of loupe.database.warnings) loupe.logger.warn({}, warning);
    loupe.logger.info({ url, role: config.ROLE, database: loupe.database.kind }, 'ready');
    return {
      url,
      services: jobServices(loupe),
      close: async () => {
        lifecycle = 'stopping';
        await withdrawService(config);
        await drain(server, config.STOP_TIMEOUT_MS);
        await loupe.close();
      },
    };
  } catch (failure) {
    await loupe.close();
    throw failure;
  }
}

async function prepareDataFolder(folder: string): Promise<void> {
  try {
    makeFolder(folder);
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (failure) {
    throw new StartRefused(
      `DATA_DIR: ${folder} must be a folder that this user can write, or that can be made: ${messageOf(failure)}`,
      { cause: failure },
    );
  }
}

/** A worker's port serves only health and metrics: if another process has it, the worker runs without. */
async function listenIfFree(server: Server, config: Config, { logger }: Loupe): Promise<string> {
  try {
    return await listen(server, config);
  } catch (failure) {
    logger.warn({ reason: String(failure) }, 'this worker works without a port for health and metrics');
    return NO_ADDRESS;
  }
}

async function listen(server: Server, { PORT, HOST }: Config): Promise<string> {
  server.listen(PORT, HOST);
  try {
    await once(server, 'listening');
  } catch (failure) {
    throw unavailable(`The port ${PORT} on ${HOST} cannot be opened: ${String(failure)}`, 1, failure);
  }
  const { address, family, port } = server.address() as AddressInfo;
  const host = ['0.0.0.0', '::'].includes(address) ? '127.0.0.1' : address;
  return `http://${family === 'IPv6' && host !== '127.0.0.1' ? `[${host}]` : host}:${port}`;
}

/** Accepts no new connections; closes idle ones at once, the others when they are answered or time is up. */
async function drain(server: Server, timeoutMs: number): Promise<void> {
  if (!server.listening) return;
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const late = setTimeout(() => server.closeAllConnections(), timeoutMs);
  await closed;
  clearTimeout(late);
}
