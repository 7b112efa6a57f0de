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
    register: (group) => {
      const { registerAccounts }: typeof import('./accounts') = require('./accounts');
      registerAccounts(group);
    },
  },
  {
    name: 'keys',
    description: 'API keys',
    register: (group) => {
      const { registerKeys }: typeof import('./keys') = require('./keys');
      registerKeys(group);
    },
  },
  {
    name: 'catalog',
    description: 'the catalog',
    register: (group) => {
      const { registerCatalog }: typeof import('./catalog') = require('./catalog');
      const { registerGenerate }: typeof import('./generate') = require('./generate');
      registerCatalog(group);
      const { registerIdentifiability }: typeof import('./identifiability') = require('./identifiability');
      registerGenerate(group);
      registerIdentifiability(group);
    },
  },
  {
    name: 'search',
    description: 'what people look for',
    register: (group) => {
      const { registerSearch }: typeof import('./search') = require('./search');
      registerSearch(group);
    },
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
    register: (group) => {
      const { registerIdentify }: typeof import('./identify') = require('./identify');
      registerIdentify(group);
    },
  },
  {
    name: 'models',
    description: 'embedding models',
    register: (group) => {
      const { registerModels }: typeof import('./models') = require('./models');
      registerModels(group);
    },
  },
  {
    name: 'embeddings',
    description: 'embeddings of the catalog images, and the change of the model',
    register: (group) => {
      const { registerEmbeddings }: typeof import('./embeddings') = require('./embeddings');
      registerEmbeddings(group);
    },
  },
  {
    name: 'images',
    description: 'where the stored images lie',
    register: (group) => {
      const { registerImages }: typeof import('./images') = require('./images');
      registerImages(group);
    },
  },
  {
    name: 'mcp',
    description: 'the API as tools for a model (Model Context Protocol)',
    register: (group) => {
      const { registerMcp }: typeof import('./mcp') = require('./mcp');
      registerMcp(group);
    },
  },
  {
    name: 'predictions',
    description: 'records of identifications',
    register: (group) => {
      const { registerPredictions }: typeof import('./predictions') = require('./predictions');
      registerPredictions(group);
    },
  },
  {
    name: 'backup',
    description: 'database, stored images, keys and models into one file',
    register: (group) => {
      const { registerBackup }: typeof import('./backup') = require('./backup');
      registerBackup(group);
    },
  },
  {
    name: 'restore',
    description: 'an installation from what backup wrote',
    register: (group) => {
      const { registerRestore }: typeof import('./backup') = require('./backup');
      registerRestore(group);
    },
  },
  {
    name: 'audit',
    description: 'who did what and when',
    register: (group) => {
      const { registerAudit }: typeof import('./audit') = require('./audit');
      registerAudit(group);
    },
  },
  {
    name: 'usage',
    description: 'credits that an account used, by day and endpoint',
    register: (group) => {
      const { registerUsage }: typeof import('./usage') = require('./usage');
      registerUsage(group);
    },
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
