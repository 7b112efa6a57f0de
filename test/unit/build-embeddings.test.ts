import { setImmediate } from 'node:timers/promises';
import { notFound, unavailable } from '../../models/errors';
import { type BuildPorts, embedCatalog } from '../../models/indexing/embed-catalog';

const VERSION = { id: 7 };

describe('a build of embeddings', () => {
  test('waits for a database and a queue that are away, and leaves nothing out', async () => {
    const catalog = new SmallCatalog();
    for (const way of ['coverage', 'pending', 'embed', 'markBuilt', 'buildIndex'] as const)
      catalog.failOnce(way);
    const coverage = await build(catalog);
    expect(coverage).toEqual({ done: 3, failed: 0, pending: 0 });
    expect(catalog.isIndexed).toBe(true);
    expect(catalog.failing).toEqual([]);
    expect(catalog.notes.filter((note) => note.endsWith('trying again'))).toHaveLength(5);
  });

  test('goes on while as many pictures are replaced as it embeds', async () => {
    const catalog = new SmallCatalog();
    catalog.replacedMeanwhile = 3;
    expect(await build(catalog)).toEqual({ done: 3, failed: 0, pending: 0 });
  });

  test('ends when images that were worked on stay as they are', async () => {
    const catalog = new SmallCatalog();
    catalog.keepsNothing = true;
    await expect(build(catalog)).rejects.toThrow('3 images were worked on and are still not embedded');
  });

  test('ends at once when its version is gone', async () => {
    const catalog = new SmallCatalog();
    catalog.failOnce('embed', notFound('There is no embedding version 7.'));
    await expect(build(catalog)).rejects.toThrow('no embedding version 7');
  });

  test('ends at once when it is stopped while it waits', async () => {
    const catalog = new SmallCatalog();
    const stop = new AbortController();
    catalog.failOnce('coverage');
    const stopped = build(catalog, stop.signal);
    await setImmediate();
    stop.abort(new Error('Ctrl-C'));
    await expect(stopped).rejects.toThrow('Ctrl-C');
    expect(catalog.notes).toHaveLength(1);
  });
});

type Way = 'coverage' | 'pending' | 'embed' | 'markBuilt' | 'buildIndex';

/** Three images, and ways to them that fail when they are told to. */
class SmallCatalog {
  readonly notes: string[] = [];
  readonly failing: { way: Way; failure: Error }[] = [];
  isIndexed = false;
  /** How often all images are replaced by others while they are embedded. */
  replacedMeanwhile = 0;
  keepsNothing = false;
  private readonly embedded = new Set<number>();
  private images = [1, 2, 3].map((id) => ({ id, address: `/files/images/${id}.jpg` }));

  failOnce(way: Way, failure: Error = unavailable('The database does not answer; try again.', 1)): void {
    this.failing.push({ way, failure });
  }

  ports(): BuildPorts {
    return {
      embeddings: {
        coverage: async () => {
          this.pass('coverage');
          const done = this.images.filter(({ id }) => this.embedded.has(id)).length;
          return { done, failed: 0, pending: this.images.length - done };
        },
        pending: async (_version, limit, afterId) => {
          this.pass('pending');
          return this.images.filter(({ id }) => id > afterId && !this.embedded.has(id)).slice(0, limit);
        },
        markBuilt: async () => this.pass('markBuilt'),
        isIndexed: async () => this.isIndexed,
        buildIndex: async () => {
          this.pass('buildIndex');
          this.isIndexed = true;
          return true;
        },
      },
      queue: {
        embed: async (_version, images) => {
          this.pass('embed');
          if (!this.keepsNothing) for (const { id } of images) this.embedded.add(id);
          if (this.replacedMeanwhile > 0) {
            this.replacedMeanwhile -= 1;
            this.images = this.images.map(({ id, address }) => ({ id: id + this.images.length, address }));
          }
          return { embedded: images.length, failed: 0 };
        },
      },
    };
  }

  private pass(way: Way): void {
    const index = this.failing.findIndex((each) => each.way === way);
    const [found] = index === -1 ? [] : this.failing.splice(index, 1);
    if (found) throw found.failure;
  }
}

function build(catalog: SmallCatalog, signal = new AbortController().signal) {
  const progress = {
    begin: () => undefined,
    reach: () => undefined,
    end: () => undefined,
    note: (line: string) => void catalog.notes.push(line),
  };
  return embedCatalog(catalog.ports(), VERSION, progress, signal);
}
