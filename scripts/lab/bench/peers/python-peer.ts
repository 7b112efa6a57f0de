import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { onnxFileOf } from '../../../../workers/embedder/load-model';
import { bundledModel } from '../../../../workers/library/model-library';
import { processEnvironment } from '../../../config';
import type { Settings } from '../installation';

/** Kept between runs, so that only the first one downloads the packages. */
const PYTHON = join('bench-results', 'python');
const run = promisify(execFile);

/** A program in Python that answers over HTTP. */
export interface PythonPeer {
  readonly url: string;
  readonly process: ChildProcess;
  stop(): Promise<void>;
}

/** Installs the packages of `requirements.txt` into an environment of their own. @throws Error without Python 3.10 or newer */
export async function installPython(): Promise<void> {
  const [requirements, installed] = [join(__dirname, 'requirements.txt'), join(PYTHON, 'installed.txt')];
  const wanted = await readFile(requirements, 'utf8');
  if (wanted === (await readFile(installed, 'utf8').catch(() => null))) return;
  process.stderr.write('installing the Python packages of the peers\n');
  await run('python3', ['-m', 'venv', PYTHON]);
  await run(join(PYTHON, 'bin', 'pip'), ['install', '--quiet', '--requirement', requirements]);
  await writeFile(installed, wanted);
}

/** Starts one of the programs of this folder and waits until it answers. @throws Error when it ends instead, with its output */
export async function startPython(module: string, settings: Settings): Promise<PythonPeer> {
  const words = ['-m', 'uvicorn', `${module}:app`, '--app-dir', __dirname, '--port', '0', '--no-access-log'];
  const child = spawn(join(PYTHON, 'bin', 'python'), words, {
    env: { PATH: processEnvironment()['PATH'], PYTHONDONTWRITEBYTECODE: '1', ...settings },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGTERM');
    await once(child, 'exit');
  };
  const said: string[] = [];
  for await (const line of createInterface({ input: child.stderr })) {
    said.push(line);
    const [, url] = /running on (http:\S+)/.exec(line) ?? [];
    if (url === undefined) continue;
    child.stderr.pipe(process.stderr);
    return { url, process: child, stop };
  }
  throw new Error(`${module} did not start:\n${said.join('\n')}`);
}

/** Writes the network of the bundled model as an ONNX file, as Loupe itself runs it, and its manifest. */
export async function exportNetwork(folder: string): Promise<{ NETWORK: string; MANIFEST: string }> {
  const model = await bundledModel();
  const input = { ...model.manifest.input, name: model.manifest.input.name ?? 'pictures' };
  await mkdir(folder, { recursive: true });
  const [NETWORK, MANIFEST] = [join(folder, 'network.onnx'), join(folder, 'manifest.json')];
  await writeFile(NETWORK, await onnxFileOf(model));
  await writeFile(MANIFEST, JSON.stringify({ ...model.manifest, input }));
  return { NETWORK, MANIFEST };
}
