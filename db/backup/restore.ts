import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { createGunzip } from 'node:zlib';
import type { Knex } from 'knex';
import pMap from 'p-map';
import type { ImageExtension } from '../../models/catalog/item';
import type { ImageStore } from '../../models/ports';
import { useAndClose } from '../../models/promises';
import { connectEmbedded, connectPostgres, type Database } from '../core/knex';
import { rowsOf } from '../core/sql';
import { isHostRunning } from '../embedded/run-folder';
import { openWorkFolder, writeDurably } from '../files/durable-files';
import { IMAGES_AT_ONCE } from '../files/image-address';
import { migrations } from '../migrations';
import { migrate } from '../migrations/migrate';
import { IMAGE_ENTRY, MODEL_ENTRY, readArchive, SIGNING_KEYS, tableOf, verifyArchive } from './archive';
import type { BackupSummary } from './backup';
import { type DumpedRows, loadDatabase, RestoreRefused, refuseUnknown } from './database-dump';

export interface RestoreSummary extends Omit<BackupSummary, 'bytes'> {
  readonly made_at: string;
}

export interface RestoredInstallation {
  /** Undefined: the embedded database of the data folder. */
  readonly databaseUrl: string | undefined;
  readonly dataDir: string;
  readonly modelsFolder: string;
  readonly images: ImageStore;
  runningAt(): Promise<string | null>;
}

export interface RestoreOptions {
  readonly replace: boolean;
  /** Records the restore in the database that it made. */
  readonly note: (knex: Knex, summary: RestoreSummary) => Promise<void>;
}

/**
 * Restores a backup under the schema of this version. The file is verified first; then images are added, the database
 * changes in one transaction, and keys and models follow. An interrupted restore can be run again.
 * @throws RestoreRefused for a damaged file, a running service, or an installation in use without `replace`
 */
export async function restore(
  installation: RestoredInstallation,
  file: string,
  options: RestoreOptions,
): Promise<RestoreSummary> {
  const manifest = await verifyArchive(file);
  refuseUnknown(manifest.database, migrations);
  await assertStopped(installation);
  return useAndClose(openWorkFolder(join(installation.dataDir, '.restore-')), ({ path: staged }) =>
    useAndClose(openDatabase(installation), async ({ knex }) => {
      const check = (inside: Knex) => assertUnused(inside, options.replace);
      await migrate(knex, migrations);
      await check(knex);
      const models = await takeFiles(installation, file, staged);
      const { made_at, images, database } = manifest;
      const summary = { file, made_at, tables: database.tables.length, images: images.count, models };
      await loadDatabase(knex, migrations, database, tablesIn(file), {
        check,
        finish: (inside) => options.note(inside, summary),
      });
      await settleFiles(installation, staged);
      return summary;
    }),
  );
}

async function assertStopped(installation: RestoredInstallation): Promise<void> {
  const url = await installation.runningAt();
  if (url !== null) throw running(`at ${url}`);
  if (installation.databaseUrl === undefined && (await staysRunning(installation.dataDir))) {
    throw running(`on ${installation.dataDir}, or a command`);
  }
}

/** Whether the embedded database is in use; its host exits a moment after the last command. */
async function staysRunning(dataDir: string): Promise<boolean> {
  for (const deadline = Date.now() + LEAVING_MS; await isHostRunning(dataDir); await delay(RETRY_MS)) {
    if (Date.now() > deadline) return true;
  }
  return false;
}

const LEAVING_MS = 5_000;
const RETRY_MS = 100;

const running = (where: string): RestoreRefused =>
  new RestoreRefused(`A service runs ${where}: stop every process of Loupe, then restore.`);

/** Its own name, so that it does not count among the others. */
const openDatabase = async ({ databaseUrl, dataDir }: RestoredInstallation): Promise<Database> =>
  databaseUrl === undefined
    ? connectEmbedded({ dataDir })
    : connectPostgres({ url: databaseUrl, poolMax: 2, applicationName: 'loupe restore' });

/** Connections of other processes of Loupe are known by the name that they give themselves; those of the embedded one share one. */
async function assertUnused(knex: Knex, replace: boolean): Promise<void> {
  const [line] = await rowsOf<{ others: number; isUsed: boolean }>(knex)`
    SELECT (SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()
      AND application_name = 'loupe' AND pid <> pg_backend_pid())::integer AS others,
    EXISTS (SELECT FROM accounts) OR EXISTS (SELECT FROM products) OR EXISTS (SELECT FROM entities)
      OR EXISTS (SELECT FROM predictions) OR EXISTS (SELECT FROM audit_log) AS "isUsed"`;
  if (line && line.others > 0) throw running(`on this database (${line.others} connections)`);
  if (!replace && line?.isUsed) {
    throw new RestoreRefused(
      'This installation is in use: back it up, then restore with --replace, which deletes what is in it.',
    );
  }
}

/** Puts images in their place, and models and keys beside theirs; resolves to the number of models. */
async function takeFiles({ images }: RestoredInstallation, file: string, staged: string): Promise<number> {
  const models = new Set<string>();
  const pictures = async function* () {
    for await (const { name, bytes } of readArchive(file)) {
      const [, , extension] = IMAGE_ENTRY.exec(name) ?? [];
      const [, model] = MODEL_ENTRY.exec(name) ?? [];
      if (extension !== undefined)
        yield { bytes: await buffer(bytes), extension: extension as ImageExtension };
      if (model !== undefined) models.add(model);
      if (model !== undefined || name === SIGNING_KEYS) await takeFile(join(staged, name), bytes);
    }
  };
  await pMap(pictures(), ({ bytes, extension }) => images.put(bytes, extension), IMAGES_AT_ONCE);
  return models.size;
}

async function takeFile(path: string, bytes: Readable): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const file = await open(path, 'wx', 0o600);
  await pipeline(bytes, file.createWriteStream({ flush: true }));
}

async function* tablesIn(file: string): DumpedRows {
  for await (const { name, bytes } of readArchive(file)) {
    const table = tableOf(name);
    if (table !== null) yield { table, rows: bytes.pipe(createGunzip()) };
  }
}

/** The last step: renames only. */
async function settleFiles({ dataDir, modelsFolder }: RestoredInstallation, staged: string): Promise<void> {
  const keys = await readFile(join(staged, SIGNING_KEYS));
  await writeDurably(join(dataDir, 'signing-keys.json'), keys, 0o600);
  await mkdir(modelsFolder, { recursive: true });
  for (const model of await readdir(join(staged, 'models')).catch(() => [])) {
    const place = join(modelsFolder, model);
    await rm(place, { recursive: true, force: true });
    await rename(join(staged, 'models', model), place);
  }
}
