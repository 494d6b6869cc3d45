"""What an image has to show to pass, and whether its row shows it. Nothing passes by guess: where a row
lacks answers, its bounds decide, and where they do not, the rule says what becomes of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, Literal, NamedTuple

import msgspec

from physgauge import wire
from physgauge.errors import REQUEST_CODES, ConfigError
from physgauge.gate.bounds import Bounds, found_bounds, score_bounds

Choice = Literal["reject", "accept"]
State = Literal["fails", "undecided", "abstained", "not_applicable", "skipped", "error"]
_UNKNOWN: Final[Mapping[wire.Status, State]] = {
    "ok": "undecided",
    "partial": "undecided",
    "not_applicable": "not_applicable",
    "error": "error",
    "skipped": "skipped",
}
NOT_THE_IMAGE: Final = REQUEST_CODES | {"worker_crashed"}
"""Error codes that say nothing about the image: another one might meet with the same."""


class Rule(msgspec.Struct, frozen=True, kw_only=True):
    """Conditions that must all hold; at least one.

    Raises:
        ConfigError: no condition, or one that no number can meet.
    """

    min_terravis: float | None = None
    """Least TerraVis score, 0..1."""
    soft: bool = False
    """The expected score in place of the hard one."""
    max_violations: int | None = None
    """Most violations found by the probes, major and minor together."""
    max_major: int | None = None
    """Most major ones."""
    require_pcmde: bool = False
    """PCMDE's verdict has to be PASS."""
    min_pcmde: float | None = None
    """Least S_final, 0..100 points."""
    partial: Choice = "reject"
    """What becomes of a row that lacks answers, where its bounds lie on both sides."""
    not_applicable: Choice = "reject"
    """Of a row whose image a condition can't be asked of: not eligible, or of no known domain."""
    abstained: Choice = "reject"
    """Of a row on which the judge looked and declined: the image is unlike what it knows."""

    def __post_init__(self) -> None:
        if (self.min_terravis, self.max_violations, self.max_major, self.min_pcmde) == (
            None,
        ) * 4 and not self.require_pcmde:
            raise ConfigError(
                "gate: expected a condition (min_terravis, max_violations, max_major, require_pcmde or "
                "min_pcmde), got none"
            )
        for name, most in (("min_terravis", 1), ("min_pcmde", 100)):
            value = getattr(self, name)
            if value is not None and not 0 <= value <= most:
                raise ConfigError(f"gate: {name}: expected 0 to {most}, got {value!r}")
        for name in ("max_violations", "max_major"):
            value = getattr(self, name)
            if value is not None and (not isinstance(value, int) or value < 0):
                raise ConfigError(f"gate: {name}: expected 0 or more, got {value!r}")
        for name in ("partial", "not_applicable", "abstained"):
            if getattr(self, name) not in ("reject", "accept"):
                raise ConfigError(
                    f"gate: {name}: expected reject or accept, got {getattr(self, name)!r}"
                )
        if self.soft and self.min_terravis is None:
            raise ConfigError("gate: soft: expected min_terravis with it, got none")


class Reason(msgspec.Struct, frozen=True):
    """Why a condition does not hold, or is not known to."""

    code: str
    """``condition:state`` (``terravis:fails``, ``pcmde:not_applicable``), or ``error:`` and the row's
    error code: what reasons are counted by."""
    says: str
    """Expected and got, for people."""


class Decision(msgspec.Struct, frozen=True):
    """Whether an image passes."""

    passed: bool
    reasons: tuple[Reason, ...] = ()
    """Why not; of an image that passed: what the rule lets through."""

    @property
    def about_image(self) -> bool:
        """Whether another image might fare better: False where only the serving failed."""
        return not any(
            one.code.removeprefix("error:") in NOT_THE_IMAGE
            for one in self.reasons
            if one.code.startswith("error:")
        )


class Gated(NamedTuple):
    """An image at a gate."""

    row: wire.Row
    """Its `image_id` says which image."""
    decision: Decision


def decide(row: wire.Row, rule: Rule) -> Decision:
    """Whether a row's image passes."""
    if row.error_code is not None:
        return Decision(False, (Reason(f"error:{row.error_code}", row.error or ""),))
    found = list(_terravis(row.terravis, rule)) + list(_pcmde(row.pcmde, rule))
    choices: dict[State, Choice] = {
        "undecided": rule.partial,
        "not_applicable": rule.not_applicable,
        "abstained": rule.abstained,
    }
    accepted = {state for state, choice in choices.items() if choice == "accept"}
    against = tuple(reason for state, reason in found if state not in accepted)
    return Decision(not against, against or tuple(reason for _, reason in found))


Finding = tuple[State, Reason]


def _terravis(said: wire.TerraVis, rule: Rule) -> Iterator[Finding]:
    unknown = _unknown(said)
    if rule.min_terravis is not None:
        bounds, least = score_bounds(said, rule.soft), rule.min_terravis
        name = "score_soft" if rule.soft else "score"
        holds = None if bounds is None else bounds.reaches(least)
        yield from _finding(
            "terravis", f"{name} of at least {least:g}", holds, bounds, said, unknown
        )
    for what, major, most in (
        ("violations", False, rule.max_violations),
        ("major", True, rule.max_major),
    ):
        if most is not None:
            bounds = found_bounds(said, major)
            holds = None if bounds is None else bounds.within(most)
            kind = "major violations" if major else "violations"
            yield from _finding(what, f"at most {most} {kind}", holds, bounds, said, unknown)


def _pcmde(said: wire.Pcmde, rule: Rule) -> Iterator[Finding]:
    unknown: State = _UNKNOWN[said.status]
    if rule.require_pcmde:
        holds = None if said.verdict is None else said.verdict == "PASS"
        points = None if said.s_final is None else Bounds(said.s_final, said.s_final)
        yield from _finding("pcmde", "PASS", holds, points, said, unknown)
    if rule.min_pcmde is not None:
        low, high = (said.low, said.high) if said.s_final is None else (said.s_final,) * 2
        bounds = None if low is None or high is None else Bounds(low, high)
        holds = None if bounds is None else bounds.reaches(rule.min_pcmde)
        yield from _finding(
            "s_final", f"S_final of at least {rule.min_pcmde:g}", holds, bounds, said, unknown
        )


def _unknown(said: wire.TerraVis) -> State:
    """What it is called when a condition on this result is not decided."""
    undecided = _UNKNOWN[said.status]
    return "abstained" if undecided == "undecided" and said.abstained is not None else undecided


def _finding(
    condition: str,
    expected: str,
    holds: bool | None,
    bounds: Bounds | None,
    said: wire.TerraVis | wire.Pcmde,
    unknown: State,
) -> Iterator[Finding]:
    """Nothing if the condition holds."""
    # What cannot be asked has no number that counts, whatever bounds stand beside it.
    if unknown == "not_applicable":
        holds = None
    if holds:
        return
    state: State = unknown if holds is None else "fails"
    got = "no number"
    if bounds is not None:
        got = f"{bounds.low:.4g}"
        if bounds.high != bounds.low:
            got += f" to {bounds.high:.4g}"
    why = "" if said.reason is None else f" ({said.reason})"
    verdict = getattr(said, "verdict", None)
    if condition == "pcmde":
        got = f"{verdict or 'no verdict'}" + ("" if bounds is None else f", S_final {got}")
    yield state, Reason(f"{condition}:{state}", f"expected {expected}, got {got}{why}")
