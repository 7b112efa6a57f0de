import { AnswerLog } from '../answer-log';
import type { Knex, Settings } from '../installation';
import { sendHttp } from '../load';
import { Checker, type Reading } from './checker';
import { type Face, LivingCatalog } from './living-catalog';
import type { Violations } from './promises';
import type { CatalogAnswer } from './row-versions';

/** A running service with a catalog of which nobody writes the handbags and watches yet. */
export interface WorldOptions {
  readonly url: string;
  /** May do everything, without limits. */
  readonly key: string;
  readonly knex: Knex;
  /** Of `loupe` commands. */
  readonly settings: Settings;
  /** Pictures that are in the catalog: the file, and the product that shows it and stays. */
  readonly faces: readonly { readonly file: string; readonly product: string }[];
  readonly photos: readonly Buffer[];
  readonly shelves: number;
  readonly shelfSize: number;
}

/** The service, and all that is known of its catalog. */
export interface World {
  readonly catalog: LivingCatalog;
  readonly faces: readonly Face[];
  readonly checker: Checker;
  readonly client: CheckedClient;
  readonly photoLog: AnswerLog;
  readonly photos: readonly Buffer[];
  readonly knex: Knex;
  readonly settings: Settings;
  /** Number of each version, never given twice. */
  readonly nextVersion: () => number;
  /** Ids of all products that nobody writes. */
  readonly still: ReadonlySet<string>;
}

export async function openWorld(options: WorldOptions): Promise<World> {
  const { url, key, knex, settings, photos, shelves, shelfSize } = options;
  const photoLog = new AnswerLog(knex);
  await photoLog.noteLive();
  const faces = await Promise.all(options.faces.map((face) => faceOf(options, face)));
  const catalog = new LivingCatalog(shelves, shelfSize, faces);
  const checker = new Checker(catalog);
  let version = 0;
  return {
    ...{ catalog, faces, checker, photoLog, photos, knex, settings },
    client: new CheckedClient(url, key, checker.violations),
    nextVersion: () => {
      version += 1;
      return version;
    },
    still: new Set(await knex('catalog_search').where({ kind: 'product' }).pluck('id')),
  };
}

/** A picture as the answer about a product that shows it names it. */
async function faceOf(
  { url, key }: WorldOptions,
  { file, product }: { readonly file: string; readonly product: string },
): Promise<Face> {
  const answer = await fetch(`${url}/v3/catalog/items/${product}`, {
    headers: { authorization: `Bearer ${key}` },
  });
  const { data } = (await answer.json()) as CatalogAnswer;
  return { file, images: data[0]?.images ?? [], thumbnails: data[0]?.thumbnails ?? [] };
}

/** What one call was answered; `body` is that of a 200, else undefined. */
export interface Answer<Body> extends Reading {
  readonly status: number;
  readonly body: Body | undefined;
}

/** What is sent: JSON, or JSON Lines. */
interface Sending {
  readonly body?: object;
  readonly lines?: readonly object[];
}

/** Of a record that is there, and of one that is deleted: no call is refused, and none may fail. */
const STATUSES = [200, 404];

/** Calls a service with one key, and notes every status that no call should have. */
export class CheckedClient {
  constructor(
    readonly url: string,
    readonly key: string,
    private readonly violations: Violations,
  ) {}

  /** @param sort of call, in words for a violation */
  async send<Body>(
    sort: string,
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    path: string,
    { body, lines }: Sending = {},
  ): Promise<Answer<Body>> {
    const type = lines ? 'application/x-ndjson' : 'application/json';
    const sent = lines ? lines.map((line) => JSON.stringify(line)).join('\n') : body && JSON.stringify(body);
    const from = performance.now();
    const { status, text } = await sendHttp({
      ...{ url: `${this.url}${path}`, method, body: sent ?? null },
      headers: { authorization: `Bearer ${this.key}`, ...(sent && { 'content-type': type }) },
    });
    const until = performance.now();
    this.check(`${method} ${path}`, status, text);
    const what = `${sort} at ${from.toFixed(0)} ms`;
    return { what, from, until, status, body: status === 200 ? (JSON.parse(text) as Body) : undefined };
  }

  check(call: string, status: number, text = ''): void {
    if (STATUSES.includes(status)) return;
    this.violations.note({ promise: 'status', detail: `${call}: ${status} ${text.slice(0, 200)}` });
  }
}
