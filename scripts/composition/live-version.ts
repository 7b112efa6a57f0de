import { notFound } from '../../models/errors';
import type { EmbeddingRepository, Logger } from '../../models/ports';
import { type EmbeddingVersion, modelReference } from '../../models/vision/embedding-model';
import { ModelRefused } from '../../workers/embedder/model-folder';
import { bundledModel, earlierModel, FolderModelLibrary } from '../../workers/library/model-library';
import type { Config } from '../config';

/**
 * The live embedding version. A database without one, or with an uninstalled version of the configured model, gets a new one;
 * its images are embedded while the catalog is served. @param computes whether this process embeds, and needs the model
 * @throws AppError 404 when the configured model, or another live one, is not installed
 */
export async function liveVersion(
  config: Config,
  computes: boolean,
  embeddings: EmbeddingRepository,
  logger: Logger,
): Promise<EmbeddingVersion> {
  const version = await liveOrNewVersion(config, computes, embeddings, logger);
  // An installation keeps its model until its operator promotes another.
  const [newest, earlier] = await Promise.all([bundledModel(), earlierModel()]);
  if (modelReference(version.manifest) === modelReference(earlier.manifest)) {
    logger.info(
      { model: version.model, newer: modelReference(newest.manifest) },
      'this release brings a newer model: embeddings build, evaluate and promote switch to it without downtime (docs/upgrade.md)',
    );
  }
  if (version.manifest.calibration === null) {
    logger.warn(
      { model: version.model },
      'nobody has calibrated the live model: the confidence of an answer orders its rows and is no probability',
    );
  }
  return version;
}

async function liveOrNewVersion(
  config: Config,
  computes: boolean,
  embeddings: EmbeddingRepository,
  logger: Logger,
): Promise<EmbeddingVersion> {
  const library = new FolderModelLibrary(config.DATA_DIR);
  const live = await embeddings.live();
  if (live && (!computes || (await isInstalled(library, live)))) return live;
  const { manifest } = await library.find(config.MODEL);
  if (live && live.manifest.id !== manifest.id) {
    throw notFound(
      `Answers are made with the model "${modelReference(live.manifest)}", which is not installed on this host: add it (loupe models add), or promote another one (loupe embeddings promote).`,
    );
  }
  const version = await embeddings.create(manifest);
  if (!live) return version;
  logger.warn(
    { gone: live.model, model: version.model },
    'the live model is not installed here any more; the images are embedded anew',
  );
  await embeddings.promote(version.id, false);
  return version;
}

/** @throws ModelRefused when the model is installed but damaged: it must be repaired, not replaced by another */
async function isInstalled(library: FolderModelLibrary, version: EmbeddingVersion): Promise<boolean> {
  const { models, broken } = await library.all();
  const network = modelReference(version.manifest);
  const damaged = broken.find(({ name }) => name === network);
  if (damaged) throw new ModelRefused(damaged.folder, damaged.reason);
  return models.some(({ manifest }) => modelReference(manifest) === network);
}
