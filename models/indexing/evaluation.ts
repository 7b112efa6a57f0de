/** So many right of so many, with the limits between which the true share lies in 95 of 100 cases (Wilson). */
export interface Share {
  readonly right: number;
  readonly of: number;
  readonly low: number;
  readonly high: number;
}

/** How often a sort of query found its item first, or among the first five. */
export interface RecallFigures {
  /** `level 1` to `level 3`: distorted catalog pictures; `other photo`: another picture of the same item. */
  readonly queries: string;
  readonly first: Share;
  readonly firstFive: Share;
}

/** Answers whose confidence lay together: what they claimed, and how many were right. */
export interface ReliabilityBin {
  readonly from: number;
  readonly to: number;
  readonly count: number;
  readonly confidence: number;
  readonly right: number;
}

/** How far confidence can be believed. */
export interface CalibrationFigures {
  /** Expected calibration error: the mean distance between claimed and true, weighted by bin. */
  readonly ece: number;
  /** Mean squared distance of the confidence from what was true. */
  readonly brier: number;
  readonly bins: readonly ReliabilityBin[];
}

/** Of the first product rows, and the expected calibration error of all product rows. */
export interface RowCalibrationFigures extends CalibrationFigures {
  readonly rowsEce: number;
}

/** How well items that the catalog does not have are told from those that it has. */
export interface RejectionFigures {
  /** Probability that a right answer is surer than one about an unknown item. */
  readonly auroc: number;
  /** Share of unknown items that are accepted at the threshold that keeps 95 % of the right answers. */
  readonly falseAcceptsAt95: number;
}

/** Recall of the approximate search against the exact one under a filter, and the share of images that pass it. */
export interface AnnFigures {
  readonly filter: string;
  readonly selectivity: number;
  readonly recall: number;
}

/** What one version makes of the queries. */
export interface VersionFigures {
  readonly model: string;
  readonly versionId: number;
  readonly recall: readonly RecallFigures[];
  /** Null while the version has no calibration. */
  readonly calibration: RowCalibrationFigures | null;
  readonly rejection: RejectionFigures;
  /** Milliseconds of one picture, all its views, alone. */
  readonly embedMs: { readonly p50: number; readonly p95: number };
  readonly ann: readonly AnnFigures[];
}

/** The candidate against the live version on the same queries. */
export interface Comparison {
  /** Queries that only the candidate had first, and those that only the live version had. */
  readonly wins: number;
  readonly losses: number;
  /** Share of queries with the same first item. */
  readonly agreement: number;
  /** Recall@1 of the candidate less that of the live version, with its 95 % limits (bootstrap over items). */
  readonly difference: { readonly mean: number; readonly low: number; readonly high: number };
}

/** How a version was judged; kept with it. */
export interface Evaluation {
  /** ISO 8601. */
  readonly at: string;
  readonly seed: number;
  /** Where the queries came from, in words. */
  readonly source: string;
  /** Images that were embedded under the candidate then. */
  readonly images: number;
  readonly candidate: VersionFigures;
  /** Null when nothing was live, or the candidate was. */
  readonly live: VersionFigures | null;
  readonly comparison: Comparison | null;
}
