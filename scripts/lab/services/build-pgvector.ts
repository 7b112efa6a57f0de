import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { DebianPackages } from './debian-packages';
import { commandSucceeds, runCommand } from './run-command';
import type { ProviderOptions } from './service';

export interface PgvectorBuild extends ProviderOptions {
  readonly packages: DebianPackages;
  /** The unpacked copy of PostgreSQL (with its server headers) that pgvector is built for and installed into. */
  readonly root: string;
  readonly postgresMajor: string;
  /** The running release, whose archive also holds the sources of the others. */
  readonly codename: string;
}

/** Newest first: pgvector before 0.8.4 has known faults in parallel builds and vacuum; trixie's is the stable fallback. */
const RELEASES_WITH_PGVECTOR = ['forky', 'trixie'];

/**
 * Builds pgvector from Debian's source package for a release that has no binary one (bookworm) and installs it into the
 * unpacked PostgreSQL.
 * @returns the version built, as Debian writes it.
 * @throws Error without a C compiler and make, which root gets from apt and others must have.
 */
export async function buildPgvector(build: PgvectorBuild): Promise<string> {
  await requireCompiler(build);
  build.log('Debian packages: no pgvector for this release; building it from source');
  const tarball = await build.packages.sourceTarball(
    'pgvector',
    RELEASES_WITH_PGVECTOR,
    build.codename,
    build.log,
  );
  const folder = join(build.root, '.pgvector');
  await mkdir(folder, { recursive: true });
  await runCommand('tar', ['-xf', tarball, '--strip-components=1', '-C', folder]);
  const make = [
    ...[
      '-C',
      folder,
      `PG_CONFIG=${join(build.root, 'usr/lib/postgresql', build.postgresMajor, 'bin/pg_config')}`,
    ],
    // No code for this processor alone, and no bitcode, which would need clang.
    ...['OPTFLAGS=', 'with_llvm=no'],
  ];
  await runCommand('make', ['-j2', ...make], { environment: build.environment });
  await runCommand('make', [...make, 'install'], { environment: build.environment });
  await rm(folder, { recursive: true, force: true });
  return versionOf(tarball);
}

async function requireCompiler(build: PgvectorBuild): Promise<void> {
  const usable = async () =>
    (await commandSucceeds('make', ['--version'])) &&
    (await commandSucceeds('gcc', ['-E', '-include', 'stdio.h', '-x', 'c', '-'], { input: '\n' }));
  if (await usable()) return;
  if (process.getuid?.() !== 0) {
    throw new Error(
      'pgvector must be built here and there is no C compiler: apt-get install gcc make libc6-dev',
    );
  }
  build.log('Debian packages: installing gcc, make and libc6-dev to build pgvector');
  await build.packages.install(['gcc', 'make', 'libc6-dev']);
  if (!(await usable())) throw new Error('gcc and make were installed but do not work');
}

/** `…/pgvector_0.8.7.orig.tar.gz` -> `0.8.7-0`, as a Debian version. */
function versionOf(tarball: string): string {
  const version = /_([^_/]+)\.orig\.tar\.\w+$/.exec(tarball)?.[1];
  return version === undefined ? 'unknown-0' : `${version}-0`;
}
