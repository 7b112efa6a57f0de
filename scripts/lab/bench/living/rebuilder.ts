import type { BuildResult } from '../../../../models/indexing/build-service';
import { runLoupe } from '../../service-processes';
import type { World } from './world';

/** Builds another model beside the live one and makes it the live one, again and again. */
export class Rebuilder {
  #round = 0;
  images = 0;

  constructor(
    private readonly world: World,
    private readonly install: (model: string) => Promise<void>,
  ) {}

  async rebuild(): Promise<void> {
    this.#round += 1;
    const model = `living-${this.#round}`;
    await this.install(model);
    const { settings, photoLog } = this.world;
    const built = (await runLoupe(settings, 'embeddings', 'build', '--model', model)) as BuildResult;
    this.images += built.embedded;
    await runLoupe(settings, 'embeddings', 'promote', '--model', model, '--force');
    await photoLog.noteLive();
    await runLoupe(settings, 'embeddings', 'prune');
  }
}
