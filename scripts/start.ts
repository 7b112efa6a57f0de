import 'reflect-metadata';
import { messageOf } from '../models/errors';
import { createLogger } from './composition/log';
import { NO_ADDRESS, startService } from './composition/service';
import { settingWarnings } from './composition/setting-warnings';
import { ConfigError, processEnvironment, readConfig } from './config';

/** `npm start`: the service, until SIGTERM or SIGINT; a second signal ends it at once. */
async function main(): Promise<void> {
  const config = readConfig();
  const logger = createLogger(config);
  for (const warning of settingWarnings(config, processEnvironment())) logger.warn({}, warning);
  const service = await startService(config);
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
  const known = failure instanceof ConfigError;
  const reason = messageOf(failure);
  process.stderr.write(known ? `${reason}\n` : `Loupe does not start: ${reason}\n`);
  process.exit(known ? 2 : 1);
});
