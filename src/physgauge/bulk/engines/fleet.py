"""What servers say of themselves: the parts of a run's fingerprint, and whether they are all alike."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Final

from physgauge import wire
from physgauge.clients.remote.blocking import Client
from physgauge.clients.remote.inputs import Input
from physgauge.errors import ConfigError, EnvironmentProblem

ASK_S: Final = 20.0
"""For each server,"""
AT_A_TIME: Final = 16
"""and so many at a time."""
OF_ONE_IMAGE: Final = ("model pack_", "model layout_")
"""Parts that a row names only where they judged it."""

ASKED: Final = frozenset({"domain", "method"})
"""Parts that the run chooses, not the servers."""


def parts_of(provenance: wire.Provenance) -> dict[str, str]:
    """What rows depend on, by part, as far as an error row's provenance says."""
    one = provenance
    parts = {
        "physgauge": one.physgauge,
        "profile": one.profile,
        "probes": one.probe_version,
        "engine": one.engine,
        "lambda": one.lambda_,
        "alpha": one.alpha,
        "settings": json.dumps(dict(sorted(one.settings.items()))),
    }
    named = {f"model {name}": digest for name, digest in one.models.items()}
    return {name: str(value) for name, value in parts.items() if value is not None} | named


def ask(address: str, connect: Callable[[str], Client]) -> dict[str, str]:
    """The parts that one server states. It is sent no bytes, and its error row says what it runs.

    Raises:
        EnvironmentProblem: it does not answer.
        ConfigError: it answers, but not to us: a wrong token, no physgauge.
    """
    with connect(address) as client:
        (row,) = client.score([Input(b"", image_id="?", source="", timeout_s=ASK_S)])
    if row.error_code == "image_empty":
        return parts_of(row.provenance)
    kind = ConfigError if row.error_code == "request_invalid" else EnvironmentProblem
    raise kind(f"--server {address}: {row.error_code}: {row.error}")


def ask_all(
    addresses: Sequence[str], connect: Callable[[str], Client]
) -> tuple[dict[str, str], list[str]]:
    """The parts that all servers agree on, and why some of them could not be asked.

    Raises:
        ConfigError: two servers differ; says in what.
        EnvironmentProblem: no server answers.
    """

    def answer(address: str) -> dict[str, str] | EnvironmentProblem:
        try:
            return ask(address, connect)
        except EnvironmentProblem as problem:
            return problem

    with ThreadPoolExecutor(AT_A_TIME) as threads:
        answers = dict(zip(addresses, threads.map(answer, addresses), strict=True))
    said = {address: one for address, one in answers.items() if isinstance(one, dict)}
    silent = [one for one in answers.values() if isinstance(one, EnvironmentProblem)]
    if not said:
        raise silent[0]
    first, *others = said
    for other in others:
        if different := differences(said[first], said[other]):
            what = "; ".join(different)
            raise ConfigError(
                f"--server: expected servers that run the same, got {first} and {other}: {what}"
            )
    return said[first], [str(problem) for problem in silent]


def differences(one: Mapping[str, str], other: Mapping[str, str]) -> list[str]:
    """Each part that is not the same in both, in words."""
    return [
        f"{part} {one.get(part, 'none'):.80} and {other.get(part, 'none'):.80}"
        for part in sorted({*one, *other})
        if one.get(part) != other.get(part)
    ]


def unlike(row: wire.Row, parts: Mapping[str, str]) -> list[str]:
    """In what a server's row is not one of the fleet's; empty: in nothing."""
    made = row.provenance
    found = differences(_shared(parts), _shared(parts_of(made)))
    if made.pack_hash is not None and made.pack_hash not in parts.values():
        found.append(f"pack {made.pack} {made.pack_hash:.80}")
    return found


def _shared(parts: Mapping[str, str]) -> dict[str, str]:
    """Without what only rows of some images name, and what the run asks for."""
    return {
        name: value
        for name, value in parts.items()
        if name not in ASKED and not name.startswith(OF_ONE_IMAGE)
    }
