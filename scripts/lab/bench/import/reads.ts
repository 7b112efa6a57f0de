import { setTimeout as delay } from 'node:timers/promises';
import { Random } from '../../../../models/random';
import { startProcess } from '../../service-processes';
import { CatalogClient } from '../catalog/catalog-client';
import { CatalogSample } from '../catalog/catalog-sample';
import { QUESTION_KINDS, type QuestionKind } from '../catalog/questions';
import { percentiles } from '../measure';
import { during } from '../open-loop';
import { onDatabase, type Settings } from '../set-up';
import { makeKey } from '../vision-installation';

const KINDS = ['item lookup', 'one filter'];
const WARM_UP_MS = 3_000;
const ALONE_MS = 15_000;

/** Times of one sort of read, in ms. */
type Times = ReadonlyMap<string, number[]>;

/**
 * Has one client read over HTTP, items and listings in turn, both with prices: for a while alone, then until `work` is
 * done. Answers a line on each sort, alone and beside the work, and one on all together.
 */
export async function readsBeside<Result>(
  settings: Settings & { readonly DATABASE_URL: string },
  seed: number,
  work: () => Promise<Result>,
): Promise<{ result: Result; lines: string[] }> {
  const api = await startProcess({ ...settings, ROLE: 'api', RATE_PER_SECOND: '0' });
  const client = new CatalogClient(api.url, await makeKey(settings), 1);
  try {
    const sample = await onDatabase(settings.DATABASE_URL, 1, (knex) => CatalogSample.read(knex, seed));
    const random = new Random(seed, 'reads');
    const kinds = QUESTION_KINDS.filter(({ name }) => KINDS.includes(name));
    const read = <Done>(until: Promise<Done>) =>
      during(until, (isOver) =>
        readUntil(isOver, kinds, (kind) => client.ask(kind.draw(sample, random), true)),
      );
    await read(delay(WARM_UP_MS));
    const alone = await read(delay(ALONE_MS));
    const beside = await read(work());
    return { result: beside.result, lines: linesOn(alone.calls, beside.calls) };
  } finally {
    await client.close();
    await api.stop();
  }
}

async function readUntil(
  isOver: () => boolean,
  kinds: readonly QuestionKind[],
  ask: (kind: QuestionKind) => Promise<void>,
): Promise<Times> {
  const times = new Map(kinds.map(({ name }) => [name, [] as number[]]));
  while (!isOver()) {
    for (const kind of kinds) {
      const from = performance.now();
      await ask(kind);
      times.get(kind.name)?.push(performance.now() - from);
    }
  }
  return times;
}

function linesOn(alone: Times, beside: Times): string[] {
  const both = (share: number, name: string) =>
    [alone, beside].map((times) => percentiles(times.get(name) ?? [], 1, share)).join(' / ');
  const each = [...alone.keys()].map(
    (name) => `${name}, alone / beside the import: p50 ${both(0.5, name)} ms, p99 ${both(0.99, name)} ms.`,
  );
  const [before, during] = [alone, beside].map(readsPerSecond);
  return [
    ...each,
    `Reads per second of one client, alone / beside: ${before?.toFixed(0)} / ${during?.toFixed(0)}.`,
  ];
}

function readsPerSecond(times: Times): number {
  const all = [...times.values()].flat();
  return (1_000 * all.length) / all.reduce((sum, each) => sum + each, 0);
}
