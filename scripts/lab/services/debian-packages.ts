import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type AptSource, distributionArchive, parseAptSources } from './apt-sources';
import { type CommandOptions, runCommand } from './run-command';
import type { Environment } from './service';

/** Never taken along: the C library must match the dynamic loader of the machine. */
const LEFT_TO_THE_MACHINE = /^(libc6|libc-bin|libc-l10n|locales|libc6-dev|libcrypt1|debconf|dpkg)$/;

/**
 * Debian packages without installing them: apt resolves and downloads, `dpkg -x` unpacks into a folder of ours.
 * It works with and without root, starts no service, and leaves the machine's packages, lists and sources as they were,
 * because lists and downloads live in `stateFolder` by `-o Dir::…`.
 */
export class DebianPackages {
  constructor(
    private readonly stateFolder: string,
    private readonly environment: Environment,
  ) {}

  /** Reads the package lists of the machine's own sources into our folder. */
  async update(): Promise<void> {
    for (const folder of ['lists/partial', 'archives/partial', 'empty.d', 'source']) {
      await mkdir(join(this.stateFolder, folder), { recursive: true });
    }
    await this.apt(['apt-get', '-q', 'update']);
  }

  /** The version that apt would install, or undefined when the package is unknown. */
  async candidate(name: string): Promise<string | undefined> {
    const output = await this.apt(['apt-cache', 'policy', name]);
    const version = /^\s*Candidate:\s*(\S+)/m.exec(output)?.[1];
    return version === '(none)' ? undefined : version;
  }

  /** The packages that `name` depends on directly. */
  async dependencies(name: string): Promise<readonly string[]> {
    const output = await this.apt(['apt-cache', 'depends', name]);
    return [...output.matchAll(/^\s*Depends:\s*(\S+)/gm)].flatMap((match) => match[1] ?? []);
  }

  /**
   * Downloads `names`, installed or not, with every dependency that the machine lacks, and unpacks all of it into `root`.
   * `alone` are unpacked without their dependencies.
   */
  async unpack(names: readonly string[], alone: readonly string[], root: string): Promise<void> {
    const plan = await this.apt(['apt-get', '-s', 'install', '--no-install-recommends', ...names]);
    const missing = plannedPackages(plan).filter((name) => !LEFT_TO_THE_MACHINE.test(name));
    const wanted = [...new Set([...names, ...missing, ...alone])];
    const downloads = join(root, '.packages');
    await mkdir(downloads, { recursive: true });
    await this.apt(['apt-get', '-q', 'download', ...wanted], { cwd: downloads });
    for (const file of await readdir(downloads)) {
      await runCommand('dpkg', ['-x', join(downloads, file), root]);
    }
  }

  /** Installs packages on the machine; only for root, and only for tools that must be part of it. */
  async install(names: readonly string[]): Promise<void> {
    const locked = ['-o', 'Debug::NoLocking=false', '-o', 'DPkg::Lock::Timeout=120'];
    await this.apt(['apt-get', '-q', '-y', ...locked, 'install', '--no-install-recommends', ...names]);
  }

  /**
   * Downloads a source package of another release from the machine's own archive and returns the path of the upstream
   * tarball. The first of `suites` that has it wins; `log` hears of the others.
   * @throws Error when none of them does.
   */
  async sourceTarball(
    name: string,
    suites: readonly string[],
    codename: string,
    log: (line: string) => void,
  ): Promise<string> {
    const archive = distributionArchive(await machineSources(), codename);
    if (archive === undefined) throw new Error(`apt's sources name no archive with main of ${codename}`);
    for (const suite of suites) {
      try {
        return await this.downloadSource(name, suite, archive);
      } catch (error) {
        log(`Debian packages: no source of ${name} from ${suite}: ${lastLine(error)}`);
      }
    }
    throw new Error(`no source package ${name} in ${suites.join(', ')}`);
  }

  private async downloadSource(name: string, suite: string, archive: AptSource): Promise<string> {
    const folder = join(this.stateFolder, 'source', suite);
    await mkdir(join(folder, 'lists/partial'), { recursive: true });
    const list = join(folder, 'sources.list');
    const trust = archive.signedBy === undefined ? '' : `[signed-by=${archive.signedBy}] `;
    await writeFile(list, `deb-src ${trust}${archive.uri} ${suite} main\n`);
    const own = [
      ...[
        '-o',
        `Dir::Etc::SourceList=${list}`,
        '-o',
        `Dir::Etc::SourceParts=${join(this.stateFolder, 'empty.d')}`,
      ],
      ...[
        '-o',
        `Dir::Etc::Preferences=/dev/null`,
        '-o',
        `Dir::Etc::PreferencesParts=${join(this.stateFolder, 'empty.d')}`,
      ],
      ...['-o', `Dir::State::Lists=${join(folder, 'lists')}`],
    ];
    await this.apt(['apt-get', '-q', ...own, 'update']);
    await this.apt(['apt-get', '-q', ...own, 'source', '--download-only', name], { cwd: folder });
    const tarball = (await readdir(folder)).find((file) => /\.orig\.tar\.\w+$/.test(file));
    if (tarball === undefined) throw new Error(`the source package ${name} came without an upstream tarball`);
    return join(folder, tarball);
  }

  private apt(command: readonly string[], options: CommandOptions = {}): Promise<string> {
    const [tool = 'apt-get', ...parameters] = command;
    const own = [
      ...['-o', `Dir::State::Lists=${join(this.stateFolder, 'lists')}`],
      ...[
        '-o',
        `Dir::Cache=${this.stateFolder}`,
        '-o',
        `Dir::Cache::Archives=${join(this.stateFolder, 'archives')}`,
      ],
      ...['-o', 'APT::Sandbox::User=', '-o', 'Debug::NoLocking=true', '-o', 'Acquire::Retries=3'],
    ];
    const environment = { ...this.environment, LC_ALL: 'C', DEBIAN_FRONTEND: 'noninteractive' };
    return runCommand(tool, [...own, ...parameters], { environment, ...options });
  }
}

/** The packages that a simulated `apt-get install` would put on the machine (its `Inst` lines). */
export function plannedPackages(simulation: string): readonly string[] {
  return [...simulation.matchAll(/^Inst (\S+) /gm)].flatMap((match) => match[1] ?? []);
}

async function machineSources(): Promise<readonly AptSource[]> {
  const folder = '/etc/apt/sources.list.d';
  const parts = (await readdir(folder).catch(() => [])).map((file) => join(folder, file));
  const texts = await Promise.all(
    ['/etc/apt/sources.list', ...parts].map(async (path) => {
      const notation = path.endsWith('.sources') ? 'sources' : 'list';
      return parseAptSources(await readFile(path, 'utf8').catch(() => ''), notation);
    }),
  );
  return texts.flat();
}

function lastLine(error: unknown): string {
  return String(error).trim().split('\n').at(-1) ?? '';
}
