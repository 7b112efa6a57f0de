import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { runCommand } from '../../scripts/commands/run-command';
import type { Config } from '../../scripts/config';
import { childEnvironment, documentOf, type Outcome, spawnLoupe } from '../../scripts/lab/service-processes';

type Settings = Readonly<Record<string, string>>;

/** The settings with which a command works on the stores of a service. */
export const environmentOf = ({ config }: { readonly config: Config }): Settings => ({
  DATA_DIR: config.DATA_DIR,
  ...(config.DATABASE_URL === undefined ? {} : { DATABASE_URL: config.DATABASE_URL }),
});

/** Runs a `loupe` command in this process with these settings alone, saving the second that a start takes. Not two at a time. */
export async function runLoupeHere(words: readonly string[], settings: Settings): Promise<Outcome> {
  const before = { ...process.env };
  setEnvironment(childEnvironment(settings));
  const printed = { stdout: '', stderr: '' };
  const spies = (['stdout', 'stderr'] as const).map((stream) =>
    jest.spyOn(process[stream], 'write').mockImplementation((text) => {
      printed[stream] += String(text);
      return true;
    }),
  );
  try {
    return { code: await runCommand(words), ...printed };
  } finally {
    for (const spy of spies) spy.mockRestore();
    setEnvironment(before);
  }
}

function setEnvironment(wanted: typeof process.env): void {
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, wanted);
}

/** The same, but returns the JSON that the command prints. */
export async function loupeHere(settings: Settings, ...words: readonly string[]): Promise<unknown> {
  return documentOf(words, await runLoupeHere([...words, '--json'], settings));
}

/** Kills a command once this is true of what it does. Resolves to whether it was still running. */
export async function killCommand(
  settings: Settings,
  words: readonly string[],
  isReached: () => Promise<boolean>,
) {
  const child = spawnLoupe(settings, ...words);
  for (const stream of [child.stdout, child.stderr]) stream.resume();
  const ended = once(child, 'exit');
  try {
    while (child.exitCode === null && child.signalCode === null && !(await isReached())) await delay(20);
  } finally {
    child.kill('SIGKILL');
    await ended;
  }
  return child.signalCode === 'SIGKILL';
}
