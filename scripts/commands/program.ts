import { Command } from 'commander';

/** A command, or a group of them. */
interface Group {
  readonly name: string;
  readonly description: string;
  register(group: Command): void;
}

/** Every `loupe` command (running.md). What a group needs is loaded when it is called, so that the others, and the help, answer at once. */
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
      registerCatalog(group);
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
    name: 'predictions',
    description: 'records of identifications',
    register: (group) => {
      const { registerPredictions }: typeof import('./predictions') = require('./predictions');
      registerPredictions(group);
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
