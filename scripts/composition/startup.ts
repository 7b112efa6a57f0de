import { cpus } from 'node:os';
import type { Logger as PinoLogger } from 'pino';
import type { DependencyContainer } from 'tsyringe';
import type { ApiSettings } from '../../api/api-services';
import type { Clock, Token } from '../../models/ports';
import { defaultThreads } from '../../workers/embedder/inference-pool';
import type { Config } from '../config';
import type { Tracing } from './tracing/tracing';

export type Container = DependencyContainer;

export type QueuePage = NonNullable<ApiSettings['queues']>;

export const SYSTEM_CLOCK: Clock = { now: () => new Date() };

/** A starting process: what its parts are made from, and where each registers how to close it. */
export interface Startup {
  readonly config: Config;
  readonly container: Container;
  readonly logger: PinoLogger;
  readonly tracing: Tracing;
  /** Registers what closes the part just opened; parts are closed in the reverse order. */
  onClose(close: () => Promise<unknown>): void;
}

/** Threads (processes, for the native backend) that compute embeddings; 0 in the settings chooses by the machine. */
export const inferenceThreads = ({ INFERENCE_THREADS: threads }: Config): number =>
  threads === 0 ? defaultThreads(cpus().length) : threads;

export const adapterOf = <Port>(container: Container, token: Token<Port>): Port => container.resolve(token);
