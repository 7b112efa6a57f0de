import 'reflect-metadata';
import { runCommand } from './commands/run-command';

void runCommand(process.argv.slice(2)).then((code) => {
  // Zero must not replace an exit code that the command has set.
  if (code !== 0) process.exitCode = code;
});
