import { runCommand } from '../../scripts/commands/run-command';
import type { Config } from '../../scripts/config';
import { documentOf, type Outcome, outcomeOf } from '../../scripts/lab/service-processes';

type Settings = Readonly<Record<string, string>>;

/** The settings with which a command works on the stores of a service. */
export const environmentOf = ({ config }: { readonly config: Config }): Settings => ({
  DATA_DIR: config.DATA_DIR,
  ...(config.DATABASE_URL === undefined ? {} : { DATABASE_URL: config.DATABASE_URL }),
});

/** Of a developer's own service; an empty one is unset, also if `.env` has it. */
const EMPTIED = { DATABASE_URL: '', REDIS_URL: '', IMAGE_STORE: '', LOUPE_URL: '', LOUPE_API_KEY: '' };

/** Runs a `loupe` command in this process with these settings, saving the second that a start takes. Not two at a time. */
export async function runLoupeHere(words: readonly string[], settings: Settings): Promise<Outcome> {
  const before = { ...process.env };
  const run = { ...EMPTIED, ...settings };
  Object.assign(process.env, run);
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
    for (const name of Object.keys(run)) delete process.env[name];
    Object.assign(process.env, before);
  }
}

/** The same, but returns the JSON that the command prints. */
export async function loupeHere(settings: Settings, ...words: readonly string[]): Promise<unknown> {
  const outcome = await runLoupeHere([...words, '--json'], { LOG_LEVEL: 'warn', ...settings });
  return documentOf(words, outcome);
}

/** Runs a `loupe` command in a process of its own, on no other settings than these. */
export const runLoupe = (words: readonly string[], settings: Settings): Promise<Outcome> =>
  outcomeOf({ ...EMPTIED, ...settings }, ...words);
