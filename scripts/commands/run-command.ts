import { CommanderError, InvalidArgumentError } from '@commander-js/extra-typings';
import { AppError } from '../../models/errors';
import { printable } from '../composition/printable';
import { ConfigError } from '../config';
import { buildProgram } from './program';

/** Runs a `loupe` command and returns its exit code: 0 done, 1 refused or failed, 2 wrong usage or settings; stderr says why. */
export async function runCommand(words: readonly string[]): Promise<number> {
  try {
    await buildProgram(words).parseAsync(words, { from: 'user' });
    return 0;
  } catch (failure) {
    return report(failure, words.includes('--debug'));
  }
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

/** The message of an AppError hides its cause from callers; operators see it. */
function reasonOf(failure: unknown): string {
  if (!(failure instanceof Error)) return String(failure);
  const isInside = failure instanceof AppError && failure.status >= 500 && failure.cause instanceof Error;
  return isInside ? `${failure.message} (${String(failure.cause)})` : failure.message;
}
