import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { type Embedded, type EmbeddedOptions, ensureEmbedded } from '../../db/embedded/ensure-embedded';
import { prepareTemplate } from '../../db/embedded/template';

/** A fresh, empty embedded database in a folder of its own, and clients of it; `remove` closes all. */
export interface EmbeddedFixture {
  readonly dataFolder: string;
  readonly embedded: Embedded;
  connect(): Promise<Client>;
  hostPid(): Promise<number>;
  remove(): Promise<void>;
}

/** A short path: the sockets' paths have a limit. */
export const newFolder = (): string => mkdtempSync(join(tmpdir(), 'lpt-'));

/** An empty cluster, prepared once per version of the dependencies and of the settings. */
export async function emptyTemplate(): Promise<string> {
  const dependencies = readFileSync(join(__dirname, '../../package.json'));
  const engine = readFileSync(join(__dirname, '../../db/embedded/engine-thread.ts'));
  const key = createHash('sha256').update(dependencies).update(engine).digest('hex').slice(0, 16);
  return await prepareTemplate(join(tmpdir(), 'loupe-templates'), `empty-${key}`, async (folder) => {
    const embedded = await ensureEmbedded(folder, { durable: false });
    await embedded.close();
  });
}

export async function startFixture(options: EmbeddedOptions = {}): Promise<EmbeddedFixture> {
  const dataFolder = newFolder();
  const template = await emptyTemplate();
  const embedded = await ensureEmbedded(dataFolder, { template, durable: false, ...options });
  const clients: Client[] = [];
  return {
    dataFolder,
    embedded,
    connect: async () => {
      const client = await connectTo(embedded);
      clients.push(client);
      return client;
    },
    hostPid: async () => Number(readFileSync(join(await embedded.socketFolder(), 'host.pid'), 'utf8')),
    remove: async () => {
      await Promise.all(clients.map((client) => client.end().catch(() => undefined)));
      await embedded.close();
      rmSync(dataFolder, { recursive: true, force: true });
    },
  };
}

/** A client that does not mind when its host ends. */
export async function connectTo(embedded: Embedded): Promise<Client> {
  const client = new Client({ host: await embedded.socketFolder(), user: 'postgres', database: 'postgres' });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}
