"""Trains the embedding network on fresh views of the sources that make_sources.py gathered.

Up to four lessons at once: the embedding of every view should point where the teacher sees the undistorted thing (reduced to as many
dimensions); the two views of one thing should find each other among all others of the batch; each should find its
thing among all things that were seen so far; and from each cell of the last feature map should follow what the teacher sees there, on the
pictures of glimpses.py where there are any. The length of a run is given in minutes of computing (processor
time of the first process), so that a run that is paused, or that yields to other work, still gets its whole schedule; with
--until the schedule shrinks so that it is through by then, whatever it got. A run that was stopped goes on from its last
checkpoint, under another length, rate or folder of views if told so.
"""

from __future__ import annotations

import argparse
import copy
import json
import math
import multiprocessing
import tempfile
import time
from datetime import datetime
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import cv2
import torch
import torch.distributed as dist
import torch.nn.functional as F

from bank import Bank
from clock import Clock
from glimpses import COMPONENTS, open_glimpses, unlikeness
from lessons import Target, recognise
from network import DIMENSIONS, STAGES, Embedder
from views import Views


def main() -> None:
    options = arguments()
    if options.processes == 1:
        work(0, options)
        return
    with tempfile.TemporaryDirectory() as folder:
        meeting = f"file://{folder}/ranks"
        others = [multiprocessing.get_context("fork").Process(target=work, args=(rank, options, meeting)) for rank in range(1, options.processes)]
        for other in others:
            other.start()
        work(0, options, meeting)
        for other in others:
            other.join()


def work(rank: int, options: argparse.Namespace, meeting: str | None = None) -> None:
    """One process of a run. Processes take batches of their own and average their gradients in every step."""
    if meeting:
        dist.init_process_group("gloo", init_method=meeting, rank=rank, world_size=options.processes)
    torch.manual_seed(options.seed)
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    run = Run(options, rank)
    feeder = ThreadPoolExecutor(1)
    upcoming = feeder.submit(run.next_batch)
    while run.tick() < 1:
        batch = upcoming.result()
        upcoming = feeder.submit(run.next_batch)
        run.step(batch)
    upcoming.result()
    if rank == 0:
        run.save()


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sources", type=Path, required=True, help="folder of sets")
    parser.add_argument("--out", type=Path, required=True, help="checkpoint; an existing one is resumed")
    parser.add_argument("--from", dest="start", type=Path, help="checkpoint whose weights to begin with")
    parser.add_argument("--minutes", type=float, required=True, help="length of the run in minutes of computing")
    parser.add_argument("--until", type=datetime.fromisoformat, help="time of the clock (ISO, UTC) at which the run is over at the latest")
    parser.add_argument("--pairs", type=int, default=96, help="sources in a batch of a process, two views of each")
    parser.add_argument("--rate", type=float, default=2e-3)
    parser.add_argument("--temperature", type=float, default=0.07)
    parser.add_argument("--imitation", type=float, default=3.0, help="weight of the teacher's lesson")
    parser.add_argument("--bank", type=float, default=0.5, help="weight of the lesson about all things seen")
    parser.add_argument("--cells", type=float, default=2.0, help="weight of the lesson about the parts of glimpses")
    parser.add_argument("--glimpses", type=int, default=64, help="glimpses in a batch of a process")
    parser.add_argument("--sides", type=int, nargs="+", default=[128, 160], help="side of the input, evenly over the run but for the last")
    parser.add_argument("--last", type=float, default=0.25, help="share of the run at the last side")
    parser.add_argument("--processes", type=int, default=2, help="one per core")
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


