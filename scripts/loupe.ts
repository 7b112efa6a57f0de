import 'reflect-metadata';
import { CommanderError } from 'commander';
import { AppError } from '../models/errors';
import { buildProgram } from './commands/program';
import { ConfigError } from './config';

/** Exit codes: 0 done, 1 refused or failed, 2 wrong usage or settings. */
async function main(): Promise<void> {
  try {
    const words = process.argv.slice(2);
    await buildProgram(words).parseAsync(words, { from: 'user' });
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
