import 'reflect-metadata';
import { Command } from 'commander';
import { refuseTelemetry } from '../../config';
import { registerCatalogBenches } from './commands/catalog-benches';
import { registerLoadBenches } from './commands/load-benches';
import { registerVisionBenches } from './commands/vision-benches';

/** `npm run bench -- <name>`: each prints a table and writes it, with the machine it ran on, as JSON. */
async function main(): Promise<void> {
  refuseTelemetry();
  const program = new Command('bench').description('measurements, side by side with a peer or a limit');
  registerVisionBenches(program);
  registerCatalogBenches(program);
  registerLoadBenches(program);
  await program.parseAsync();
}

main().catch((failure: unknown) => {
  process.stderr.write(
    `${failure instanceof Error ? (failure.stack ?? failure.message) : String(failure)}\n`,
  );
  process.exitCode = 1;
});
