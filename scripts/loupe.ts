import 'reflect-metadata';
import { runCommand } from './commands/run-command';

void runCommand(process.argv.slice(2)).then((code) => {
  // A command that ran may have set another one.
  if (code !== 0) process.exitCode = code;
});
