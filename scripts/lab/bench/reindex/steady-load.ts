import { during, JsonClient, steadily, type TimedCall } from '../open-loop';
import type { AnswerLog } from './answer-log';

export interface SteadyLoadOptions {
  readonly url: string;
  readonly key: string;
  readonly photos: readonly Buffer[];
  readonly photosPerSecond: number;
  readonly queriesPerSecond: number;
}

/** A call with the moment at which it was sent, in epoch milliseconds. */
export interface LoadedCall extends TimedCall {
  readonly at: number;
}

/** What was sent while something else went on. */
export interface LoadedPhase<Result> {
  readonly result: Result;
  readonly seconds: number;
  readonly photos: readonly LoadedCall[];
  readonly queries: readonly LoadedCall[];
}

const QUESTIONS = ['bag', 'watch', 'leather', 'gold', 'small', 'black', 'steel', 'classic'];

/** Photos and catalog queries at a fixed rate, whatever becomes of them, while something else goes on. */
export class SteadyLoad {
  readonly #client: JsonClient;
  #photo = 0;
  #query = 0;

  constructor(
    private readonly log: AnswerLog,
    private readonly options: SteadyLoadOptions,
  ) {
    this.#client = new JsonClient(options.url);
  }

  async during<Result>(work: Promise<Result>): Promise<LoadedPhase<Result>> {
    const { photosPerSecond, queriesPerSecond } = this.options;
    const { calls, ...rest } = await during(work, (isOver) =>
      Promise.all([
        steadily(photosPerSecond, isOver, () => stamped(this.#identify())),
        steadily(queriesPerSecond, isOver, () => stamped(this.#ask())),
      ]),
    );
    return { ...rest, photos: calls[0], queries: calls[1] };
  }

  async #identify(): Promise<TimedCall> {
    const { url, key, photos } = this.options;
    const photo = this.#photo++ % photos.length;
    const { status, sentAt, endedAt } = await this.log.identify(
      url,
      key,
      photo,
      photos[photo] ?? Buffer.alloc(0),
    );
    return { status, ms: endedAt - sentAt };
  }

  #ask(): Promise<TimedCall> {
    const query = QUESTIONS[this.#query++ % QUESTIONS.length];
    return this.#client.post('/v3/catalog/query', this.options.key, Buffer.from(JSON.stringify({ query })));
  }
}

/** A call that was just sent, with that moment. */
async function stamped(call: Promise<TimedCall>): Promise<LoadedCall> {
  const at = Date.now();
  return { ...(await call), at };
}
