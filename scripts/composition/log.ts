import { destination, type Logger, pino } from 'pino';
import pretty from 'pino-pretty';
import type { Config } from '../config';

/** Structured lines on stderr, so that stdout belongs to answers. Keys are never written. @param fields of every line */
export function createLogger(
  config: Pick<Config, 'LOG_LEVEL' | 'LOG_FORMAT'>,
  fields: () => object = () => ({}),
): Logger {
  const options = {
    level: config.LOG_LEVEL,
    base: { service: 'loupe' },
    mixin: fields,
    redact: ['req.headers.authorization', 'headers.authorization', 'key', 'secret'],
  };
  const stream =
    config.LOG_FORMAT === 'pretty'
      ? pretty({ destination: 2, sync: true })
      : destination({ dest: 2, sync: false });
  return pino(options, stream);
}
