import type { Logger } from '../../models/ports';
import { StoreFault } from '../../models/store-fault';

/** A fault that an operator must fix before anything starts; the message says what to do, without secrets. */
export class StartRefused extends Error {
  override readonly name = 'StartRefused';
}

const RETRY_MS = 1_000;
/** Between two lines of the log about the same fault. */
const PROGRESS_MS = 5_000;

/** Waits until `probe` passes. @param setting its name in messages @throws StartRefused if waiting can't help, or after `waitMs` */
export async function waitForStore<Result>(
  setting: string,
  probe: () => Promise<Result>,
  { waitMs, logger }: { waitMs: number; logger: Logger },
): Promise<Result> {
  const began = Date.now();
  let saidAt = Number.NEGATIVE_INFINITY;
  for (;;) {
    try {
      return await probe();
    } catch (failure) {
      if (!(failure instanceof StoreFault)) throw failure;
      const passed = Date.now() - began;
      const sentence = `${setting}: ${failure.message}`;
      const refusal = (message: string) => new StartRefused(message, { cause: failure });
      if (!failure.isTransient || waitMs === 0) throw refusal(sentence);
      if (passed >= waitMs) throw refusal(`${sentence} (waited ${inSeconds(passed)})`);
      if (Date.now() - saidAt >= PROGRESS_MS) {
        logger.warn({}, `${sentence}; waiting for it, ${inSeconds(waitMs - passed)} more (STORE_WAIT_MS)`);
        saidAt = Date.now();
      }
      await new Promise((resolve) => setTimeout(resolve, Math.min(RETRY_MS, waitMs - passed)));
    }
  }
}

const inSeconds = (ms: number): string => `${Math.ceil(ms / 1000)} s`;
