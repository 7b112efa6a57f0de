"""Fits how the signals of an answer become the probability of being right, on items that were never trained on.

The catalogue holds drawn and rendered items of other seeds and held-back photos, and photos from training as mere company. Each
held-back item is asked for by distorted views of every severity, drawn and rendered ones by views from another angle too. A share of the queries has its own
item taken out of the catalogue: whatever is found for those is wrong. With --set the result is measured on other photos.
The signals are those of models/vision/confidence.ts, computed the same way.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import cv2
import numpy as np
import torch

import draw_items
import photos
from crops import CROPS, letterboxed
from distort import catalogue_view, distorted_view
from evaluate import describer, embed_files
from photos import premultiplied

UNKNOWN = 0.2
SEED = 77
COMPANY = 1500
QUERIES = 3
OTHER_ANGLE = 0.25
SIGNALS = ("similarity", "whole", "margin", "lead", "viewLead", "consensus", "prominence")
CANDIDATES = 20
LEAST_TO_GAIN, PRIOR_DEVIATION, PRIOR_RIVALS, PROMINENCE_MAX = 0.02, 0.1, 5, 8


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--checkpoint", type=Path)
    parser.add_argument("--teacher", type=Path, help="an ONNX network to calibrate instead")
    parser.add_argument("--held", type=Path, nargs="*", default=[], help="folders of photos that were not trained on, one per item")
    parser.add_argument("--company", type=Path, nargs="*", default=[], help="folders of photos that fill the catalogue")
    parser.add_argument("--renders", type=Path, help="folder of rendered cut-outs (render-views.ts) of a seed that was not trained on")
    parser.add_argument("--drawings", type=int, default=400, help="drawn items to ask for")
    parser.add_argument("--side", type=int, default=160)
    parser.add_argument("--catalog", default="whole", choices=CROPS)
    parser.add_argument("--query", default="whole", choices=CROPS)
    parser.add_argument("--floor", type=float, default=0.05)
    parser.add_argument("--signals", nargs="+", default=["similarity", "whole", "lead", "viewLead", "consensus", "prominence"], choices=SIGNALS)
    parser.add_argument("--ridge", type=float, default=0.01, help="how much large weights of standardised signals cost, as a share of the queries")
    parser.add_argument("--set", type=Path, help="exported set to measure on")
    parser.add_argument("--images", type=Path)
    parser.add_argument("--sample", type=int, default=1, help="take every n-th query of levels 1 to 3 of the set")
    parser.add_argument("--dump", type=Path, help="write similarity, margin and correctness of every query here, to try other formulas on")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    embed = describer(options)
    signals, right = ask(options, embed)
    confidence = fit(signals, right, options.signals, options.ridge)
    given = logistic(confidence, signals)
    print(f"fitted on {len(right)} queries, {right.mean():.3f} right: calibration error {expected_error(given, right):.3f}, area under the curve {area(given, right):.3f}")
    options.out.write_text(json.dumps({"confidence": confidence, "floor": options.floor}, indent=2) + "\n")
    dumped = {"fitted": signals, "fitted_right": right}
    if options.set:
        dumped.update(measure(options, embed, confidence))
    if options.dump:
        np.savez(options.dump, **dumped)


def ask(options, embed):
    """Signals of the best answer to each query, and whether it is right."""
    rng = np.random.default_rng(SEED)
    company = [s for folder in options.company for s in photos.read_folder(folder)]
    company = [company[i] for i in rng.permutation(len(company))[:COMPANY]]
    backdrops = [premultiplied(rgba) for rgba in photos.backdrops_of(company)]
    items = [[s] for folder in options.held for s in photos.read_folder(folder)]
    items += [[draw_items.draw(SEED, index, view) for view in range(4)] for index in range(options.drawings)]
    items += views_of(options.renders) if options.renders else []
    shown = [catalogue_view(rng, premultiplied(views[0].rgba)) for views in (*items, *([s] for s in company))]
    queries, answers = [], []
    for answer, views in enumerate(items):
        for _ in range(QUERIES):
            moved = rng.random() < OTHER_ANGLE
            view = views[int(rng.integers(len(views)))] if moved else views[0]
            queries.append(distorted_view(rng, premultiplied(view.rgba), rng.uniform(0, 1), backdrops))
            answers.append(answer)
    known = embed_views(shown, CROPS[options.catalog], options.side, embed)
    scores = by_view(embed_views(queries, CROPS[options.query], options.side, embed), known)
    return judge(scores, np.array(answers), np.arange(len(shown)), rng)


def views_of(renders: Path) -> list[list[photos.Source]]:
    items: dict[str, list[photos.Source]] = {}
    for source in photos.read_renders(renders):
        items.setdefault(source.group, []).append(source)
    return list(items.values())


def embed_views(pictures, crops, side, embed):
    rows = []
    for start in range(0, len(pictures), 32):
        rows.append(embed(np.stack([letterboxed(p, crop, side) for p in pictures[start : start + 32] for crop in crops])))
    return torch.cat(rows).reshape(len(pictures), len(crops), -1)


def by_view(asked: torch.Tensor, known: torch.Tensor):
    """For each query the cosine of each of its views (rows) to the nearest view of each catalogue photo (columns)."""
    for query in asked:
        yield torch.einsum("vd,nkd->vnk", query, known).amax(2).numpy()


def judge(scores, answers, items, rng):
    """Takes the own item of some queries out of the catalogue; then the signals of the best item, and whether it is right."""
    signals, right = [], []
    for views, answer in zip(scores, answers):
        if rng.random() < UNKNOWN:
            views = np.where(items == answer, -2, views)
        order = np.argsort(-(views.max(0) + views.mean(0)))
        best = items[order[0]]
        near = order[:CANDIDATES]
        signals.append(signals_of(views[:, near], items[near] == best, views[:, order[CANDIDATES]].max()))
        right.append(best == answer)
    return np.array(signals), np.array(right, float)


def signals_of(views: np.ndarray, own: np.ndarray, unseen: float) -> list[float]:
    """In the order of SIGNALS; `views` are cosines of each view of the query (rows) to each candidate (columns)."""
    mine, theirs = views[:, own].max(1), views[:, ~own]
    rivals = theirs.max(0) if theirs.size else np.array([])
    rival_by_view = theirs.max(1) if theirs.size else np.full(len(views), unseen)
    similarity, rival = mine.max(), rivals.max() if theirs.size else unseen
    mean = rivals.mean() if theirs.size else unseen
    deviation = np.sqrt((((rivals - mean) ** 2).sum() + PRIOR_RIVALS * PRIOR_DEVIATION**2) / (len(rivals) + PRIOR_RIVALS))
    return [
        similarity,
        mine[0],
        similarity - rival,
        (similarity - rival) / (1 - rival + LEAST_TO_GAIN),
        ((mine - rival_by_view) / (1 - rival_by_view + LEAST_TO_GAIN)).max(),
        (mine >= rival_by_view).mean(),
        min(PROMINENCE_MAX, (similarity - mean) / deviation),
    ]


def fit(signals, right, names, ridge: float):
    """Logistic regression by Newton's method over standardised signals; gives the weights of the plain ones."""
    chosen = [SIGNALS.index(name) for name in names]
    mean, deviation = signals[:, chosen].mean(0), signals[:, chosen].std(0) + 1e-9
    x = np.concatenate([np.ones((len(right), 1)), (signals[:, chosen] - mean) / deviation], 1)
    cost = ridge * len(right) * np.diag([0.0] + [1.0] * len(chosen))
    w = np.zeros(x.shape[1])
    for _ in range(50):
        p = 1 / (1 + np.exp(-x @ w))
        curvature = (x * (p * (1 - p))[:, None]).T @ x + cost + 1e-9 * np.eye(len(w))
        w += np.linalg.solve(curvature, x.T @ (right - p) - cost @ w)
    weights = w[1:] / deviation
    rounded = {name: round(float(weight), 4) for name, weight in zip(names, weights)}
    return {"kind": "logistic", "bias": round(float(w[0] - weights @ mean), 4), "weights": rounded}


