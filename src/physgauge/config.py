"""Profiles: which models, packs, limits and thresholds a deployment uses (TOML files).

``load_profile("tiny")`` reads a shipped profile, ``load_profile("my.toml")`` a user's; paths in a file
are relative to that file. Unknown keys are errors. Cross-field checks are in :func:`check`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec

from physgauge.cascade_settings import CascadeSettings, check_cascade
from physgauge.cost_settings import CostSettings
from physgauge.errors import ConfigError
from physgauge.judge_settings import JudgeSettings, check_judge
from physgauge.language_settings import ObserverSettings, ReasonSettings, check_language
from physgauge.settings import Fraction, Points, Positive, Settings, Weight, read_table

MAX_WORKERS = 256
"""Decode worker processes."""
MAX_THREADS = 1024
"""Of the detector and the rules: onnxruntime starts as many as it is told."""
MAX_DETECTORS = 64
"""Of a profile: box fusion keeps the set of a box's sources in one machine word."""


class DecodeLimits(Settings, frozen=True, kw_only=True):
    """What the decoder accepts (the pixel policy's limits)."""

    max_encoded_bytes: Positive = 32 * 2**20
    """Encoded bytes of a JPEG, PNG or WebP."""
    max_npy_bytes: Positive = 192 * 2**20
    """Bytes of a ``.npy``."""
    max_pixels: Positive = 64_000_000
    max_side_px: Positive = 16_384
    min_side_px: Positive = 8
    max_aspect: Annotated[float, msgspec.Meta(ge=1, le=1e9)] = 200.0
    """Longer side over shorter side."""
    base_s: Annotated[float, msgspec.Meta(gt=0, le=86_400)] = 0.5
    """Decode time allowed for any image, seconds of processor time (on the clock: eight times that)."""
    per_mpx_s: Annotated[float, msgspec.Meta(ge=0, le=86_400)] = 0.06
    """Decode time allowed on top, seconds per megapixel."""
    worker_memory_bytes: Positive = 2 * 2**30
    """Memory that one decode worker may allocate (RLIMIT_DATA)."""


class DetectorSettings(Settings, frozen=True, kw_only=True):
    """One ONNX part detector (contract: docs/detector.md)."""

    name: str
    model: str
    """Path of the ``.onnx`` file, relative to the profile."""
    min_score: Fraction = 0.5
    """Boxes below are dropped."""
    providers: tuple[str, ...] = ("CPUExecutionProvider",)
    weight: Weight = 1.0
    """How much its word counts beside that of other detectors, in counts and in fused boxes."""
    reliability: Fraction = 0.5
    """How sure it is that a part is absent when it finds none: its weight in the count vote then, where
    otherwise its mean score stands."""
    rescorer: str | None = None
    """Path of the ``.onnx`` file that rescores its boxes in context (docs/detector.md), relative to the
    profile; None: scores stay as they are."""


class FuseSettings(Settings, frozen=True, kw_only=True):
    """How detections become one set of boxes, a domain and a view."""

    nms_iou: Fraction = 0.5
    """Of two boxes of one class that overlap more than this, the surer one stays."""
    method: Literal["nms", "wbf"] | None = None
    """How boxes of several detectors become one: `nms`, the surest stays, or `wbf`, weighted box fusion;
    None: `nms` for one detector, `wbf` for several."""
    wbf_iou: Fraction = 0.55
    """Boxes of one class that overlap more than this are fused by `wbf`."""
    min_domain_p: Fraction = 0.5
    """An image belongs to a domain only from this probability."""
    min_view_p: Fraction = 0.5
    """Below this probability of the best view, the view is unknown and the rules assume the least."""


class ReadingSettings(Settings, frozen=True, kw_only=True):
    """How boxes that the detector is unsure of are read (docs/readings.md)."""

    draws: Annotated[int, msgspec.Meta(ge=1, le=1024)] = 1
    """Readings drawn per image; 1: a box counts if it reaches the detector's `min_score`, and no other.
    More only where scores are calibrated probabilities, and with a single detector."""
    sure: Annotated[float, msgspec.Meta(gt=0.5, le=1)] = 0.9
    """A box of at least this score is there in every reading, one of at most 1 less this in none."""


class PcmdeSettings(Settings, frozen=True, kw_only=True):
    """PCMDE's weights and thresholds (DESIGN: S_final = 0.6 S_rules + 0.4 S_llm; dual thresholds)."""

    rules_weight: Fraction = 0.6
    tau: Points = 60.0
    """Least S_final of a PASS."""
    tau_c: Points = 40.0
    """Least S_rules and S_llm of a PASS."""
    skip_reason_below_tau_c: bool = False
    """Skip the reasoning step where S_rules < tau_c already means FAIL."""
    max_caption_chars: Positive = 8_192


class RunSettings(Settings, frozen=True, kw_only=True):
    """How a run uses the machine."""

    batch_size: Positive = 8
    """Images per detector call."""
    workers: Annotated[int, msgspec.Meta(ge=0, le=MAX_WORKERS)] = 0
    """Decode worker processes; 0 = one per core, at most 4."""
    threads: Annotated[int, msgspec.Meta(ge=0, le=MAX_THREADS)] = 0
    """Threads of the detector and the rule kernel; 0 = one per core."""


