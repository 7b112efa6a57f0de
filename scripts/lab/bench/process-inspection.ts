import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { request, WebSocket } from 'undici';
import { z } from 'zod';
import type { ServiceProcess } from '../service-processes';

/** What a process has of things that may grow without end, after its garbage was collected. */
export interface Holdings {
  /** Of V8, and of buffers outside of it. */
  readonly heapMib: number;
  readonly buffersMib: number;
  /** Prepared by name, over all connections to PostgreSQL. */
  readonly statements: number;
  /** To PostgreSQL. */
  readonly connections: number;
  /** Of all event emitters and abort signals. */
  readonly listeners: number;
  /** Sockets, timers and whatever else keeps a process alive. */
  readonly handles: number;
}

const OPEN_EVERY_MS = 50;
const OPEN_TRIES = 100;
const GROUP = 'holdings';

/** Expressions in the process: a prototype, and what counts of `each` object that has it. */
const LISTENERS = [
  "require('node:events').prototype",
  'Object.values(each._events ?? {}).reduce((count, heard) => count + [heard].flat().length, 0)',
] as const;
const ABORT_LISTENERS = [
  'AbortSignal.prototype',
  "each instanceof AbortSignal ? process.getBuiltinModule('node:events').getEventListeners(each, 'abort').length : 0",
] as const;
const STATEMENTS = [
  "require('pg').Client.prototype",
  'Object.keys(each.connection?.parsedStatements ?? {}).length',
] as const;
const CONNECTIONS = ["require('pg').Client.prototype", 'each.connection && !each._ended ? 1 : 0'] as const;
const OWN = `(({ heapUsed, external }) => ({ heapUsed, external, handles: process.getActiveResourcesInfo().length }))(
  process.memoryUsage())`;

const own = z.object({ heapUsed: z.number(), external: z.number(), handles: z.number() });
const targets = z.tuple([z.object({ webSocketDebuggerUrl: z.string() })]);
const remote = z.object({ objectId: z.string().optional(), value: z.unknown().optional() });
const evaluated = z.object({ result: remote, exceptionDetails: z.unknown().optional() });
const queried = z.object({ objects: remote });
const reply = z.object({ id: z.number().optional(), result: z.unknown().optional() });

/** Settings of a process that can be looked into at a port. */
export const inspectableAt = (port: number): Record<string, string> => ({
  NODE_OPTIONS: `--inspect-port=127.0.0.1:${port}`,
});

/** Looks into a process by Node's inspector, which costs it nothing between the looks. */
export class ProcessInspection {
  #calls = 0;
  readonly #answers = new Map<number, (result: unknown) => void>();

  private constructor(private readonly socket: WebSocket) {
    socket.addEventListener('message', ({ data }) => {
      const { id = 0, result } = reply.parse(JSON.parse(String(data)));
      this.#answers.get(id)?.(result);
      this.#answers.delete(id);
    });
  }

  /** Opens the inspector of a process that was started with `inspectableAt(port)`. */
  static async open({ process }: ServiceProcess, port: number): Promise<ProcessInspection> {
    process.kill('SIGUSR1');
    const socket = new WebSocket(await addressAt(port));
    await once(socket, 'open');
    return new ProcessInspection(socket);
  }

  async look(): Promise<Holdings> {
    await this.#send('HeapProfiler.collectGarbage');
    const { heapUsed, external, handles } = own.parse((await this.#evaluated(OWN, true)).value);
    return {
      heapMib: heapUsed / 2 ** 20,
      buffersMib: external / 2 ** 20,
      statements: await this.#sum(STATEMENTS),
      connections: await this.#sum(CONNECTIONS),
      listeners: (await this.#sum(LISTENERS)) + (await this.#sum(ABORT_LISTENERS)),
      handles,
    };
  }

  close(): void {
    this.socket.close();
  }

  async #sum([prototype, count]: readonly [string, string]): Promise<number> {
    const { objectId } = await this.#evaluated(prototype, false);
    const asked = { prototypeObjectId: objectId, objectGroup: GROUP };
    const { objects } = queried.parse(await this.#send('Runtime.queryObjects', asked));
    const functionDeclaration = `function () { return this.reduce((sum, each) => sum + (${count}), 0); }`;
    const call = { objectId: objects.objectId, functionDeclaration, returnByValue: true };
    const { result } = evaluated.parse(await this.#send('Runtime.callFunctionOn', call));
    await this.#send('Runtime.releaseObjectGroup', { objectGroup: GROUP });
    return z.number().parse(result.value);
  }

  async #evaluated(expression: string, returnByValue: boolean): Promise<z.output<typeof remote>> {
    const asked = { expression, returnByValue, includeCommandLineAPI: true, objectGroup: GROUP };
    return evaluated.parse(await this.#send('Runtime.evaluate', asked)).result;
  }

  #send(method: string, params: object = {}): Promise<unknown> {
    this.#calls += 1;
    const id = this.#calls;
    const answer = new Promise<unknown>((resolve) => this.#answers.set(id, resolve));
    this.socket.send(JSON.stringify({ id, method, params }));
    return answer;
  }
}

async function addressAt(port: number): Promise<string> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const { body } = await request(`http://127.0.0.1:${port}/json/list`);
      return targets.parse(await body.json())[0].webSocketDebuggerUrl;
    } catch (failure) {
      if (attempt === OPEN_TRIES) throw failure;
      await delay(OPEN_EVERY_MS);
    }
  }
}
