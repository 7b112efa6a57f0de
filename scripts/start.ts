import 'reflect-metadata';
import { ConfigError, readConfig } from './config';
import { NO_ADDRESS, startService } from './service';

/** `npm start`: the service, until SIGTERM or SIGINT; a second signal ends it at once. */
async function main(): Promise<void> {
  const service = await startService(readConfig());
  process.stdout.write(`Loupe is ready${service.url === NO_ADDRESS ? '' : ` at ${service.url}`}\n`);
  let stopping = false;
  const stop = (signal: NodeJS.Signals) => {
    if (stopping) process.exit(1);
    stopping = true;
    process.stderr.write(`${signal}: finishing what runs\n`);
    service.close().then(
      () => process.exit(0),
      (failure: unknown) => {
        process.stderr.write(`the stop failed: ${String(failure)}\n`);
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
}

main().catch((failure: unknown) => {
  const message =
    failure instanceof ConfigError ? failure.message : `Loupe does not start: ${String(failure)}`;
  process.stderr.write(`${message}\n`);
  process.exit(failure instanceof ConfigError ? 2 : 1);
});
