import { join } from 'node:path';
import { buildPgvector } from './build-pgvector';
import type { DebianPackages } from './debian-packages';
import type { ProviderOptions } from './service';
import { libraryPath, unpackedCopy, upstreamVersion } from './unpacked-copy';

/** Where the programs lie that `private-postgres` and `private-redis` start. */
export interface Software {
  /** Folder with initdb, postgres, pg_isready and psql. */
  readonly postgresBinaries: string;
  /** The redis-server program. */
  readonly redisServer: string;
  /** Folders with shared libraries that only these programs need. */
  readonly libraryPath: string;
  /** In words: "PostgreSQL 15 with pgvector 0.8.7, Redis 7.0". */
  readonly description: string;
}

/** Raised by one whenever the recipe below changes, so that no old copy is taken for a new one. */
const RECIPE = 1;

/**
 * PostgreSQL with pgvector and Redis from Debian's archive.
 * @throws Error on machines without apt, without the packages or, where pgvector must be built, without a compiler.
 */
export async function debianSoftware(options: ProviderOptions): Promise<Software> {
  const { root, found } = await unpackedCopy<Prepared>(
    {
      name: String(RECIPE),
      unpack: (packages, into, codename) => unpackAll(packages, into, codename, options),
    },
    options,
  );
  return located(root, found);
}

/** What was found out while the copy was made. */
interface Prepared {
  readonly postgresMajor: string;
  readonly description: string;
}

async function unpackAll(
  packages: DebianPackages,
  root: string,
  codename: string,
  options: ProviderOptions,
): Promise<Prepared> {
  const metaPackage = (await packages.dependencies('postgresql')).find((name) =>
    /^postgresql-\d+$/.test(name),
  );
  if (metaPackage === undefined) throw new Error('apt knows no package postgresql');
  const major = metaPackage.slice('postgresql-'.length);
  const packaged = await packages.candidate(`postgresql-${major}-pgvector`);
  const names = [`postgresql-${major}`, `postgresql-client-${major}`, 'redis-server', 'redis-tools'];
  if (packaged !== undefined) names.push(`postgresql-${major}-pgvector`);
  options.log(`Debian packages: unpacking PostgreSQL ${major} and Redis (nothing is installed)`);
  await packages.unpack(names, packaged === undefined ? [`postgresql-server-dev-${major}`] : [], root);
  const vector =
    packaged ?? (await buildPgvector({ packages, root, postgresMajor: major, codename, ...options }));
  const redis = await packages.candidate('redis-server');
  return {
    postgresMajor: major,
    description: `PostgreSQL ${major} with pgvector ${upstreamVersion(vector)}, Redis ${upstreamVersion(redis ?? '')}`,
  };
}

async function located(root: string, prepared: Prepared): Promise<Software> {
  return {
    postgresBinaries: join(root, 'usr/lib/postgresql', prepared.postgresMajor, 'bin'),
    redisServer: join(root, 'usr/bin/redis-server'),
    libraryPath: await libraryPath(root),
    description: prepared.description,
  };
}
