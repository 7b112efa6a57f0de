import { Command } from 'commander';

/** A command, or a group of them. */
interface Group {
  readonly name: string;
  readonly description: string;
  register(group: Command): void;
}

/** Every `loupe` command (contract 14.5). What a group needs is loaded when it is called, so that the others, and the help, answer at once. */
const GROUPS: readonly Group[] = [
  {
    name: 'accounts',
    description: 'accounts and their credits',
    register: (group) => (require('./accounts') as typeof import('./accounts')).registerAccounts(group),
  },
  {
    name: 'keys',
    description: 'API keys',
    register: (group) => (require('./keys') as typeof import('./keys')).registerKeys(group),
  },
  {
    name: 'catalog',
    description: 'the catalog',
    register: (group) => {
      (require('./catalog') as typeof import('./catalog')).registerCatalog(group);
      (require('./generate') as typeof import('./generate')).registerGenerate(group);
      (require('./identifiability') as typeof import('./identifiability')).registerIdentifiability(group);
    },
  },
  {
    name: 'search',
    description: 'what people look for',
    register: (group) => (require('./search') as typeof import('./search')).registerSearch(group),
  },
  {
    name: 'webhooks',
    description: 'the addresses that callers are told at',
    register: (group) => {
      const { registerWebhooks }: typeof import('./webhooks') = require('./webhooks');
      registerWebhooks(group);
    },
  },
  {
    name: 'identify',
    description: 'what a photo shows',
    register: (group) => (require('./identify') as typeof import('./identify')).registerIdentify(group),
  },
  {
    name: 'models',
    description: 'embedding models',
    register: (group) => (require('./models') as typeof import('./models')).registerModels(group),
  },
  {
    name: 'embeddings',
    description: 'embeddings of the catalog images, and the change of the model',
    register: (group) => (require('./embeddings') as typeof import('./embeddings')).registerEmbeddings(group),
  },
  {
    name: 'images',
    description: 'where the stored images lie',
    register: (group) => (require('./images') as typeof import('./images')).registerImages(group),
  },
  {
    name: 'mcp',
    description: 'the API as tools for a model (Model Context Protocol)',
    register: (group) => (require('./mcp') as typeof import('./mcp')).registerMcp(group),
  },
  {
    name: 'predictions',
    description: 'records of identifications',
    register: (group) =>
      (require('./predictions') as typeof import('./predictions')).registerPredictions(group),
  },
  {
    name: 'backup',
    description: 'database, stored images, keys and models into one file',
    register: (group) => (require('./backup') as typeof import('./backup')).registerBackup(group),
  },
  {
    name: 'restore',
    description: 'an installation from what backup wrote',
    register: (group) => (require('./backup') as typeof import('./backup')).registerRestore(group),
  },
  {
    name: 'audit',
    description: 'who did what and when',
    register: (group) => (require('./audit') as typeof import('./audit')).registerAudit(group),
  },
  {
    name: 'usage',
    description: 'credits that an account used, by day and endpoint',
    register: (group) => (require('./usage') as typeof import('./usage')).registerUsage(group),
  },
];

/**
 * The `loupe` program for `words` (the command line after the name). All groups are in it, but only those that the words
 * name have their commands and options.
 */
export function buildProgram(words: readonly string[]): Command {
  const program = new Command('loupe')
    .description('Identifies luxury items from a photo and answers for their catalog.')
    .showHelpAfterError('(--help shows what each command takes)')
    .exitOverride();
  for (const { name, description, register } of GROUPS) {
    const group = program.command(name).description(description);
    if (words.includes(name)) register(group);
  }
  return program;
}