class Profile(Settings, frozen=True, kw_only=True):
    """A deployment: models, packs, limits, thresholds."""

    name: str
    description: str = ""
    decode: DecodeLimits = DecodeLimits()
    detectors: list[DetectorSettings] = msgspec.field(default_factory=list)
    packs: dict[str, str] = msgspec.field(default_factory=dict)
    """Domain to pack: a shipped name (``car``, ``car@paper``) or a path relative to the profile."""
    specifications: dict[str, str] = msgspec.field(default_factory=dict)
    """Domain to type specification: a shipped name or a path relative to the profile."""
    layouts: dict[str, str] = msgspec.field(default_factory=dict)
    """Domain to layout model (``.npz``, docs/layout.md), relative to the profile; not all need one."""
    fuse: FuseSettings = FuseSettings()
    readings: ReadingSettings = ReadingSettings()
    pcmde: PcmdeSettings = PcmdeSettings()
    reason: ReasonSettings = ReasonSettings()
    judge: JudgeSettings | None = None
    """None: nobody looks at the images, and `terravis` is skipped."""
    cascade: CascadeSettings | None = None
    """Who looks before the judge, and when that is enough; None: the judge looks at every image."""
    observers: list[ObserverSettings] = msgspec.field(default_factory=list)
    """Who says which parts an image shows, beside the detectors."""
    run: RunSettings = RunSettings()
    cost: CostSettings = CostSettings()
    """Prices, for reports of what a run costs."""


class LoadedProfile(msgspec.Struct, frozen=True, kw_only=True):
    """A profile and the folder its relative paths start from."""

    profile: Profile
    folder: Path

    def path(self, name: str) -> Path:
        """A path named in the profile, made absolute."""
        return (self.folder / name).resolve()


def shipped_profiles() -> Path:
    """The folder of the profiles inside the package."""
    return Path(__file__).parent / "profiles"


def load_profile(name_or_path: str) -> LoadedProfile:
    """Read a shipped profile by name or a profile file by path.

    Raises:
        ConfigError: no such profile, not TOML, an unknown key, or a value out of range; says which.
    """
    path = Path(name_or_path)
    if path.suffix != ".toml":
        shipped = sorted(p.stem for p in shipped_profiles().glob("*.toml"))
        path = shipped_profiles() / f"{name_or_path}.toml"
        if name_or_path not in shipped:
            known = ", ".join(shipped)
            raise ConfigError(
                f"profile: expected one of {known}, or the path of a .toml file; got {name_or_path!r}"
            )
    try:
        text = path.read_bytes()
    except OSError as error:
        raise ConfigError(f"profile {path}: cannot be read ({error.strerror})") from None
    return LoadedProfile(
        profile=check(parse(text, str(path)), str(path)), folder=path.resolve().parent
    )


def parse(data: bytes, where: str) -> Profile:
    """Profile TOML to a :class:`Profile`; `where` names the file in errors."""
    import tomllib

    try:
        raw: Any = tomllib.loads(data.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise ConfigError(
            f"{where}: expected UTF-8 text, got byte {data[error.start]:#04x} at {error.start}"
        ) from None
    except RecursionError:
        raise ConfigError(f"{where}: expected plain tables, got arrays nested too deeply") from None
    except ValueError as error:  # TOMLDecodeError, or a number of thousands of digits
        raise ConfigError(f"{where}: not TOML: {error}") from None
    return read_table(raw, Profile, where)


def check(profile: Profile, where: str) -> Profile:
    """Checks that need several fields at once; returns the profile."""
    names = [d.name for d in profile.detectors]
    for name in names:
        if names.count(name) > 1:
            raise ConfigError(f"{where}: detectors: expected different names, got {name!r} twice")
    if len(names) > 1 and profile.readings.draws > 1:
        raise ConfigError(
            f"{where}: readings.draws: expected 1 with several detectors (their boxes have no one "
            f"probability), got {profile.readings.draws} with {len(names)}"
        )
    sure = profile.readings.sure
    for d in profile.detectors if profile.readings.draws > 1 else ():
        if not 1 - sure < d.min_score < sure:
            raise ConfigError(
                f"{where}: detectors.{d.name}.min_score: expected a score that readings draw, between "
                f"{1 - sure:g} and {sure:g}, got {d.min_score:g}"
            )
    if len(names) > MAX_DETECTORS:
        raise ConfigError(f"{where}: detectors: expected at most {MAX_DETECTORS}, got {len(names)}")
    _check_domains(profile, where)
    if profile.judge is not None:
        check_judge(profile.judge, where)
        if profile.judge.after_detection and not profile.detectors:
            raise ConfigError(
                f'{where}: judge.views.kind: expected "whole" or "tiles" in a profile without detectors, '
                'got "subjects"'
            )
    if profile.cascade is not None:
        check_cascade(profile.cascade, profile.judge, where)
    check_language(profile.observers, profile.reason, profile.judge is not None, where)
    _check_student(profile, where)
    if profile.decode.min_side_px > profile.decode.max_side_px:
        raise ConfigError(
            f"{where}: decode.min_side_px: expected at most max_side_px ({profile.decode.max_side_px}), "
            f"got {profile.decode.min_side_px}"
        )
    return profile


def _check_student(profile: Profile, where: str) -> None:
    """A student writes nothing: it neither observes nor reasons."""
    if profile.judge is None or profile.judge.engine != "student":
        return
    asked = [f"observers.{one.name}.engine" for one in profile.observers if one.engine == "judge"]
    if profile.reason.engine == "judge":
        asked.append("reason.engine")
    if asked:
        raise ConfigError(
            f'{where}: {asked[0]}: expected another than "judge" where judge.engine is "student", which '
            f"writes nothing"
        )


def _check_domains(profile: Profile, where: str) -> None:
    for domain in profile.packs:
        if domain not in profile.specifications:
            raise ConfigError(
                f"{where}: specifications: expected one for the domain {domain!r} of [packs], got none"
            )
    for domain in profile.layouts:
        if domain not in profile.specifications:
            known = ", ".join(profile.specifications)
            raise ConfigError(
                f"{where}: layouts: expected a domain of [specifications] ({known}), got {domain!r}"
            )
