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
  process.stderr.write(`loupe: ${reasonOf(failure)}\n`);
  if (!(failure instanceof AppError) && failure instanceof Error && process.argv.includes('--debug')) {
    process.stderr.write(`${failure.stack ?? ''}\n`);
  }
  return 1;
}

/** An AppError is meant for callers, who are not told its inside; the operator is. */
function reasonOf(failure: unknown): string {
  if (!(failure instanceof Error)) return String(failure);
  const isInside = failure instanceof AppError && failure.status >= 500 && failure.cause instanceof Error;
  return isInside ? `${failure.message} (${String(failure.cause)})` : failure.message;
}

void main();
