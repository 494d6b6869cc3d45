"""What a step's process loads: the settings that `physgauge serve` hands down, and the profile."""

from __future__ import annotations

import os
from typing import Final

from physgauge.config import LoadedProfile, load_profile
from physgauge.ensemble.aggregate import Context
from physgauge.ensemble.detect import OnnxDetector
from physgauge.ensemble.domains import Domains, load_domains
from physgauge.ensemble.judge.looking import JudgeCard
from physgauge.ensemble.methods import Methods
from physgauge.errors import ConfigError, RequestError
from physgauge.serve_settings import ServeSettings, settings_from
from physgauge.wire import Method

BEHIND: Final = 5
"""How much nicer than the first step the others are."""


def give_way() -> None:
    """For the steps behind the first: they leave the cores to it and to the server, so that a request
    that can't be taken is told so at once, however busy they are."""
    os.nice(BEHIND)


class Deployment:
    """Loads what a step asks for, once."""

    def __init__(self, settings: ServeSettings | None = None) -> None:
        self.settings = settings_from() if settings is None else settings
        self.loaded: LoadedProfile = load_profile(self.settings.profile)
        self.profile = self.loaded.profile

    def detectors(self, threads: int = 1) -> list[OnnxDetector]:
        """The profile's detectors; it may have none where it has a judge."""
        return [OnnxDetector.of(self.loaded, s, threads) for s in self.profile.detectors]

    def methods(self, method: Method = "both") -> Methods:
        """What is carried out for a request.

        Raises:
            RequestError: the profile lacks what it asks for.
        """
        try:
            return Methods.of(method, self.profile, self.profile.judge, "OPTIONS.method")
        except ConfigError as error:
            raise RequestError("request_invalid", str(error)) from None

    def domains(self, device: str = "cpu") -> Domains:
        """The profile's domains, their kernels on a "cpu" or by "cuda".

        Raises:
            ConfigError: another device.
        """
        domains = load_domains(self.loaded, self.settings.packs, self.settings.threads)
        if device == "cpu":
            return domains
        if device != "cuda":
            raise ConfigError(f"device of the rules: expected cpu or cuda, got {device!r}")
        from physgauge.ensemble.served.gpu import on_gpu

        return on_gpu(domains)

    def context(self, domains: Domains, judge: JudgeCard | None = None) -> Context:
        """What all rows share."""
        return Context.of(self.profile, domains, self.detectors(), judge)
