import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { type Embedded, type EmbeddedOptions, ensureEmbedded } from '../../db/embedded/ensure-embedded';
import { hostPid } from '../../db/embedded/run-folder';
import { copyDataFolder, digestOf, ENGINE_SOURCES, prepareTemplate } from '../support/templates';

export type EmbeddedFixture = Awaited<ReturnType<typeof startFixture>>;

/** A data folder with an empty cluster, which is prepared once per version of the engine and of its settings. */
export async function folderWithCluster(): Promise<string> {
  const key = `empty-${digestOf(ENGINE_SOURCES)}`;
  const template = await prepareTemplate(key, async (dataFolder) => {
    const embedded = await ensureEmbedded(dataFolder, { durable: false });
    await embedded.close();
  });
  // A short path: the sockets' paths have a limit.
  const folder = mkdtempSync(join(tmpdir(), 'lpt-'));
  copyDataFolder(template, folder);
  return folder;
}

/** A fresh, empty embedded database in a folder of its own, and clients of it; `remove` closes everything. */
export async function startFixture(options: EmbeddedOptions = {}) {
  const dataFolder = await folderWithCluster();
  const embedded = await ensureEmbedded(dataFolder, { durable: false, ...options });
  const clients: Client[] = [];
  return {
    dataFolder,
    embedded,
    connect: async () => {
      const client = await connectTo(embedded);
      clients.push(client);
      return client;
    },
    hostPid: async () => hostPid(await embedded.socketFolder()),
    remove: async () => {
      await Promise.all(clients.map((client) => client.end().catch(() => undefined)));
      await embedded.close();
      rmSync(dataFolder, { recursive: true, force: true });
    },
  };
}

/** A client that tolerates the end of its host. */
export async function connectTo(embedded: Embedded): Promise<Client> {
  const client = new Client({ host: await embedded.socketFolder(), user: 'postgres', database: 'postgres' });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}
