import { once } from 'node:events';
import { type ServiceProcess, startProcess } from '../../scripts/lab/service-processes';

/** One process of the service, which may be killed and started again with the same settings. */
export class ServicePart {
  #running: ServiceProcess | null = null;
  #url = '';

  constructor(private settings: Readonly<Record<string, string>>) {}

  /** Where it answers; of an api with a port of its own the same for ever. */
  get url(): string {
    return this.#url;
  }

  /** False when it was killed, and also when it ended by itself, which it never may. */
  get isRunning(): boolean {
    const child = this.#running?.process;
    return child !== undefined && child.exitCode === null && child.signalCode === null;
  }

  /** Resolves when it says that it is ready. */
  async start(): Promise<void> {
    this.#running = await startProcess(this.settings);
    this.#url = this.#running.url;
  }

  /** At once, as by the system that runs out of memory. */
  async kill(): Promise<void> {
    if (!this.#running || !this.isRunning) return;
    const ended = once(this.#running.process, 'exit');
    this.#running.process.kill('SIGKILL');
    await ended;
  }

  /** In order, as at a deployment. */
  async stop(): Promise<void> {
    await this.#running?.stop();
  }

  /** In order, and from now on with these settings too. */
  async restart(settings: Readonly<Record<string, string>>): Promise<void> {
    this.settings = { ...this.settings, ...settings };
    await this.stop();
    await this.start();
  }

  /** It keeps its connections and does nothing, until `resume`. */
  pause(): void {
    this.#running?.process.kill('SIGSTOP');
  }

  resume(): void {
    this.#running?.process.kill('SIGCONT');
  }
}
