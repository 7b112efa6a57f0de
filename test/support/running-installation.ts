import type { Stream } from 'node:stream';
import { startProcess } from '../../scripts/lab/service-processes';
import { ApiClient } from './api-client';
import type { Installation } from './installation';
import { openAccount } from './open-account';
import { loupeHere } from './run-loupe';

type Settings = Readonly<Record<string, string>>;

interface Start {
  readonly onServers: readonly string[];
  readonly embedded: readonly string[];
  readonly log: Stream;
  readonly more: Settings;
}

export type RunningInstallation = Awaited<ReturnType<typeof runInstallation>>;

/**
 * An installation with its processes, a connection to its database, and a live key without limits. Starts these roles on
 * PostgreSQL and Redis, or others embedded. @param log a file for their logs @param more settings of the processes alone
 */
export async function runInstallation(
  { folder, dataDir, settings, connect, remove }: Installation,
  { onServers = ['api', 'worker'], embedded = ['all'], log, more = {} }: Partial<Start> = {},
) {
  const roles = settings['REDIS_URL'] === undefined ? embedded : onServers;
  const processes = await Promise.all(roles.map((ROLE) => startProcess({ ...settings, ...more, ROLE }, log)));
  const database = await connect();
  const { knex } = database;
  const { key } = await openAccount(knex);
  return {
    ...{ folder, dataDir, settings, processes, knex, key },
    api: (process = 0) => new ApiClient(processes[process]?.url ?? '', key),
    /** Runs a command beside the service, and returns the JSON that it prints. */
    loupe: <Document = unknown>(...words: readonly string[]) =>
      loupeHere(settings, ...words) as Promise<Document>,
    stop: async () => {
      for (const each of [...processes].reverse()) await each.stop();
      await database.close();
      await remove();
    },
  };
}
