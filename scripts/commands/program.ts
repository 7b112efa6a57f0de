import { Command } from '@commander-js/extra-typings';
import { version } from '../../package.json';

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
