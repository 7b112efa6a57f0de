"""How long a training run is, and how much of it is over."""

from __future__ import annotations

import time
from datetime import datetime, timezone


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
