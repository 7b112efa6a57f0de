import { cpus } from 'node:os';
import { defaultThreads, type InferencePoolOptions } from '../../workers/embedder/inference-pool';
import type { Config } from '../config';
import { createLogger } from './log';

/** Threads (processes, for the native backend) that compute embeddings; 0 in the settings is what suits the machine. */
export const inferenceThreads = ({ INFERENCE_THREADS: threads }: Config): number =>
  threads === 0 ? defaultThreads(cpus().length) : threads;

/** A large network on a small machine takes seconds for a picture. */
const TRIAL_TIMEOUT_MS = 120_000;

/** How a model is tried before it is installed: on one engine, as the service would run it. */
export function trialInference(config: Config): InferencePoolOptions {
  return {
    threads: 1,
    backend: config.INFERENCE_BACKEND,
    waitingMax: 1,
    batchTimeoutMs: TRIAL_TIMEOUT_MS,
    logger: createLogger({ ...config, LOG_LEVEL: 'warn' }),
  };
}
