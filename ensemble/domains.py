"""What a deployment knows about each of its domains: rule pack, compiled kernel, type specification."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from physgauge.config import LoadedProfile
from physgauge.ensemble.captions.parser import CaptionParser
from physgauge.ensemble.compile import compile_together
from physgauge.ensemble.expectations import Expecter
from physgauge.ensemble.layout import Layout
from physgauge.ensemble.sight import Sight
from physgauge.ensemble.specifications.load import load_specification
from physgauge.errors import ConfigError
from physgauge.rules_kernel import Pack, RuleError, load_pack
from physgauge.rules_kernel.kernels import CompiledPack
from physgauge.types import Detections


@dataclass(frozen=True, slots=True)
class Domain:
    """One domain."""

    name: str
    pack: Pack
    kernel: CompiledPack
    sight: Sight
    expect: Expecter
    captions: CaptionParser
    """Knows the names of all domains: "a dog" under a picture of a car is noticed."""
    layout: Layout | None = None
    """None: the profile names none, or the pack takes boxes at their word (`literal`)."""


@dataclass(frozen=True, slots=True)
class Domains:
    """All domains of a deployment."""

    by_name: dict[str, Domain]

    @property
    def literal(self) -> frozenset[str]:
        """Domains whose pack says which boxes count: there is nothing to weigh about them."""
        return frozenset(d for d, domain in self.by_name.items() if domain.pack.min_score > 0)

    def clear(self, found: Detections) -> Detections:
        """Without the boxes that score less than the pack of their domain asks for."""
        least = {d: domain.pack.min_score for d, domain in self.by_name.items()}
        floor = np.array([least.get(name.partition(".")[0], 0.0) for name in found.classes])
        keep = found.boxes.score >= floor[found.boxes.label]
        return found if keep.all() else replace(found, boxes=found.boxes.where(keep))


def load_domains(loaded: LoadedProfile, packs: Sequence[str] = (), threads: int = 0) -> Domains:
    """Read packs and specifications of a profile and compile the packs' kernels.

    Args:
        loaded: the profile.
        packs: packs (shipped names or files) that take the place of the profile's, by their domain.
        threads: of the kernels; 0 = one per core.

    Raises:
        ConfigError: a pack or specification that is missing or wrong; says where.
    """
    profile = loaded.profile
    places = {domain: _place(loaded, name) for domain, name in profile.packs.items()}
    chosen = {domain: _pack(place) for domain, place in places.items()}
    for domain, pack in chosen.items():
        if pack.domain != domain:
            raise ConfigError(
                f"profile {profile.name}: packs.{domain}: expected a pack of the domain {domain!r}, "
                f"got {pack.name!r} of {pack.domain!r}"
            )
    for name in packs:
        pack = _pack(name)
        if pack.domain not in profile.specifications:
            known = ", ".join(profile.specifications)
            raise ConfigError(
                f"--pack {name}: expected a pack of a domain of the profile {profile.name} ({known}), "
                f"got one of {pack.domain!r}"
            )
        chosen[pack.domain], places[pack.domain] = pack, name
    specs = {
        domain: load_specification(_place(loaded, name))
        for domain, name in profile.specifications.items()
    }
    for domain, spec in specs.items():
        if spec.domain != domain:
            raise ConfigError(
                f"profile {profile.name}: specifications.{domain}: expected one of the domain "
                f"{domain!r}, got one of {spec.domain!r}"
            )
    kernels = compile_together(chosen, places, threads)
    captions = CaptionParser(specs.values())
    return Domains(
        {
            d: Domain(
                d,
                pack,
                kernels[d],
                Sight(pack, threads),
                Expecter(
                    specs[d],
                    pack.components,
                    pack.tags,
                    pack.hidden,
                    literal=pack.expect == "caption",
                ),
                captions,
                _layout(loaded, d, pack),
            )
            for d, pack in chosen.items()
        }
    )


def _layout(loaded: LoadedProfile, domain: str, pack: Pack) -> Layout | None:
    """The published packs are judged as published: nothing is said of what is usual."""
    name = loaded.profile.layouts.get(domain)
    if name is None or pack.min_score > 0:
        return None
    where = f"profile {loaded.profile.name}: layouts.{domain}"
    return Layout(loaded.path(name), pack, where)


def _place(loaded: LoadedProfile, name: str) -> str:
    """A shipped name as it is, a file relative to the profile."""
    return str(loaded.path(name)) if name.endswith(".toml") else name


def _pack(name: str) -> Pack:
    try:
        return load_pack(Path(name) if name.endswith(".toml") else name)
    except RuleError as error:
        raise ConfigError(str(error)) from None
