"""Numbers of a run as people read them."""

from __future__ import annotations

from physgauge.bulk.watch.making import scores
from physgauge.bulk.watch.money import Costs
from physgauge.bulk.watch.progress import Progress
from physgauge.bulk.watch.report import Scores


def duration(seconds: float) -> str:
    """``45 s``, ``12 min 3 s``, ``6 h 22 min``, ``3 d 4 h``."""
    whole = round(max(0.0, seconds))
    for unit, size, below, per in (
        ("d", 86_400, "h", 3600),
        ("h", 3600, "min", 60),
        ("min", 60, "s", 1),
    ):
        if whole >= size:
            rest = whole % size // per
            return f"{whole // size} {unit}" + (f" {rest} {below}" if rest else "")
    return f"{whole} s"


def size(number: int) -> str:
    """Bytes: ``812 MiB``, ``3.4 GiB``."""
    return f"{number / 2**30:.1f} GiB" if number >= 2**30 else f"{number / 2**20:.0f} MiB"


def percent(part: float | None, nothing: str = "-") -> str:
    """A share: ``12.3%``; small ones with more digits, never 0 where there is something."""
    if part is None:
        return nothing
    if 0 < part < 0.001:
        return f"{part:.2%}" if part >= 0.0001 else "<0.01%"
    return f"{part:.1%}"


def speed(rate: float | None) -> str:
    """Images a second."""
    if rate is None:
        return "- images/s"
    return f"{rate:.1f} images/s" if rate >= 1 or rate == 0 else f"{rate:.3g} images/s"


def dollars(usd: float) -> str:
    """``0.042 USD``, ``3.21 USD``, ``1,234 USD``."""
    if usd >= 1000:
        return f"{usd:,.0f} USD"
    return f"{usd:.2f} USD" if usd >= 0.1 or usd == 0 else f"{usd:.2g} USD"


def place(progress: Progress) -> str:
    """How far it is: ``12,345 of 1,000,000``."""
    done = progress.done + progress.in_flight
    if progress.total is not None:
        return f"{done:,} of {progress.total:,}"
    units = progress.total_units
    if units is None:
        return f"{done:,}"
    return f"{done:,} ({progress.units:,} of {units:,} units)"


def pace(progress: Progress) -> str:
    """How quick it is, and what is left."""
    said = speed(progress.rate)
    if progress.overall_rate is not None:
        said += f" ({progress.overall_rate:.3g} overall)"
    return said if progress.left_s is None else f"{said}, {duration(progress.left_s)} left"


def verdicts(found: Scores, threshold: float) -> list[str]:
    """Errors, PCMDE, TerraVis; what was not asked for is left out."""
    said = []
    if found.rows:
        said.append(f"{percent(found.error_share)} errors")
    judged = sum(found.verdicts.values()) - found.verdicts.get("error", 0)
    if judged:
        others = ("partial", "not_applicable")
        shown = ("PASS", "FAIL", *(one for one in others if found.verdicts.get(one)))
        shares = (f"{v} {percent(found.verdicts.get(v, 0) / judged)}" for v in shown)
        said.append(" ".join(shares).replace("_", " "))
    if found.terravis_mean is not None:
        below = percent(found.terravis_below_share)
        said.append(f"TerraVis {found.terravis_mean:.3f}, {below} below {threshold:g}")
    return said


def price(costs: Costs) -> list[str]:
    """Money where a price is known, else seconds of GPU or processor."""
    if costs.usd is not None and costs.usd_per_million_images is not None:
        return [f"{dollars(costs.usd)}, {dollars(costs.usd_per_million_images)} a million images"]
    if costs.usd is not None:
        return [dollars(costs.usd)]
    for seconds, kind in (
        (costs.gpu_s_per_million_images, "GPU"),
        (costs.cpu_s_per_million_images, "CPU"),
    ):
        if seconds:
            return [f"{seconds / 3600:,.3g} {kind} hours a million images"]
    return []


def trouble(progress: Progress) -> list[str]:
    """What else there is to say."""
    named = (
        (progress.restarts, "workers replaced"),
        (progress.tally.quarantined, "quarantined"),
        (progress.retries, "retries"),
    )
    said = [f"{number:,} {what}" for number, what in named if number]
    return [*said, "finishing what is in hand"] if progress.draining else said


def summary(progress: Progress, threshold: float) -> list[str]:
    """All but place and pace, in order of weight."""
    found = scores(progress.tally.total, threshold)
    return [*verdicts(found, threshold), *price(progress.costs), *trouble(progress)]


def line(progress: Progress, threshold: float) -> str:
    """Everything in one line, for a log."""
    return ", ".join([place(progress), pace(progress), *summary(progress, threshold)])
