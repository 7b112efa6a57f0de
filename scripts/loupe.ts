import 'reflect-metadata';
import { runCommand } from './commands/run-command';

void runCommand(process.argv.slice(2)).then((code) => {
  // A command that was done may have said another.
  if (code !== 0) process.exitCode = code;
});
