"""Wire types: the result row as it is on the wire (JSON), on disk (Parquet) and in the published schema.

Numbers are numbers or null, never strings and never NaN. Fields are only ever added, with defaults.
The published JSON schema is ``docs/row.schema.json`` (`physgauge schema` prints it).
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec

Status = Literal["ok", "partial", "not_applicable", "error", "skipped"]
Verdict = Literal["PASS", "FAIL"]
RuleStatus = Literal["satisfied", "violated", "not_applicable"]
Category = Literal["presence", "spatial", "relational", "caption"]
Outcome = Literal["answered", "unparseable", "refused", "blocked", "timeout", "skipped"]
Severity = Literal["major", "minor"]
Method = Literal["both", "terravis", "pcmde"]

Points = Annotated[float, msgspec.Meta(ge=0, le=100)]
Probability = Annotated[float, msgspec.Meta(ge=0, le=1)]
Box = Annotated[list[float], msgspec.Meta(min_length=4, max_length=4)]
"""x0, y0, x1, y1 in px of the decoded image."""


class Wire(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Base of the wire types: immutable, keyword-only, strict on unknown fields."""


class Answer(Wire, frozen=True, kw_only=True):
    """One TerraVis probe's answer."""

    answer: bool | None = None
    p_yes: Probability | None = None
    outcome: Outcome
    severity: Severity | None = None
    p_major: Probability | None = None
    objects: list[str] = []
    evidence: str | None = None
    box: Box | None = None


class Eligible(Wire, frozen=True, kw_only=True):
    """TerraVis' eligibility question."""

    answer: bool | None = None
    """Whether physics can be asked of the image at all."""
    p: Probability | None = None
    outcome: Outcome
    family: str | None = None
    """What else it is, where it is not eligible."""


class TerraVis(Wire, frozen=True, kw_only=True):
    """World-grounded consistency; scores in (0, 1] (docs/terravis.md)."""

    status: Status
    reason: str | None = None
    mode: str | None = None
    """How the judge was asked: `onepass`, `paper`, `student`, or a baseline."""
    fault: str | None = None
    """Why the judge could not go on, where he could not."""
    abstained: str | None = None
    """Why the judge gave no answers, where he looked and declined; a warning of the row, too."""
    left_out: str | None = None
    """Why not everything was asked, where what was answered already decided (`judge.gate`)."""
    score: Probability | None = None
    score_soft: Probability | None = None
    """Expected score; probes that nobody had to grade count as major, so it is never too good."""
    low: Probability | None = None
    """What `score` is at least, whatever the missing answers are; `score` itself where none is
    missing."""
    high: Probability | None = None
    soft_low: Probability | None = None
    """Bounds of the expected score."""
    soft_high: Probability | None = None
    rating: Annotated[int, msgspec.Meta(ge=1, le=5)] | None = None
    """Of the baseline `direct`; `score` is (rating - 1) / 4."""
    n_major: int | None = None
    n_minor: int | None = None
    eligible: Eligible | None = None
    answers: dict[str, Answer] = {}


class RuleResult(Wire, frozen=True, kw_only=True):
    """One rule on one image."""

    id: str
    category: Category
    status: RuleStatus
    measured: float | None = None
    bound: str = ""
    says: str = ""
    boxes: list[int] = []
    """Indices into the row's `detections`."""
    p_violated: Probability | None = None
    """In what share of the image's readings it is violated (docs/readings.md)."""


class Observation(Wire, frozen=True, kw_only=True):
    """What a multimodal model said: (component, count, relation, reference)."""

    source: str
    component: str
    count: int | None = None
    relation: str | None = None
    reference: str | None = None
    attributes: list[str] = []


class Observer(Wire, frozen=True, kw_only=True):
    """What came of one observer's look."""

    source: str
    outcome: Outcome
    domain: str | None = None
    """What it takes the picture to show; null: none of the known kinds, or no answer."""
    rejected: int = 0
    """Statements that could not be used: unknown parts or places, absurd numbers, prose."""
    reason: str | None = None
    """Why nothing could be used, or why it did not count."""


class LlmRun(Wire, frozen=True, kw_only=True):
    """One answer of the reasoning step."""

    round: int
    score: Points | None = None
    explanation: str | None = None
    outcome: Outcome = "answered"


class Diagnostics(Wire, frozen=True, kw_only=True):
    """Sentences that say why an image fails, by kind."""

    specification: list[str] = []
    spatial: list[str] = []
    rules: list[str] = []


class SubjectResult(Wire, frozen=True, kw_only=True):
    """One of several subjects of a picture (docs/subjects.md)."""

    domain: str
    subtype: str | None = None
    view: str | None = None
    box: Box
    """Around its parts."""
    parts: list[int] = []
    """Indices into the row's `detections`."""
    status: Status
    reason: str | None = None
    s_rules: Points | None = None
    s_llm: Points | None = None
    s_final: Points | None = None
    verdict: Verdict | None = None


