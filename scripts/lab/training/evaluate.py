"""Recall of an exported model on an exported set of catalogue photos and queries, with crops on either side.

The set is a folder with catalogue.json ([{item, file, kind}]) and queries.json ([{id, item, file, level, kind}]); catalogue files are
relative to --images, query files to the set.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import cv2
import numpy as np
import torch
import torch.nn.functional as F

from crops import CROPS, letterboxed
from graph import Graph
from network import MEAN, SCALE

LONGEST = 384


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--set", type=Path, required=True)
    parser.add_argument("--images", type=Path, required=True)
    parser.add_argument("--model", type=Path, required=True, help="folder that export.py wrote")
    parser.add_argument("--catalog", nargs="+", default=["whole"], help=f"sets of crops to try: {', '.join(CROPS)}")
    parser.add_argument("--query", nargs="+", default=["whole"])
    parser.add_argument("--sample", type=int, default=1, help="take every n-th query of levels 1 to 3")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--dump", type=Path, help="write the vectors here")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    embed, side = describer(options.model)
    catalogue = json.loads((options.set / "catalogue.json").read_text())
    queries = [q for n, q in enumerate(json.loads((options.set / "queries.json").read_text())) if q["level"] == 4 or (n // 3) % options.sample == 0]
    catalog_crops = union(options.catalog)
    query_crops = union(options.query)
    known = embed_files([options.images / c["file"] for c in catalogue], catalog_crops, side, embed)
    asked = embed_files([options.set / q["file"] for q in queries], query_crops, side, embed)
    if options.dump:
        np.savez(options.dump, known=known.numpy(), asked=asked.numpy(), catalog=catalog_crops, query=query_crops)
    for catalog_name in options.catalog:
        for query_name in options.query:
            rows = [catalog_crops.index(c) for c in CROPS[catalog_name]]
            columns = [query_crops.index(c) for c in CROPS[query_name]]
            scores = scores_of(asked[:, columns], known[:, rows])
            print(f"{catalog_name} x {query_name}: " + report(scores, queries, catalogue), flush=True)


def describer(model: Path):
    """A function from N x S x S x 3 bytes to unit vectors, and S."""
    graph = Graph.read(model)

    def describe(pictures: np.ndarray) -> torch.Tensor:
        scaled = (pictures.astype(np.float32) - MEAN) * np.float32(SCALE)
        return F.normalize(torch.from_numpy(graph.run(scaled)), dim=1)

    return describe, graph.side


def union(names):
    crops = []
    for name in names:
        crops += [crop for crop in CROPS[name] if crop not in crops]
    return crops


def embed_files(paths, crops, side, embed, batch: int = 16) -> torch.Tensor:
    """Vectors of all crops of all photos: N x crops x D."""
    rows, pending = [], []
    for path in paths:
        picture = cv2.imread(str(path), cv2.IMREAD_COLOR_RGB)
        ratio = LONGEST / max(picture.shape[:2])
        if ratio < 1:
            picture = cv2.resize(picture, None, fx=ratio, fy=ratio, interpolation=cv2.INTER_AREA)
        pending += [letterboxed(picture, crop, side) for crop in crops]
        if len(pending) >= batch:
            rows.append(embed(np.stack(pending)))
            pending = []
    if pending:
        rows.append(embed(np.stack(pending)))
    return torch.cat(rows).reshape(len(paths), len(crops), -1)


def scores_of(asked: torch.Tensor, known: torch.Tensor) -> torch.Tensor:
    """For each query and catalogue photo the cosine of their nearest pair of crops, plus the mean over the query's crops of the nearest crop."""
    nearest = torch.full((len(asked), len(known)), -2.0)
    total = torch.zeros_like(nearest)
    for q in range(asked.shape[1]):
        view = torch.stack([asked[:, q] @ known[:, k].T for k in range(known.shape[1])]).amax(0)
        nearest = torch.maximum(nearest, view)
        total += view
    return nearest + total / asked.shape[1]


def report(scores: torch.Tensor, queries, catalogue) -> str:
    items = np.array([c["item"] for c in catalogue])
    ranked = scores.topk(12, dim=1).indices.numpy()
    tally: dict[str, list] = {}
    for row, query in zip(ranked, queries):
        found = list(dict.fromkeys(items[row]))
        place = found.index(query["item"]) if query["item"] in found else 99
        tally.setdefault(f"L{query['level']} {query['kind']}", []).append((place == 0, place < 5))
    return "  ".join(f"{key} {100 * np.mean([a for a, _ in hits]):.1f}/{100 * np.mean([b for _, b in hits]):.1f}" for key, hits in sorted(tally.items()))


if __name__ == "__main__":
    main()