def logistic(confidence, signals):
    logit = confidence["bias"] + sum(weight * signals[:, SIGNALS.index(name)] for name, weight in confidence["weights"].items())
    return 1 / (1 + np.exp(-logit))


def expected_error(confidence, right, bins: int = 10) -> float:
    """Expected calibration error over bins of equal width."""
    which = np.minimum((confidence * bins).astype(int), bins - 1)
    return float(sum(abs(confidence[which == b].mean() - right[which == b].mean()) * (which == b).mean() for b in range(bins) if (which == b).any()))


def area(confidence, right) -> float:
    """Probability that a right answer has a higher confidence than a wrong one."""
    order = confidence.argsort()
    ranks = np.empty(len(order))
    ranks[order] = np.arange(1, len(order) + 1)
    good, bad = right.sum(), (1 - right).sum()
    return float((ranks[right == 1].sum() - good * (good + 1) / 2) / max(1, good * bad))


def measure(options, embed, calibration) -> dict[str, np.ndarray]:
    """Prints how well the calibration does on the photos of the set, by level; gives the signals it was computed from."""
    catalogue = json.loads((options.set / "catalogue.json").read_text())
    queries = [q for n, q in enumerate(json.loads((options.set / "queries.json").read_text())) if q["kind"] in ("bag", "watch") and (q["level"] == 4 or (n // 3) % options.sample == 0)]
    known = embed_files([options.images / c["file"] for c in catalogue], CROPS[options.catalog], options.side, embed)
    asked = embed_files([options.set / q["file"] for q in queries], CROPS[options.query], options.side, embed)
    names = {item: number for number, item in enumerate(dict.fromkeys(c["item"] for c in catalogue))}
    items = np.array([names[c["item"]] for c in catalogue])
    answers = np.array([names[q["item"]] for q in queries])
    signals, right = judge(by_view(asked, known), answers, items, np.random.default_rng(SEED))
    confidence = logistic(calibration, signals)
    levels = np.array([q["level"] for q in queries])
    for level in ("all", *sorted(set(levels.tolist()))):
        chosen = np.ones(len(levels), bool) if level == "all" else levels == level
        print(f"level {level}: {chosen.sum()} queries, {right[chosen].mean():.3f} right, mean confidence {confidence[chosen].mean():.3f}, "
              f"calibration error {expected_error(confidence[chosen], right[chosen]):.3f}, area {area(confidence[chosen], right[chosen]):.3f}, "
              f"answered {(confidence[chosen] >= options.floor).mean():.3f}, answered rightly {(right[chosen] * (confidence[chosen] >= options.floor)).mean():.3f}")
    return {"measured": signals, "measured_right": right, "levels": levels}


if __name__ == "__main__":
    main()