class Pcmde(Wire, frozen=True, kw_only=True):
    """Part-level physical realism; scores 0..100."""

    status: Status
    reason: str | None = None
    domain: str | None = None
    subtype: str | None = None
    view: str | None = None
    counts: dict[str, float | None] = {}
    observations: list[Observation] = []
    observers: list[Observer] = []
    s_presence: Points | None = None
    s_spatial: Points | None = None
    s_relational: Points | None = None
    s_caption: Points | None = None
    s_rules: Points | None = None
    s_llm: Points | None = None
    readings: int | None = None
    """How many readings of its unsure boxes the scores are means over (docs/readings.md)."""
    llm_runs: list[LlmRun] = []
    unstable: bool = False
    explanation: str | None = None
    reasoner: str | None = None
    s_final: Points | None = None
    low: Points | None = None
    high: Points | None = None
    verdict: Verdict | None = None
    diagnostics: Diagnostics = Diagnostics()
    objections: list[str] = []
    """What the reasoner says against the image, whatever the verdict: counts, type, impossibility ..."""
    objections_spatial: list[str] = []
    """... and places."""
    rules: list[RuleResult] = []
    subjects: list[SubjectResult] = []
    """The picture's subjects, where there are several, the worst first: all else here is about that one.
    Empty where all parts were judged as one subject's."""


class Detection(Wire, frozen=True, kw_only=True):
    """One part box."""

    label: str
    """``domain.component``."""
    box: Box
    score: Probability
    source: str = "detector"


class Provenance(Wire, frozen=True, kw_only=True, rename={"lambda_": "lambda"}):
    """What made the row: enough to make it again."""

    physgauge: str
    profile: str
    models: dict[str, str] = {}
    """Model name to SHA-256 of its file."""
    pack: str | None = None
    pack_hash: str | None = None
    probe_version: str | None = None
    lambda_: float | None = None
    alpha: float | None = None
    decoder: str | None = None
    engine: str | None = None
    domain: str | None = None
    """What the caller said that the image shows; null: the detector decided."""
    settings: dict[str, float] = {}
    """Thresholds and weights that its scores depend on: what `physgauge rescore` starts from."""


class Cost(Wire, frozen=True, kw_only=True):
    """What the row took; the only fields that differ between equal runs."""

    calls: int = 0
    tokens: int = 0
    cached_tokens: int = 0
    usd: float | None = None
    """What a server charged; None where nobody says."""
    ms: dict[str, float] = {}
    """Milliseconds per stage; for a batched stage the image's share."""


class Row(Wire, frozen=True, kw_only=True):
    """The result of one image."""

    image_id: str
    source: str
    caption: str | None = None
    extra: dict[str, str] = {}
    """Carried columns; a value that was not text is its JSON text."""
    error_code: str | None = None
    error: str | None = None
    pixel_sha256: str | None = None
    width: int | None = None
    height: int | None = None
    warnings: list[str] = []
    same_as: str | None = None
    """The image id of an equal image (pixels, caption, domain) of the run: what is said here was found
    there, and copied; `cost` holds only what this image took itself."""
    terravis: TerraVis
    pcmde: Pcmde
    detections: list[Detection] = []
    provenance: Provenance
    cost: Cost = Cost()


def error_row(
    *,
    image_id: str,
    source: str,
    code: str,
    message: str,
    provenance: Provenance,
    caption: str | None = None,
    extra: dict[str, str] | None = None,
) -> Row:
    """The row of an input that cannot be scored, whoever found out.

    Args:
        image_id: the input's.
        source: the input's.
        code: a key of :data:`physgauge.errors.ERROR_CODES`.
        message: expected, got and where.
        provenance: of the deployment.
        caption: the input's, if it can be used.
        extra: the input's carried columns.
    """
    return Row(
        image_id=image_id,
        source=source,
        caption=caption,
        extra=extra or {},
        error_code=code,
        error=message,
        terravis=TerraVis(status="error"),
        pcmde=Pcmde(status="error", reason=code),
        provenance=provenance,
    )


_encoder = msgspec.json.Encoder()
_row_decoder = msgspec.json.Decoder(Row)


def to_json(row: Row) -> bytes:
    """The row as one line of strict JSON (UTF-8)."""
    return _encoder.encode(row)


def from_json(data: bytes) -> Row:
    """Parse and validate a row.

    Raises:
        msgspec.ValidationError: names the expected type, the one found and the path.
    """
    return _row_decoder.decode(data)


def row_schema() -> dict[str, Any]:
    """The JSON schema (draft 2020-12) of a result row."""
    schema = msgspec.json.schema(Row)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "physgauge result row",
        **schema,
    }
