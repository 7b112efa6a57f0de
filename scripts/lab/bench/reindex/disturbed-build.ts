import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { rowsOf, sql } from '../../../../db/core/sql';
import { Random } from '../../../../models/random';
import { runLoupe, type ServiceProcess, spawnLoupe, startProcess } from '../../service-processes';
import type { Knex, Settings } from '../set-up';
import { imagesEmbedded } from './vectors-of';

export interface DisturbedBuildOptions {
  readonly settings: Settings;
  readonly knex: Knex;
  readonly model: string;
  readonly images: number;
  readonly kills: number;
  /** The processes of the service, the api first; a worker that is killed is replaced in place. */
  readonly processes: ServiceProcess[];
}

/** What was killed, and what was done before the first time. */
export interface DisturbedBuild {
  readonly images: number;
  readonly kills: readonly string[];
  /** Epoch milliseconds. */
  readonly firstKillAt: number;
  readonly imagesBefore: number;
}

const POLL_MS = 250;

/** The build is left alone until so much of it is done. */
const UNDISTURBED = 0.5;

/**
 * Builds the embeddings of a model; in the second half the command and the workers are killed in turn, at random moments, and
 * it is resumed each time. Where so many vectors get an index, its making is broken off once, too.
 */
export async function disturbedBuild(options: DisturbedBuildOptions): Promise<DisturbedBuild> {
  const { settings, knex, model, images, processes } = options;
  const random = new Random('kills');
  const moments = Array.from({ length: options.kills }, () =>
    Math.floor(images * random.between(UNDISTURBED, 0.95)),
  );
  const kills: string[] = [];
  let firstKillAt = Number.POSITIVE_INFINITY;
  let imagesBefore = images;
  let resume: string[] = [];
  let command = startBuild(settings, model, resume);
  for (const [index, moment] of moments.sort((left, right) => left - right).entries()) {
    resume = ['--resume'];
    while ((await imagesEmbedded(knex)) < moment && command.exitCode === null) await delay(POLL_MS);
    if (index === 0) {
      firstKillAt = Date.now();
      imagesBefore = await imagesEmbedded(knex);
      // As in any installation that is to survive the loss of one.
      processes.push(await startProcess({ ...settings, ROLE: 'worker' }));
    }
    if (index % 2 === 0) {
      await killed(command);
      command = startBuild(settings, model, resume);
      kills.push(`the command at ${moment}`);
    } else {
      const place = 1 + (Math.floor(index / 2) % (processes.length - 1));
      const worker = processes[place];
      if (worker) await killed(worker.process);
      processes[place] = await startProcess({ ...settings, ROLE: 'worker' });
      kills.push(`a worker at ${moment}`);
    }
  }
  if (options.kills > 0 && (await indexIsMade(knex, command))) {
    await killed(command);
    await endIndexBuild(knex);
    command = startBuild(settings, model, resume);
    kills.push('the command and the server process that made the index');
  }
  if (command.exitCode === null) await once(command, 'exit');
  // Whatever became of the last one: says that it is complete, or completes it.
  await runLoupe(settings, 'embeddings', 'build', '--model', model, '--resume');
  return { images, kills, firstKillAt, imagesBefore };
}

/** Waits until the index is being made; false when the command ends without making one. */
async function indexIsMade(knex: Knex, command: ChildProcess): Promise<boolean> {
  while (command.exitCode === null) {
    const [line] = await rowsOf<{ done: number }>(
      knex,
      sql`SELECT tuples_done AS done FROM pg_stat_progress_create_index WHERE datname = current_database()`,
    );
    if (Number(line?.done ?? 0) > 0) return true;
    await delay(POLL_MS);
  }
  return false;
}

/** The server would go on without the command that asked it to. */
async function endIndexBuild(knex: Knex): Promise<void> {
  await rowsOf(
    knex,
    sql`SELECT pg_terminate_backend(pid) FROM pg_stat_progress_create_index WHERE datname = current_database()`,
  );
}

function startBuild(settings: DisturbedBuildOptions['settings'], model: string, words: readonly string[]) {
  const child = spawnLoupe(settings, 'embeddings', 'build', '--model', model, ...words);
  child.stdout.resume();
  child.stderr.pipe(process.stderr);
  return child;
}

async function killed(child: ServiceProcess['process']): Promise<void> {
  if (child.exitCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}
