import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LRUCache } from 'lru-cache';
import type { Embedder, EmbedderRegistry } from '../../models/ports';
import { useAndClose } from '../../models/promises';
import {
  type EmbeddingVersion,
  type ModelManifest,
  modelReference,
} from '../../models/vision/embedding-model';
import { applyMap } from '../../models/vision/linear-map';
import { InferencePool, type InferencePoolOptions, type InferencePoolStats } from './inference-pool';
import { type ModelFolder, ModelRefused, readGolden, readManifest, verifyDigests } from './model-folder';
import { decodeFor, renderViews } from './render-views';

export interface EmbedderRegistryOptions extends InferencePoolOptions {
  /** The folder of a model; null when it is not installed here. */
  folderOf(manifest: ModelManifest): string | null | Promise<string | null>;
  /** The map of an adapted version; null when it is gone. */
  mapOf(versionId: number): Promise<Float32Array | null>;
}

/**
 * The embedders of this process, all in one inference pool, so that work on a new version never goes before a photo for
 * the live one. A model is loaded at its first use and stays: a few megabytes per thread. The pool starts with the
 * first model. Pictures are decoded in the thread pool of libuv while the engines compute; batches form in the pool, from
 * whatever calls there are.
 */
export class PooledEmbedderRegistry implements EmbedderRegistry {
  readonly #embedders = new Map<string, Promise<Embedder>>();
  /** Maps never change, and take a megabyte each. */
  readonly #maps = new LRUCache<number, Float32Array>({ max: 4 });
  #pool: Promise<InferencePool> | null = null;
  #started: InferencePool | null = null;

  constructor(private readonly options: EmbedderRegistryOptions) {}

  /**
   * The network of a version, and behind it the map of an adapted one. Its `embed` rejects with `unprocessable` for a picture
   * that can't be decoded, with `PictureFailed` for one that can't be embedded.
   * @throws ModelRefused when the model is not installed, was changed, or can't run here
   */
  async forVersion({ id, model, manifest, adaptation }: EmbeddingVersion): Promise<Embedder> {
    const key = JSON.stringify([modelReference(manifest), manifest.digests[manifest.file], manifest.views]);
    let loading = this.#embedders.get(key);
    if (!loading) {
      loading = this.#load(key, manifest);
      this.#embedders.set(key, loading);
      loading.catch(() => this.#embedders.delete(key));
    }
    const network = await loading;
    if (!adaptation) return network;
    const map = this.#maps.get(id) ?? (await this.options.mapOf(id));
    if (!map) throw new ModelRefused(model, 'its map is gone');
    this.#maps.set(id, map);
    return {
      ...{ manifest, decode: network.decode, close: network.close },
      embed: async (...asked) => (await network.embed(...asked)).map((vector) => applyMap(map, vector)),
    };
  }

  /** The current state of the inference; null before the first model. */
  stats(): InferencePoolStats | null {
    return this.#started?.stats() ?? null;
  }

  async close(): Promise<void> {
    const pool = await this.#pool?.catch(() => null);
    await pool?.close();
  }

  async #load(key: string, manifest: ModelManifest): Promise<Embedder> {
    const folder = await this.options.folderOf(manifest);
    if (folder === null) throw new ModelRefused(modelReference(manifest), 'it is not installed here');
    const pool = await this.#startPool();
    await loadVerified(pool, key, { folder, manifest });
    const { views, input } = manifest;
    /** Where the other views of a photo begin whose first ones are embedded, and they themselves. */
    const others = new WeakMap<object, readonly [from: number, rendering: Promise<Uint8Array[]>]>();
    return {
      manifest,
      embed: async (picture, kind, from, to) => {
        const [begin, rest] = others.get(picture) ?? [];
        const isRendered = rest && begin === from;
        const rendered = await (isRendered ? rest : renderViews(picture, views[kind], input, from, to));
        const vectors = pool.embed(key, rendered, kind);
        // While an engine is free no other photo waits for the processor.
        if (to !== undefined && pool.engines.free().length > 0) {
          const rendering = renderViews(picture, views[kind], input, to);
          rendering.catch(() => undefined);
          others.set(picture, [to, rendering]);
        }
        return vectors;
      },
      decode: (photo) => decodeFor(photo, views.query, input),
      close: async () => {
        this.#embedders.delete(key);
        await pool.engines.unload(key);
      },
    };
  }

  async #startPool(): Promise<InferencePool> {
    this.#pool ??= InferencePool.start(this.options).catch((failure) => {
      this.#pool = null;
      throw failure;
    });
    this.#started = await this.#pool;
    return this.#started;
  }
}

/** Checks digests, output and golden vector. @throws ModelRefused with the reason; the pool is then unchanged */
export async function loadVerified(pool: InferencePool, key: string, model: ModelFolder): Promise<void> {
  const { folder, manifest } = model;
  await verifyDigests(folder, manifest);
  const golden = await readGolden(model);
  await pool.engines.load(key, model);
  if (!golden) return;
  const { picture, embedding, tolerance } = golden;
  try {
    const views = await renderViews(await readFile(join(folder, picture)), [[0, 0, 1, 1]], manifest.input);
    const [found = new Float32Array()] = await pool.embed(key, views, 'catalog');
    if (embedding.length !== found.length)
      throw new ModelRefused(folder, `its golden vector has ${embedding.length} values, not ${found.length}`);
    const worst = Math.max(...embedding.map((value, at) => Math.abs(value - (found[at] ?? Number.NaN))));
    if (worst <= tolerance) return;
    throw new ModelRefused(folder, `it does not give its golden vector here: off by ${worst.toPrecision(2)}`);
  } catch (failure) {
    await pool.engines.unload(key);
    if (failure instanceof ModelRefused) throw failure;
    throw new ModelRefused(folder, `its golden picture ${picture} cannot be read or embedded`, failure);
  }
}

/** `loadVerified` in a pool of its own; returns the manifest. @throws ModelRefused with the reason */
export async function checkModel(
  folder: string,
  options: InferencePoolOptions,
): Promise<ModelFolder['manifest']> {
  const manifest = await readManifest(folder);
  await useAndClose(InferencePool.start({ ...options, threads: 1 }), (pool) =>
    loadVerified(pool, modelReference(manifest), { folder, manifest }),
  );
  return manifest;
}
