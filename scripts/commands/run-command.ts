import { Command, CommanderError, InvalidArgumentError } from '@commander-js/extra-typings';
import { AppError } from '../../models/errors';
import { version } from '../../package.json';
import { printable } from '../composition/printable';
import { ConfigError } from '../config';

/** Runs a `loupe` command and returns its exit code: 0 done, 1 refused or failed, 2 wrong usage or settings; stderr says why. */
export async function runCommand(words: readonly string[]): Promise<number> {
  try {
    await buildProgram(words).parseAsync(words, { from: 'user' });
    return 0;
  } catch (failure) {
    return report(failure, words.includes('--debug'));
  }
}

/** Groups of `loupe` commands (contract 14.5): description, and modules that register them; default: the one of that name. */
const GROUPS: Readonly<Record<string, readonly [description: string, modules?: readonly string[]]>> = {
  accounts: ['accounts and their credits'],
  keys: ['API keys'],
  catalog: ['the catalog', ['catalog', 'generate', 'identifiability']],
  search: ['queries that find nothing'],
  webhooks: ['webhook URLs of callers'],
  identify: ['identify the item in a photo'],
  models: ['embedding models'],
  embeddings: ['embeddings of the catalog images, and swapping the model'],
  images: ['the store of catalog images'],
  mcp: ['the API as tools for a model (Model Context Protocol)'],
  predictions: ['records of identifications'],
  backup: ['back up database, stored images, keys and models into one file'],
  restore: ['restore an installation from a backup'],
  audit: ['who did what and when'],
  usage: ['credits that an account used, by day and endpoint'],
};

/** The program for `words`, the command line after the name. Only the modules of named groups are loaded. */
export function buildProgram(words: readonly string[]): Command {
  const program = new Command('loupe')
    .version(version)
    .enablePositionalOptions()
    .description('Identifies luxury items from a photo and answers for their catalog.')
    .showHelpAfterError('(--help shows what each command takes)')
    .exitOverride();
  for (const [name, [description, modules = [name]]] of Object.entries(GROUPS)) {
    const group = program.command(name).description(description);
    if (!words.includes(name)) continue;
    for (const file of modules) {
      const { register }: { register(command: Command): void } = require(`./${file}`);
      register(group);
    }
  }
  return program;
}

function report(failure: unknown, withStack: boolean): number {
  // Commander has said its own failures, and not what an action found wrong with its options.
  if (failure instanceof InvalidArgumentError) process.stderr.write(`loupe: ${printable(failure.message)}\n`);
  if (failure instanceof CommanderError) return failure.exitCode === 0 ? 0 : 2;
  if (failure instanceof ConfigError) {
    process.stderr.write(`${failure.message}\n`);
    return 2;
  }
  process.stderr.write(`loupe: ${printable(reasonOf(failure))}\n`);
  if (!(failure instanceof AppError) && failure instanceof Error && withStack) {
    process.stderr.write(`${failure.stack ?? ''}\n`);
  }
  return 1;
}

/** What is wrong with a file or folder that a command was given. */
const FILE_FAULTS: Readonly<Record<string, string>> = {
  EACCES: 'may not be used by this user',
  EEXIST: 'is a file, where a folder is needed',
  EISDIR: 'is a folder; name a file',
  ENOENT: 'does not exist',
  ENOTDIR: 'is below a file, where a folder is needed',
  EROFS: 'is on a disk that can only be read',
};

/** The message of an AppError hides its cause from callers; operators see it. */
function reasonOf(failure: unknown): string {
  if (!(failure instanceof Error)) return String(failure);
  const { code = '', path, dest = path }: NodeJS.ErrnoException & { dest?: string } = failure;
  if (dest !== undefined && FILE_FAULTS[code]) return `${dest} ${FILE_FAULTS[code]} (${code}).`;
  const isInside = failure instanceof AppError && failure.status >= 500 && failure.cause instanceof Error;
  return isInside ? `${failure.message} (${String(failure.cause)})` : failure.message;
}
