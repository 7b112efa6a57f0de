import 'reflect-metadata';
import { Command, CommanderError } from 'commander';
import { AppError } from '../models/errors';
import { registerAccounts } from './commands/accounts';
import { registerCatalog } from './commands/catalog';
import { registerEmbeddings } from './commands/embeddings';
import { registerIdentify } from './commands/identify';
import { registerKeys } from './commands/keys';
import { registerModels } from './commands/models';
import { registerPredictions } from './commands/predictions';
import { registerUsage } from './commands/usage';
import { ConfigError } from './config';

/** Every `loupe` command; each file in `commands/` registers one group. */
function buildProgram(): Command {
  const program = new Command('loupe')
    .description('Identifies luxury items from a photo and answers for their catalog.')
    .showHelpAfterError('(--help shows what each command takes)')
    .exitOverride();
  for (const register of [
    registerAccounts,
    registerKeys,
    registerCatalog,
    registerIdentify,
    registerModels,
    registerEmbeddings,
    registerPredictions,
    registerUsage,
  ]) {
    register(program);
  }
  return program;
}

/** Exit codes: 0 done, 1 refused or failed, 2 wrong usage or settings. */
async function main(): Promise<void> {
  try {
    await buildProgram().parseAsync();
  } catch (failure) {
    process.exitCode = report(failure);
  }
}

function report(failure: unknown): number {
  if (failure instanceof CommanderError) return failure.exitCode === 0 ? 0 : 2;
  if (failure instanceof ConfigError) {
    process.stderr.write(`${failure.message}\n`);
    return 2;
  }
  const message = failure instanceof Error ? failure.message : String(failure);
  process.stderr.write(`loupe: ${message}\n`);
  if (!(failure instanceof AppError) && failure instanceof Error && process.argv.includes('--debug')) {
    process.stderr.write(`${failure.stack ?? ''}\n`);
  }
  return 1;
}

void main();
