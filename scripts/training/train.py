"""Trains the embedding network on fresh views of the sources that make_sources.py gathered.

Three lessons at once: the embedding of every view should point where the teacher sees the undistorted thing (reduced to as many
dimensions); the two views of one thing should find each other among all others of the batch; and each should find its
thing among all things that were seen so far. The length of a run is given in minutes of computing (processor
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
from datetime import datetime, timezone
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import cv2
import torch
import torch.distributed as dist
import torch.nn.functional as F

from bank import Bank
from network import DIMENSIONS, Embedder
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
        self.model = Embedder().to(memory_format=torch.channels_last)
        self.target = None
        if options.start:
            start = torch.load(options.start, weights_only=False)
            self.model.load_state_dict(start["average"])
            self.target = Target(**start["target"]) if start["target"] else None
        self.average = copy.deepcopy(self.model).eval()
        decayed = [p for p in self.model.parameters() if p.ndim > 1]
        plain = [p for p in self.model.parameters() if p.ndim <= 1]
        self.optimiser = torch.optim.AdamW([{"params": decayed, "weight_decay": 0.05}, {"params": plain, "weight_decay": 0}], lr=options.rate)
        self.elapsed, self.steps, self.log, self.progress = 0.0, 0, [], 0.0
        if options.out.exists():
            self.resume()
        self.clock = Clock(60 * options.minutes, options.until, self.elapsed)
        self.noted = time.time()
        self.sums = torch.zeros(4)
        described = self.views.descriptions()
        self.wanted = None
        if described.shape[1] > 0:
            if self.target is None:
                self.target = Target.fit(described)
            self.wanted = self.aim(self.target(described))

    def aim(self, seen: torch.Tensor) -> torch.Tensor:
        """Where each source's embedding should point: between what the teacher sees in it and in all sources of its identity."""
        return F.normalize(seen + F.normalize(self.views.of_identities(seen), dim=1)[self.identity], dim=1)

    def resume(self) -> None:
        state = torch.load(self.options.out, weights_only=False)
        self.model.load_state_dict(state["model"])
        self.average.load_state_dict(state["average"])
        self.optimiser.load_state_dict(state["optimiser"])
        self.elapsed, self.steps, self.log = state["elapsed"], state["steps"], state["log"]
        self.target = Target(**state["target"]) if state["target"] else None

    def save(self) -> None:
        state = {
            "model": self.model.state_dict(),
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
        return self.views.batch(self.options.pairs, self.side())

    def step(self, batch) -> None:
        pictures, sources = batch
        rate = self.options.rate * min(1, (self.steps + 1) / 200) * (0.02 + 0.98 * 0.5 * (1 + math.cos(math.pi * self.progress)))
        for group in self.optimiser.param_groups:
            group["lr"] = rate
        scaled = (pictures.float() / 127.5 - 1).permute(0, 3, 1, 2)
        self.model.train()
        with torch.autocast("cpu", torch.bfloat16):
            raw = self.model(scaled)
        embedding = F.normalize(raw.float(), dim=1)
        imitation = torch.zeros(()) if self.wanted is None else 1 - (embedding * self.wanted[sources]).sum(1).mean()
        identities = self.identity[sources]
        contrast, right = recognise(embedding, self.kin[identities], self.options.temperature)
        known = self.bank.recognise(embedding, identities, self.options.temperature)
        loss = self.options.imitation * imitation + contrast + self.options.bank * known
        self.optimiser.zero_grad(set_to_none=True)
        loss.backward()
        self.share_gradients()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 2.0)
        self.optimiser.step()
        self.bank.keep(embedding.detach(), identities)
        self.steps += 1
        if self.rank > 0:
            return
        self.follow()
        self.sums += torch.tensor([imitation.item(), contrast.item(), known.item(), right])
        if self.steps % 50 == 0:
            self.note(rate, pictures)

    def share_gradients(self) -> None:
        """Averages the gradients of all processes, in one message."""
        if self.options.processes == 1:
            return
        gradients = [p.grad for p in self.model.parameters()]
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
        imitation, contrast, known, right = (self.sums / 50).tolist()
        line = {"step": self.steps, "progress": round(self.progress, 3), "side": pictures.shape[1], "rate": round(rate, 6), "imitation": round(imitation, 4),
                "contrast": round(contrast, 4), "bank": round(known, 4), "found": round(right, 4), "minutes": round(self.clock.computed() / 60, 2),
                "views_per_s": round(50 * self.options.processes * len(pictures) / (now - self.noted))}
        self.log.append(line)
        print(json.dumps(line), flush=True)
        self.sums.zero_()
        self.noted = now
        self.save()


class Clock:
    """How much of a run is over, by computing done and, where there is a last moment, by the computing still to be expected."""

    def __init__(self, length: float, until: datetime | None, before: float):
        self.length, self.before = length, before
        self.end = until.replace(tzinfo=timezone.utc).timestamp() if until else None
        self.begun, self.furthest = time.time(), 0.0

    def computed(self) -> float:
        """Seconds of computing since the run first began."""
        return self.before + time.process_time()

    def progress(self) -> float:
        """From 0 to 1, never falling. Before the end it is assumed that the run goes on to get the share of the processor it got so far."""
        total = self.length
        if self.end:
            share = (time.process_time() + 60) / (time.time() - self.begun + 60)
            total = min(total, self.computed() + share * max(0.0, self.end - time.time()))
        self.furthest = max(self.furthest, min(1.0, self.computed() / total))
        return self.furthest


class Target:
    """Maps the teacher's embeddings to unit vectors of the network's dimensions: centred principal components."""

    def __init__(self, mean: torch.Tensor, axes: torch.Tensor):
        self.mean, self.axes = mean, axes

    @classmethod
    def fit(cls, described: torch.Tensor, whiten: float = 0.25) -> "Target":
        """Principal axes of the descriptions, each divided by its deviation to the power 2 x `whiten`."""
        unit = F.normalize(described, dim=1)
        mean = unit.mean(0)
        centred = unit - mean
        values, vectors = torch.linalg.eigh(centred.T @ centred / len(centred))
        order = values.argsort(descending=True)[:DIMENSIONS]
        return cls(mean, vectors[:, order] * values[order].clamp_min(1e-9) ** -whiten)

    def __call__(self, described: torch.Tensor) -> torch.Tensor:
        return F.normalize((F.normalize(described, dim=1) - self.mean) @ self.axes, dim=1)


def recognise(embedding: torch.Tensor, kin: torch.Tensor, temperature: float) -> tuple[torch.Tensor, float]:
    """InfoNCE between first and second views, both ways, and the share of views that find their partner. Others of the kin do not count against."""
    half = len(embedding) // 2
    scores = embedding @ embedding.T / temperature
    partner = torch.arange(2 * half).roll(half)
    alike = kin[:, None] == kin[None, :]
    alike[torch.arange(2 * half), partner] = False
    scores = scores.masked_fill(alike, -1e4)
    return F.cross_entropy(scores, partner), (scores.argmax(1) == partner).float().mean().item()


if __name__ == "__main__":
    main()
