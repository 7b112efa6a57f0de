"""Fits how the signals of an answer become the probability of being right, on things that were never trained on, and writes it into the manifest.

The catalogue holds one photo of each held-back thing, drawn items of another seed, and photos from training as mere company. Each
thing is asked for by its other photos as they are, and by distorted views of every severity; drawn items are asked for too, to see how the fit does on them. A share of the queries has its own
thing taken out of the catalogue: whatever is found for those is wrong. The signals are those of models/vision/confidence.ts, computed the same way.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F

import draw_items
import photos
from crops import letterboxed
from distort import catalogue_view, distorted_view
from graph import Graph
from network import MEAN, SCALE
from photos import premultiplied

UNKNOWN = 0.2
SEED = 77
QUERIES = 3
OTHER_ANGLE = 0.25
DISTORTED, OTHER_PHOTO, DRAWN = range(3)
SIGNALS = ("similarity", "whole", "margin", "lead", "viewLead", "consensus", "prominence")
CANDIDATES = 20
LEAST_TO_GAIN, PRIOR_DEVIATION, PRIOR_RIVALS, PROMINENCE_MAX = 0.02, 0.1, 5, 8


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", type=Path, required=True, help="folder that export.py wrote; its manifest gets the calibration")
    parser.add_argument("--held", type=Path, nargs="+", required=True, help="folders of photos that were not trained on, several of each thing")
    parser.add_argument("--company", type=Path, nargs="*", default=[], help="folders of photos that fill the catalogue")
    parser.add_argument("--companions", type=int, default=600, help="how many of these")
    parser.add_argument("--drawings", type=int, default=100, help="drawn items to ask for")
    parser.add_argument("--floor", type=float, default=0.75)
    parser.add_argument("--signals", nargs="+", default=["similarity", "viewLead", "prominence"], choices=SIGNALS)
    parser.add_argument("--ridge", type=float, default=0.0001, help="how much large weights of standardised signals cost, as a share of the queries")
    parser.add_argument("--other-photo-weight", type=float, default=10, help="how many distorted views another photo as it is counts for")
    parser.add_argument("--dump", type=Path, help="write signals and correctness of every query here, to try other formulas on")
    options = parser.parse_args()
    torch.set_num_threads(1)
    signals, right, sort = ask(options)
    held = sort != DRAWN
    weights = np.where(sort == OTHER_PHOTO, options.other_photo_weight, 1.0)
    confidence = fit(signals[held], right[held], weights[held], options.signals, options.ridge)
    given = logistic(confidence, signals)
    for name, chosen in (("fitted", held), ("other photos", sort == OTHER_PHOTO), ("distorted", sort == DISTORTED), ("drawn", sort == DRAWN)):
        print(f"{name}: {chosen.sum()} queries, {right[chosen].mean():.3f} right, mean confidence {given[chosen].mean():.3f}, "
              f"calibration error {expected_error(given[chosen], right[chosen]):.3f}, area under the curve {area(given[chosen], right[chosen]):.3f}")
    if options.dump:
        np.savez(options.dump, signals=signals, right=right, sort=sort)
    manifest = json.loads((options.model / "manifest.json").read_text())
    manifest["calibration"] = {"confidence": confidence, "floor": options.floor}
    (options.model / "manifest.json").write_text(json.dumps(manifest, indent=2) + "\n")


def describer(model: Path):
    """A function from N x S x S x 3 bytes to unit vectors, and S."""
    graph = Graph.read(model)

    def describe(pictures: np.ndarray) -> torch.Tensor:
        scaled = (pictures.astype(np.float32) - MEAN) * np.float32(SCALE)
        return F.normalize(torch.from_numpy(graph.run(scaled)), dim=1)

    return describe, graph.side


def ask(options):
    """Signals of the best answer to each query, whether it is right, and of which sort the query is."""
    rng = np.random.default_rng(SEED)
    company = [s for folder in options.company for s in photos.read_folder(folder)]
    company = [company[i] for i in rng.permutation(len(company))[: options.companions]]
    backdrops = [premultiplied(rgba) for rgba in photos.backdrops_of(company)]
    held = things_in(options.held)
    drawn = [[draw_items.draw(SEED, index, view) for view in range(4)] for index in range(options.drawings)]
    things = [*held, *drawn]
    shown = [catalogue_view(rng, premultiplied(views[0].rgba)) for views in (*things, *([s] for s in company))]
    queries, answers, sorts = [], [], []
    for answer, views in enumerate(things):
        others = [on_white(view.rgba) for view in views[1:]] if answer < len(held) else []
        for _ in range(QUERIES):
            view = views[int(rng.integers(len(views)))] if rng.random() < OTHER_ANGLE else views[0]
            queries.append(distorted_view(rng, premultiplied(view.rgba), rng.uniform(0, 1), backdrops))
        queries += others
        answers += [answer] * (QUERIES + len(others))
        sorts += [DISTORTED if answer < len(held) else DRAWN] * QUERIES + [OTHER_PHOTO] * len(others)
    embed, side = describer(options.model)
    views = json.loads((options.model / "manifest.json").read_text())["views"]
    known = embed_views(shown, views["catalog"], side, embed)
    scores = by_view(embed_views(queries, views["query"], side, embed), known)
    return *judge(scores, np.array(answers), np.arange(len(shown)), rng), np.array(sorts)


def things_in(folders: list[Path]) -> list[list[photos.Source]]:
    """The photos of each thing, one thing after the other."""
    things: dict[str, list[photos.Source]] = {}
    for folder in folders:
        for source in photos.read_folder(folder):
            things.setdefault(source.group, []).append(source)
    return list(things.values())


def on_white(rgba: np.ndarray) -> np.ndarray:
    return np.clip(premultiplied(rgba)[:, :, :3].astype(np.int16) + 255 - rgba[:, :, 3:], 0, 255).astype(np.uint8)


def embed_views(pictures, crops, side, embed):
    rows = []
    for start in range(0, len(pictures), 8):
        rows.append(embed(np.stack([letterboxed(p, crop, side) for p in pictures[start : start + 8] for crop in crops])))
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


def fit(signals, right, counts, names, ridge: float):
    """Logistic regression by Newton's method over standardised signals, each query counted `counts` times; gives the weights of the plain ones."""
    chosen = [SIGNALS.index(name) for name in names]
    mean, deviation = signals[:, chosen].mean(0), signals[:, chosen].std(0) + 1e-9
    x = np.concatenate([np.ones((len(right), 1)), (signals[:, chosen] - mean) / deviation], 1)
    cost = ridge * counts.sum() * np.diag([0.0] + [1.0] * len(chosen))
    w = np.zeros(x.shape[1])
    for _ in range(50):
        p = 1 / (1 + np.exp(-x @ w))
        curvature = (x * (counts * p * (1 - p))[:, None]).T @ x + cost + 1e-9 * np.eye(len(w))
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


if __name__ == "__main__":
    main()
