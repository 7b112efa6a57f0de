import type { Stream } from 'node:stream';
import type { Database } from '../../db/core/knex';
import { type ServiceProcess, startProcess } from '../../scripts/lab/service-processes';
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

/** An installation with its processes, a connection to its database, and a live key without limits. */
export class RunningInstallation {
  private constructor(
    readonly folder: string,
    readonly dataDir: string,
    readonly settings: Settings,
    readonly processes: ServiceProcess[],
    readonly database: Database,
    readonly key: string,
    readonly stop: () => Promise<void>,
  ) {}

  /** Starts these roles on PostgreSQL and Redis, or others embedded. @param log a file for their logs @param more settings of the processes alone */
  static async start(
    { folder, dataDir, settings, connect, remove }: Installation,
    { onServers = ['api', 'worker'], embedded = ['all'], log, more = {} }: Partial<Start> = {},
  ): Promise<RunningInstallation> {
    const roles = settings['REDIS_URL'] === undefined ? embedded : onServers;
    const processes = await Promise.all(
      roles.map((ROLE) => startProcess({ ...settings, ...more, ROLE }, log)),
    );
    const database = await connect();
    const { key } = await openAccount(database.knex);
    const stop = async () => {
      for (const each of [...processes].reverse()) await each.stop();
      await database.close();
      await remove();
    };
    return new RunningInstallation(folder, dataDir, settings, processes, database, key, stop);
  }

  get knex() {
    return this.database.knex;
  }

  api(process = 0): ApiClient {
    return new ApiClient(this.processes[process]?.url ?? '', this.key);
  }

  /** Runs a command beside the service, and returns the JSON that it prints. */
  loupe = <Document = unknown>(...words: readonly string[]): Promise<Document> =>
    loupeHere(this.settings, ...words) as Promise<Document>;
}
