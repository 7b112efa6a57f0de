import { Command } from '@commander-js/extra-typings';

/** Gives a group its commands, or a command its options. */
type Register = (command: Command) => void;

/**
 * Every `loupe` command (contract 14.5): its description, and what registers it. The modules of a group are loaded when it is
 * called, so that the others, and the help, answer at once.
 */
const GROUPS: Readonly<Record<string, readonly [description: string, load: () => readonly Register[]]>> = {
  accounts: ['accounts and their credits', () => [accounts().register]],
  keys: ['API keys', () => [keys().register]],
  catalog: ['the catalog', () => [catalog().register, generate().register, identifiability().register]],
  search: ['what people look for', () => [search().register]],
  webhooks: ['the addresses that callers are told at', () => [webhooks().register]],
  identify: ['what a photo shows', () => [identify().register]],
  models: ['embedding models', () => [models().register]],
  embeddings: [
    'embeddings of the catalog images, and the change of the model',
    () => [embeddings().register],
  ],
  images: ['where the stored images lie', () => [images().register]],
  mcp: ['the API as tools for a model (Model Context Protocol)', () => [mcp().register]],
  predictions: ['records of identifications', () => [predictions().register]],
  backup: ['database, stored images, keys and models into one file', () => [backup().registerBackup]],
  restore: ['an installation from what backup wrote', () => [backup().registerRestore]],
  audit: ['who did what and when', () => [audit().register]],
  usage: ['credits that an account used, by day and endpoint', () => [usage().register]],
};

const accounts = (): typeof import('./accounts') => require('./accounts');
const audit = (): typeof import('./audit') => require('./audit');
const backup = (): typeof import('./backup') => require('./backup');
const catalog = (): typeof import('./catalog') => require('./catalog');
const embeddings = (): typeof import('./embeddings') => require('./embeddings');
const generate = (): typeof import('./generate') => require('./generate');
const identifiability = (): typeof import('./identifiability') => require('./identifiability');
const identify = (): typeof import('./identify') => require('./identify');
const images = (): typeof import('./images') => require('./images');
const keys = (): typeof import('./keys') => require('./keys');
const mcp = (): typeof import('./mcp') => require('./mcp');
const models = (): typeof import('./models') => require('./models');
const predictions = (): typeof import('./predictions') => require('./predictions');
const search = (): typeof import('./search') => require('./search');
const usage = (): typeof import('./usage') => require('./usage');
const webhooks = (): typeof import('./webhooks') => require('./webhooks');

/** The `loupe` program for `words`, the command line after the name; only the groups that the words name have their commands. */
export function buildProgram(words: readonly string[]): Command {
  const program = new Command('loupe')
    .description('Identifies luxury items from a photo and answers for their catalog.')
    .showHelpAfterError('(--help shows what each command takes)')
    .exitOverride();
  for (const [name, [description, load]] of Object.entries(GROUPS)) {
    const group = program.command(name).description(description);
    if (words.includes(name)) for (const register of load()) register(group);
  }
  return program;
}
