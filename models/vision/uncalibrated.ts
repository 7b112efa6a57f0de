import type { Calibration, ModelManifest } from './embedding-model';

/**
 * What stands in for the calibration of a model for which nobody has fitted one, so that it can be tried at all. It is
 * no probability: other models have other similarities. It is meant to err on the low side: a perfect similarity
 * alone is a quarter, and only one that also stands well above the next product is more likely right than wrong.
 * Nothing is held back for a number that means so little: the floor is 0. `embeddings evaluate` fits the real one,
 * and `embeddings promote` refuses a version without it.
 */
export const UNCALIBRATED: Calibration = {
  confidence: { kind: 'logistic', bias: -9, weights: { similarity: 8, margin: 6 } },
  floor: 0,
};

/** The calibration that answers under a model are made with: its own, else the stand-in. */
export const calibrationOf = (manifest: Pick<ModelManifest, 'calibration'>): Calibration =>
  manifest.calibration ?? UNCALIBRATED;
