import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Software } from './debian-software';
import { freePort } from './free-port';
import { inPrivateFolder, type PrivateFolder } from './private-folder';
import { PrivateServer } from './private-server';
import { commandSucceeds, runCommand } from './run-command';
import { postgresParameters } from './server-settings';
import type { PostgresOptions, PostgresService } from './service';

/**
 * A PostgreSQL of our own on 127.0.0.1: new data folder, free port, random password, no socket.
 * Unless `durable`, a crash may lose data (`fsync` off), which is what makes tests fast.
 */
export async function startPrivatePostgres(
  software: Software,
  options: PostgresOptions,
): Promise<PostgresService> {
  return inPrivateFolder('postgres', 'data/postmaster.pid', 'QUIT', (folder) =>
    startIn(folder, software, options),
  );
}

async function startIn(
  folder: PrivateFolder,
  software: Software,
  options: PostgresOptions,
): Promise<PostgresService> {
  const environment = { PATH: '/usr/bin:/bin', LC_ALL: 'C.UTF-8', LD_LIBRARY_PATH: software.libraryPath };
  const binary = (name: string) => join(software.postgresBinaries, name);
  const data = join(folder.path, 'data');
  const password = randomBytes(16).toString('hex');
  const passwordFile = join(folder.path, 'password');
  await writeFile(passwordFile, password, { mode: 0o644 });
  const initdb = ['--username=loupe', `--pwfile=${passwordFile}`, '--auth=scram-sha-256', '--encoding=UTF8'];
  await runCommand(binary('initdb'), [...initdb, '--locale=C.UTF-8', '--no-sync', '-D', data], {
    cwd: folder.path,
    environment,
    identity: folder.identity,
  });
  const port = await freePort();
  const client = { environment: { ...environment, PGPASSWORD: password, PGCONNECT_TIMEOUT: '5' } };
  const address = ['-h', '127.0.0.1', '-p', String(port), '-U', 'loupe'];
  const server = new PrivateServer(
    {
      name: 'PostgreSQL',
      command: binary('postgres'),
      parameters: [
        '-D',
        data,
        '-h',
        '127.0.0.1',
        '-p',
        String(port),
        '-k',
        '',
        ...postgresParameters(options),
      ],
      environment,
      stopSignal: 'SIGINT',
      answers: () => commandSucceeds(binary('pg_isready'), [...address, '-d', 'postgres', '-t', '5'], client),
    },
    folder,
  );
  await server.start();
  const databaseUrl = (name: string) =>
    `postgresql://loupe:${password}@127.0.0.1:${port}/${encodeURIComponent(name)}`;
  const sql = (text: string) =>
    runCommand(
      binary('psql'),
      [...address, '-d', 'postgres', '-qAtX', '-v', 'ON_ERROR_STOP=1', '-c', text],
      client,
    );
  await sql('create database loupe');
  return {
    url: databaseUrl('loupe'),
    ...server.methods(),
    async createDatabase(name, template) {
      await sql(
        `create database ${quoted(name)}${template === undefined ? '' : ` template ${quoted(template)}`}`,
      );
      return databaseUrl(name);
    },
  };
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
