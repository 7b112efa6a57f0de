import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const ELSEWHERE = [
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/**
 * The browser of this machine: the one that `CHROMIUM` names, else the first in the path.
 *
 * @throws Error that says how to get one
 */
export function findChromium(environment: NodeJS.ProcessEnv = process.env): string {
  const folders = (environment['PATH'] ?? '').split(delimiter);
  const candidates = [
    environment['CHROMIUM'] ?? [],
    NAMES.flatMap((name) => folders.map((folder) => join(folder, name))),
    ELSEWHERE,
  ].flat();
  const found = candidates.find(isProgram);
  if (found === undefined) {
    throw new Error('There is no Chromium here: apt-get install chromium, or name one in CHROMIUM.');
  }
  return found;
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
