import { execFile } from 'node:child_process';
import { processEnvironment } from '../../scripts/config';
import { LOUPE_ARGUMENTS, REPOSITORY_ROOT } from '../../scripts/lab/service-processes';

export interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a `loupe` command in a process of its own, on no other settings than these. */
export function runLoupe(
  words: readonly string[],
  settings: Readonly<Record<string, string>>,
): Promise<Outcome> {
  const env = { PATH: processEnvironment()['PATH'], ...settings };
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [...LOUPE_ARGUMENTS, ...words],
      { cwd: REPOSITORY_ROOT, env },
      (failure, stdout, stderr) => {
        const code = failure === null ? 0 : Number(failure.code ?? -1);
        resolve({ code, stdout, stderr });
      },
    );
  });
}
