import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '../../models/ports';
import { StoreFault } from '../../models/store-fault';

/** A fault that an operator must fix before anything starts; the message says what to do, without secrets. */
export class StartRefused extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'StartRefused';
  }
}

const RETRY_MS = 1_000;
/** Between two lines of the log about the same fault. */
const PROGRESS_MS = 5_000;

export interface Timer {
  now(): number;
  delay(ms: number): Promise<unknown>;
}

const REAL_TIME: Timer = { now: () => Date.now(), delay };

/**
 * Waits until a store can be used. @param setting that names it in all that is said @param probe rejects with a StoreFault
 * @throws StartRefused when waiting can't fix it, or has not within `waitMs`
 */
export async function waitForStore<Result>(
  setting: string,
  probe: () => Promise<Result>,
  { waitMs, logger, timer = REAL_TIME }: { waitMs: number; logger: Logger; timer?: Timer },
): Promise<Result> {
  const began = timer.now();
  let saidAt = Number.NEGATIVE_INFINITY;
  for (;;) {
    try {
      return await probe();
    } catch (failure) {
      if (!(failure instanceof StoreFault)) throw failure;
      const passed = timer.now() - began;
      const sentence = `${setting}: ${failure.message}`;
      if (!failure.mayPass || waitMs === 0) throw new StartRefused(sentence, failure);
      if (passed >= waitMs) throw new StartRefused(`${sentence} (waited ${inSeconds(passed)})`, failure);
      if (timer.now() - saidAt >= PROGRESS_MS) {
        logger.warn({}, `${sentence}; waiting for it, ${inSeconds(waitMs - passed)} more (STORE_WAIT_MS)`);
        saidAt = timer.now();
      }
      await timer.delay(Math.min(RETRY_MS, waitMs - passed));
    }
  }
}

const inSeconds = (ms: number): string => `${Math.ceil(ms / 1000)} s`;
