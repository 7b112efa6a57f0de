import { randomUUID } from 'node:crypto';
import type { Clock, IdSource } from '../../models/ports';

/** The machine's clock. */
export class SystemClock implements Clock {
  now(): Date {
    return new Date();
  }
}

/** Version 4 UUIDs (RFC 9562). */
export class RandomIds implements IdSource {
  next(): string {
    return randomUUID();
  }
}
