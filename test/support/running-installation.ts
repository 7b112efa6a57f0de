import type { Stream } from 'node:stream';
import type { Knex } from 'knex';
import { PostgresAccountRepository } from '../../db/accounts/account-repository';
import type { Database } from '../../db/core/knex';
import { API_VERSIONS } from '../../models/access/api-key';
import { hashKey, makeKey } from '../../models/access/credential';
import { SYSTEM_CLOCK } from '../../scripts/composition/opening';
import { type ServiceProcess, startProcess } from '../../scripts/lab/service-processes';
import { ApiClient } from './api-client';
import type { Installation } from './installation';
import { loupeHere } from './run-loupe';

export const CREDITS = 1_000_000; // of an account that names none

export interface Payer {
  readonly accountId: string;
  readonly keyId: string;
  readonly key: string;
}

/** Creates an account with a key that has no limits. `credits` null is unlimited; `test` makes it a test key. */
export async function openAccount(
  knex: Knex,
  { credits = CREDITS, test = true }: { readonly credits?: number | null; readonly test?: boolean } = {},
): Promise<Payer> {
  const accounts = new PostgresAccountRepository(knex, SYSTEM_CLOCK);
  const { id: accountId } = await accounts.createAccount('test', credits);
  const key = makeKey(test);
  const limits = { perSecond: null, perMinute: null, concurrency: null };
  const made = { accountId, name: 'test', versions: API_VERSIONS, test, limits, hash: hashKey(key) };
  const { id: keyId } = await accounts.createKey(made);
  return { accountId, keyId, key };
}

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

  /**
   * Starts the processes of some roles on PostgreSQL and Redis, and of others on the embedded default.
   * @param log an open file stream for what they log
   * @param more settings of the processes alone, and not of commands
   */
  static async start(
    { folder, dataDir, settings, connect, remove }: Installation,
    { onServers = ['api', 'worker'], embedded = ['all'], log, more = {} }: Partial<Start> = {},
  ): Promise<RunningInstallation> {
    const roles = settings['REDIS_URL'] === undefined ? embedded : onServers;
    const processes = await Promise.all(
      roles.map((ROLE) => startProcess({ ...settings, ...more, ROLE }, log)),
    );
    const database = await connect();
    const { key } = await openAccount(database.knex, { credits: null, test: false });
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
