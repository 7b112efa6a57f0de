import { join } from 'node:path';
import { writeLayoutModel } from '../faults/layout-model';
import { type Installation, newInstallation } from '../support/installation';

/** An installation whose model costs nothing, and whose callers and confidences are not limited. */
export async function layoutInstallation(
  settings: Readonly<Record<string, string>> = {},
): Promise<Installation> {
  const installation = await newInstallation({
    ...{ MODEL: 'layout', CONFIDENCE_FLOOR: '0', INFERENCE_THREADS: '1', RATE_PER_SECOND: '0' },
    ...settings,
  });
  await writeLayoutModel(join(installation.dataDir, 'models', 'layout@1.0.0'), { id: 'layout' });
  return installation;
}