class Run:
    """One training run: model, average, optimiser and clock."""

    def __init__(self, options: argparse.Namespace, rank: int = 0):
        self.options, self.rank = options, rank
        self.views = Views(options.sources, 1000 * options.seed + rank)
        self.bank = Bank(self.views.kin, DIMENSIONS)
        self.identity, self.kin = torch.from_numpy(self.views.identity), torch.from_numpy(self.views.kin)
        self.glimpses = open_glimpses(options.sources, 1000 * options.seed + rank)
        self.model = Embedder().to(memory_format=torch.channels_last)
        self.reader = torch.nn.Conv2d(STAGES[-1][0], COMPONENTS, 1)
        self.target = None
        if options.start:
            start = torch.load(options.start, weights_only=False)
            self.model.load_state_dict(start["average"])
            self.target = Target(**start["target"]) if start["target"] else None
        self.average = copy.deepcopy(self.model).eval()
        self.learning = [*self.model.parameters(), *(self.reader.parameters() if self.glimpses else [])]
        decayed = [p for p in self.learning if p.ndim > 1]
        plain = [p for p in self.learning if p.ndim <= 1]
        self.optimiser = torch.optim.AdamW([{"params": decayed, "weight_decay": 0.05}, {"params": plain, "weight_decay": 0}], lr=options.rate)
        self.elapsed, self.steps, self.log, self.progress = 0.0, 0, [], 0.0
        if options.out.exists():
            self.resume()
        self.clock = Clock(60 * options.minutes, options.until, self.elapsed)
        self.noted = time.time()
        self.sums = torch.zeros(5)
        described = self.views.descriptions()
        self.wanted = None
        if described.shape[1] > 0:
            if self.target is None:
                self.target = Target.fit(described)
                if options.start:
                    self.target = self.target.turned(*self.pointing(described))
            self.wanted = self.aim(self.target(described))

    @torch.no_grad()
    def pointing(self, described: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """What the teacher says of some sources, and where the network that is begun with points for them."""
        pictures, sources = self.views.clean(2048, self.options.sides[-1])
        rows = []
        for part in pictures.split(64):
            with torch.autocast("cpu", torch.bfloat16):
                rows.append(self.average((part.float() / 127.5 - 1).permute(0, 3, 1, 2)).float())
        return described[sources], F.normalize(torch.cat(rows), dim=1)

    def aim(self, seen: torch.Tensor) -> torch.Tensor:
        """Where each source's embedding should point: between what the teacher sees in it and in all sources of its identity."""
        return F.normalize(seen + F.normalize(self.views.of_identities(seen), dim=1)[self.identity], dim=1)

    def resume(self) -> None:
        state = torch.load(self.options.out, weights_only=False)
        self.model.load_state_dict(state["model"])
        self.reader.load_state_dict(state["reader"])
        self.average.load_state_dict(state["average"])
        self.optimiser.load_state_dict(state["optimiser"])
        self.elapsed, self.steps, self.log = state["elapsed"], state["steps"], state["log"]
        self.target = Target(**state["target"]) if state["target"] else None

    def save(self) -> None:
        state = {
            "model": self.model.state_dict(),
            "reader": self.reader.state_dict(),
            "average": self.average.state_dict(),
            "optimiser": self.optimiser.state_dict(),
            "elapsed": self.clock.computed(),
            "steps": self.steps,
            "log": self.log,
            "target": self.target and vars(self.target),
            "options": {key: str(value) for key, value in vars(self.options).items()},
        }
        unfinished = self.options.out.with_suffix(".part")
        torch.save(state, unfinished)
        unfinished.rename(self.options.out)

    def tick(self) -> float:
        """How much of the run is over, 0 to 1, by the clock of the first process."""
        progress = torch.tensor([self.clock.progress()])
        if self.options.processes > 1:
            dist.broadcast(progress, 0)
        self.progress = progress.item()
        return self.progress

    def side(self) -> int:
        sides, progress = self.options.sides, self.progress
        if progress >= 1 - self.options.last or len(sides) == 1:
            return sides[-1]
        return sides[int(progress / (1 - self.options.last) * (len(sides) - 1))]

    def next_batch(self):
        side = self.side()
        return *self.views.batch(self.options.pairs, side), self.glimpses and self.glimpses.batch(self.options.glimpses, side)

    def step(self, batch) -> None:
        pictures, sources, glimpses = batch
        rate = self.options.rate * min(1, (self.steps + 1) / 200) * (0.02 + 0.98 * 0.5 * (1 + math.cos(math.pi * self.progress)))
        for group in self.optimiser.param_groups:
            group["lr"] = rate
        self.model.train()
        embedding, cells = self.look(pictures, glimpses)
        imitation = torch.zeros(()) if self.wanted is None else 1 - (embedding * self.wanted[sources]).sum(1).mean()
        identities = self.identity[sources]
        contrast, right = recognise(embedding, self.kin[identities], self.options.temperature)
        known = self.bank.recognise(embedding, identities, self.options.temperature)
        loss = self.options.imitation * imitation + contrast + self.options.bank * known + self.options.cells * cells
        self.optimiser.zero_grad(set_to_none=True)
        loss.backward()
        self.share_gradients()
        torch.nn.utils.clip_grad_norm_(self.learning, 2.0)
        self.optimiser.step()
        self.bank.keep(embedding.detach(), identities)
        self.steps += 1
        if self.rank > 0:
            return
        self.follow()
        self.sums += torch.tensor([imitation.item(), contrast.item(), known.item(), right, cells.item()])
        if self.steps % 50 == 0:
            self.note(rate, pictures)

    def look(self, pictures: torch.Tensor, glimpses: tuple[torch.Tensor, torch.Tensor] | None) -> tuple[torch.Tensor, torch.Tensor]:
        """Unit embeddings of the views, and how unlike the teacher's the cells of the glimpses are; all pass through the network together."""
        together = pictures if glimpses is None else torch.cat([pictures, glimpses[0]])
        with torch.autocast("cpu", torch.bfloat16):
            features = self.model.features((together.float() / 127.5 - 1).permute(0, 3, 1, 2))
            read = self.reader(features[len(pictures) :]) if glimpses else None
        embedding = F.normalize(self.model.project(features[: len(pictures)].float().mean((2, 3))), dim=1)
        return embedding, torch.zeros(()) if read is None else unlikeness(read.float(), glimpses[1])

    def share_gradients(self) -> None:
        """Averages the gradients of all processes, in one message."""
        if self.options.processes == 1:
            return
        gradients = [p.grad for p in self.learning]
        flat = torch.cat([g.flatten() for g in gradients])
        dist.all_reduce(flat)
        flat /= self.options.processes
        for gradient, mean in zip(gradients, flat.split([g.numel() for g in gradients])):
            gradient.copy_(mean.view_as(gradient))

    @torch.no_grad()
    def follow(self) -> None:
        """Moves the average towards the model, faster at first."""
        keep = min(0.998, self.steps / (self.steps + 20))
        for kept, new in zip(self.average.state_dict().values(), self.model.state_dict().values()):
            if kept.dtype.is_floating_point:
                kept.lerp_(new, 1 - keep)
            else:
                kept.copy_(new)

    def note(self, rate, pictures) -> None:
        now = time.time()
        imitation, contrast, known, right, cells = (self.sums / 50).tolist()
        line = {"step": self.steps, "progress": round(self.progress, 3), "side": pictures.shape[1], "rate": round(rate, 6), "imitation": round(imitation, 4),
                "contrast": round(contrast, 4), "bank": round(known, 4), "found": round(right, 4), "cells": round(cells, 4), "minutes": round(self.clock.computed() / 60, 2),
                "views_per_s": round(50 * self.options.processes * len(pictures) / (now - self.noted))}
        self.log.append(line)
        print(json.dumps(line), flush=True)
        self.sums.zero_()
        self.noted = now
        self.save()


if __name__ == "__main__":
    main()
