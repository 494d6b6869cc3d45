"""When to try again: after a random time, up to a bound that doubles (full jitter), so that callers who
failed together do not come back together."""

from __future__ import annotations

import random
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Backoff:
    """Waiting times."""

    first_s: float
    """Bound of the first wait."""
    most_s: float
    """Bound of all waits."""
    random: random.Random = field(default_factory=random.Random)

    def bound_s(self, failures: int) -> float:
        """The longest wait after so many failures in a row (at least 1)."""
        return min(self.most_s, self.first_s * 2.0 ** min(failures - 1, 60))

    def wait_s(self, failures: int) -> float:
        """A wait: anything up to the bound, all alike."""
        return self.random.uniform(0.0, self.bound_s(failures))
