"""The steps one after another, without Triton: the rows of the pipeline; and records survive the way."""

from __future__ import annotations

import dataclasses
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Future
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from physgauge import wire
from physgauge.config import load_profile, shipped_profiles
from physgauge.contract import parse_options
from physgauge.ensemble.beside import Steps
from physgauge.ensemble.pipeline import Options as PipelineOptions
from physgauge.ensemble.pipeline import Pipeline
from physgauge.ensemble.served.admission import Admission
from physgauge.ensemble.served.decode_step import DecodeStep
from physgauge.ensemble.served.deployment import Deployment
from physgauge.ensemble.served.detect_step import DetectStep
from physgauge.ensemble.served.driving import drive
from physgauge.ensemble.served.judge_step import JudgeStep
from physgauge.ensemble.served.observe import FAMILIES, Observer, Tally
from physgauge.ensemble.served.records import read_ruled, read_ticket, to_bytes
from physgauge.ensemble.served.steps import AggregateStep, RulesStep
from physgauge.ensemble.served.tensors import STEPS
from physgauge.errors import ConfigError, RequestError
from physgauge.serve_settings import ServeSettings, settings_from
from physgauge.types import VIEWS, Item
from tests.detect.onnx_files import answers, write
from tests.serving.server import CAPTIONS, NAMES, image, plain, same

CANARY_ID = "canary-of-this-chain"
DTYPES = {
    "UINT8": np.uint8,
    "INT32": np.int32,
    "INT64": np.int64,
    "FP32": np.float32,
    "FP64": np.float64,
}


def matching(step: str, values: dict[str, Any]) -> dict[str, Any]:
    """The outputs, checked against the step's table."""
    assert set(values) == {tensor.name for tensor in STEPS[step].outputs}
    for tensor in STEPS[step].outputs:
        value = values[tensor.name]
        if tensor.datatype == "BYTES":
            assert isinstance(value, bytes)
        else:
            assert value.dtype == DTYPES[tensor.datatype], tensor.name
            assert len(value.shape) == len(tensor.dims)
            assert all(d in (-1, n) for d, n in zip(tensor.dims, value.shape, strict=True))
    return values


def later(start: Callable[[Callable[[Any], None]], None]) -> dict[str, Any]:
    """What a step that answers later answers."""
    box: list[Any] = []
    there = threading.Event()

    def reply(answer: Any) -> None:
        box.append(answer)
        there.set()

    start(reply)
    assert there.wait(120)
    if isinstance(box[0], Exception):
        raise box[0]
    made: dict[str, Any] = box[0]
    return made


class Chain:
    """All steps in this process."""

    def __init__(self, folder: Path, places: int = 4, profile: str = "tiny") -> None:
        settings = ServeSettings(
            profile=profile, workers=1, threads=1, places=places, canary_id=CANARY_ID
        )
        deployment = Deployment(settings)
        self.admission = Admission(folder / "places", places)
        self.seen: list[wire.Row] = []
        self.decode = DecodeStep(deployment, self.admission)
        self.detect = DetectStep(deployment)
        self.rules = RulesStep(deployment, self.admission)
        self.judging = JudgeStep(deployment, self.admission)
        self.aggregate = AggregateStep(
            deployment, self.admission, lambda _, row: self.seen.append(row)
        )

    def decoded(
        self, data: bytes, caption: bytes = b"", options: bytes = b"", **more: Any
    ) -> dict[str, Any]:
        """The first step's outputs; raises what it refuses with."""
        given = {"IMAGE": data, "CAPTION": caption, "OPTIONS": options}
        about = more.get("request_id", "r"), more.get("timeout_s", 0.0)
        return matching("decode", later(lambda reply: self.decode.start(*about, given, reply)))

    def judge(self, inputs: dict[str, Any]) -> dict[str, Any]:
        """The judge's outputs; raises what it refuses with."""
        return later(lambda reply: self.judging.start("r", 0.0, inputs, reply))

    def close(self) -> None:
        self.decode.close()
        self.judging.close()

    def after(self, first: dict[str, Any]) -> tuple[wire.Row, np.ndarray[Any, Any]]:
        """The other steps."""
        ticket = {"TICKET": first["TICKET"]}
        found = matching("detect", self.detect([first])[0])
        looked = matching("judge", self.judge(
            {"TASK": first["LOOK"], "PIXELS": first["PIXELS"], "BOXES": found["BOXES"], **ticket}
        ))  # fmt: skip
        ruled = matching("rules", self.rules({**found, **ticket, "LOOKED": looked["ANSWER"]}))
        reasoned = matching(
            "judge", self.judge({"TASK": ruled["REASON"], "RULED": ruled["RULED"], **ticket})
        )
        last = matching("aggregate", self.aggregate(
            {**ticket, "RULED": ruled["RULED"], "LOOKED": looked["ANSWER"], "REASONED": reasoned["ANSWER"]}
        ))  # fmt: skip
        return wire.from_json(last["RESULT"]), last["SCORES"]

    def row(self, data: bytes, caption: bytes = b"", options: bytes = b"", **more: Any) -> wire.Row:
        return self.after(self.decoded(data, caption, options, **more))[0]


@pytest.fixture(scope="module")
def chain(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chain]:
    made = Chain(tmp_path_factory.mktemp("served"))
    yield made
    made.close()


def test_rows_are_the_pipelines(chain: Chain, local_rows: dict[str, wire.Row]) -> None:
    for name in NAMES[::4]:
        options = msgspec.json.encode({"image_id": name, "source": name})
        row = chain.row(image(name), CAPTIONS[name].encode(), options)
        assert plain(row) == local_rows[name]
        assert set(row.cost.ms) >= {"decode", "detect", "fuse", "read", "rules", "reason"}
    assert chain.admission.taken == 0


def test_records_survive_the_way(chain: Chain) -> None:
    first = chain.decoded(image("animal_01.jpg"))
    found = chain.detect([first])[0]
    data = chain.rules({**found, "TICKET": first["TICKET"], "LOOKED": b""})["RULED"]
    record = read_ruled(data)
    ruled = record.ruled(chain.rules._domains.by_name)
    assert len(ruled.groups) == 1
    again = read_ruled(to_bytes(type(record).of(record.whose, record.readings, ruled, record.ms)))
    compare(record.readings, again.readings)
    compare(ruled.groups[0], again.ruled(chain.rules._domains.by_name).groups[0])
    ticket = read_ticket(first["TICKET"])
    assert read_ticket(to_bytes(ticket)) == ticket
    chain.admission.give_back(ticket.slot, ticket.deadline_s)


def compare(a: Any, b: Any) -> None:
    for field in dataclasses.fields(a):
        left, right = getattr(a, field.name), getattr(b, field.name)
        if isinstance(left, np.ndarray):
            assert left.dtype == right.dtype
            np.testing.assert_array_equal(left, right, err_msg=field.name)
        elif dataclasses.is_dataclass(left) and field.name != "domain":
            compare(left, right)
        elif field.name != "domain":
            assert left == right, field.name


@pytest.mark.parametrize(
    ("data", "caption", "code"),
    [
        (b"", b"", "image_empty"),
        (b"GIF89a", b"", "image_format"),
        (image("car_01.jpg")[:2000], b"", "image_truncated"),
        (image("car_01.jpg"), b"\xff\xfe", "caption_invalid"),
        (image("car_01.jpg"), b"x" * 9000, "caption_too_long"),
    ],
)
def test_what_cannot_be_scored_has_an_error_row(
    chain: Chain, data: bytes, caption: bytes, code: str
) -> None:
    row = chain.row(data, caption, b'{"image_id": "x", "extra": {"a": "b"}}')
    assert (row.image_id, row.error_code, row.pcmde.status) == ("x", code, "error")
    assert row.extra == {"a": "b"}
    assert chain.admission.taken == 0


def test_refused(chain: Chain) -> None:
    with pytest.raises(RequestError, match="unknown field"):
        chain.decoded(b"", b"", b'{"a": 1}')
    first = chain.decoded(image("car_01.jpg"), b"", b'{"domain": "boat"}')
    with pytest.raises(RequestError, match=r"OPTIONS.domain: expected one of auto, .*got 'boat'"):
        chain.after(first)
    assert chain.admission.taken == 0


def test_the_callers_word_on_the_domain(chain: Chain) -> None:
    assert chain.row(image("car_01.jpg"), b"", b'{"domain": "animal"}').pcmde.domain in (
        "animal",
        None,
    )
    assert chain.row(image("car_01.jpg")).pcmde.domain == "car"


def test_late_work_is_dropped(chain: Chain) -> None:
    first = chain.decoded(image("car_01.jpg"), b"", b"", timeout_s=0.3)
    time.sleep(0.35)
    assert len(chain.detect([first])[0]["BOXES"]) == 0  # the network was not asked
    with pytest.raises(RequestError) as caught:
        chain.after(first)
    assert caught.value.code == "deadline_exceeded"
    assert chain.admission.taken == 0


def test_more_than_the_places_are_turned_away(chain: Chain) -> None:
    held = [chain.decoded(image("car_01.jpg")) for _ in range(4)]
    with pytest.raises(
        RequestError, match="expected at most 4 images and 512 MiB in hand"
    ) as caught:
        chain.decoded(image("car_01.jpg"))
    assert caught.value.code == "overloaded"
    assert chain.row(image("car_01.jpg"), request_id=CANARY_ID).error_code is None
    for first in held:
        chain.after(first)
    assert chain.admission.taken == 0


def test_a_batch_holds_what_can_and_what_cannot_be_scored(chain: Chain) -> None:
    firsts = [chain.decoded(d) for d in (image("car_01.jpg"), b"no image", image("car_02.jpg"))]
    alone = [chain.detect([first])[0] for first in firsts]
    for one, together in zip(alone, chain.detect(firsts), strict=True):
        for name, value in one.items():
            np.testing.assert_allclose(value, together[name], atol=2e-3)
    for first in firsts:
        chain.after(first)


def test_an_id_is_made_where_none_is_given(chain: Chain) -> None:
    row = chain.row(image("car_01.jpg"), request_id="")
    assert len(row.image_id) == 32


def test_what_is_counted_and_logged(chain: Chain, capsys: pytest.CaptureFixture[str]) -> None:
    first = chain.decoded(image("car_01.jpg"), b"a secret caption", b'{"image_id": "i"}')
    row, _ = chain.after(first)
    observer = Observer(ServeSettings())
    ticket = read_ticket(first["TICKET"])
    observer(ticket, row)
    said = capsys.readouterr().err
    assert '"request_id": "r", "image_id": "i"' in said
    assert "secret" not in said
    counts = observer.tally.collect(now=True)
    assert {family for family, _ in counts} <= set(FAMILIES)
    rows = {labels: n for (family, labels), n in counts.items() if family == "physgauge_rows_total"}
    assert sum(rows.values()) == 1
    assert observer.tally.collect(now=True) == {}


def test_a_tally_is_handed_over_once_a_second() -> None:
    tally = Tally()
    tally.add("physgauge_refused_total", step="decode", code="overloaded")
    assert tally.collect() == {}
    assert len(tally.collect(now=True)) == 1


def test_an_id_without_end_is_refused(chain: Chain) -> None:
    assert len(chain.row(image("car_01.jpg"), request_id="x" * 4096).image_id) == 4096
    with pytest.raises(
        RequestError, match="request id: expected at most 4,096 characters, got 4,097"
    ):
        chain.decoded(image("car_01.jpg"), request_id="x" * 4097)
    assert chain.admission.taken == 0


def test_the_supervisors_image_is_known_by_an_id_that_only_he_has(
    chain: Chain, capsys: pytest.CaptureFixture[str]
) -> None:
    assert not ServeSettings().is_canary("")
    assert not ServeSettings().is_canary("physgauge-canary")
    observer = Observer(ServeSettings(canary_id=CANARY_ID))
    for request_id, counted in ((CANARY_ID, False), ("physgauge-canary", True)):
        first = chain.decoded(image("car_01.jpg"), request_id=request_id)
        row, _ = chain.after(first)
        observer(read_ticket(first["TICKET"]), row)
        assert bool(observer.tally.collect(now=True)) == counted
        assert (request_id in capsys.readouterr().err) == counted


def test_settings_of_a_process() -> None:
    assert settings_from({}) == ServeSettings()
    with pytest.raises(ConfigError, match="unknown field `plces`"):
        settings_from({"PHYSGAUGE_SERVE": '{"plces": 1}'})
    assert parse_options(b"").timeout_ms > 0


THREE = """
name = "three"
[[detectors]]
name = "headless"
model = "{headless}"
[[detectors]]
name = "unsure"
model = "{unsure}"
[[detectors]]
name = "part_detector"
model = "{embedded}"
[packs]
car = "car"
[specifications]
car = "car"
"""


def test_three_detectors_of_different_sizes_and_heads(tmp_path: Path) -> None:
    boxes = answers([[2, 10, 9, 20], [20, 10, 28, 20], [4, 2, 26, 8]], [0.9, 0.8, 0.7], [0, 0, 1])
    classes = ["car.wheel", "car.roof"]
    headless = write(tmp_path / "headless.onnx", boxes, classes, size=32)
    heads = {
        "domain": np.array([0.4, 0.6], np.float32),
        "view": np.array([0.5, 0.1, 0.1, 0.1, 0.1, 0.1], np.float32),
    }
    about = {"classes": classes, "domains": ["car"], "views": list(VIEWS)}
    metadata = {key: json.dumps(value) for key, value in about.items()}
    unsure = write(tmp_path / "unsure.onnx", {**boxes, **heads}, classes, 64, metadata)
    embedded = shipped_profiles() / "models/part_detector.onnx"
    path = tmp_path / "three.toml"
    text = THREE.format(embedded=embedded, headless=headless, unsure=unsure)
    path.write_text(text, encoding="utf-8")
    name = "car_01.jpg"
    with Pipeline(load_profile(str(path)), PipelineOptions(workers=1, threads=1)) as pipeline:
        (scored,) = pipeline.score([Item(name, image(name), name, CAPTIONS[name])])
    assert scored.row.error_code is None
    assert {d.label for d in scored.row.detections} > {"car.roof", "car.wheel"}
    chain = Chain(tmp_path, profile=str(path))
    try:
        options = msgspec.json.encode({"image_id": name, "source": name})
        row = chain.row(image(name), CAPTIONS[name].encode(), options)
    finally:
        chain.close()
    assert plain(row) == plain(scored.row)


ONEPASS = """
name = "with_a_judge"
[[detectors]]
name = "part_detector"
model = "{embedded}"
[packs]
car = "car"
aircraft = "aircraft"
animal = "animal"
[specifications]
car = "car"
aircraft = "aircraft"
animal = "animal"
[judge]
engine = "onepass"
views = {{ kind = "{views}" }}
onepass = {{ model = "tiny:smolvlm", dtype = "float32" }}
"""
LANGUAGE = """
[[observers]]
name = "the_judge"
engine = "judge"
[reason]
engine = "judge"
"""


@pytest.mark.parametrize(("views", "more"), [("whole", LANGUAGE), ("subjects", "")])
def test_a_judge_looks(tmp_path: Path, views: str, more: str) -> None:
    """In the first task, or in the second where he must know the subjects: the pipeline's rows. With what
    he observes, and with his reasons, where he is asked for them."""
    pytest.importorskip("transformers")
    embedded = shipped_profiles() / "models/part_detector.onnx"
    path = tmp_path / "judged.toml"
    path.write_text(ONEPASS.format(embedded=embedded, views=views) + more, encoding="utf-8")
    name, bad = "car_01.jpg", image("car_01.jpg")[:2000]
    items = [Item(name, image(name), name, CAPTIONS[name]), Item("bad", bad, "bad")]
    items += [
        Item(f"{n}/{k}", image(n), n, caption)
        for n in ("aircraft_06.jpg", "car_03.jpg")
        for k, caption in enumerate((None, "a car and a dog", "two cars"))
    ]
    with Pipeline(load_profile(str(path)), PipelineOptions(workers=1, threads=1)) as pipeline:
        local = [plain(scored.row) for scored in pipeline.score(items)]
    assert local[0].terravis.answers
    assert local[0].provenance.engine
    assert bool(local[0].pcmde.observers) == bool(more)
    for row in (local[3], local[4]):  # a caption changes nothing that the judge says
        same(msgspec.structs.replace(local[2], terravis=row.terravis), local[2])
    assert (local[0].pcmde.reasoner or "").startswith("judge:" if more else "specification")
    chain = Chain(tmp_path, profile=str(path))
    try:
        for item, expected in zip(items, local, strict=True):
            options = msgspec.json.encode({"image_id": item.image_id, "source": item.source})
            row = chain.row(item.data or b"", (item.caption or "").encode(), options)
            same(plain(row), expected)
            assert (item is not items[0]) or "look" in row.cost.ms
        late = chain.decoded(image(name), b"", b"", timeout_s=0.5)
        found = chain.detect([late])[0]
        time.sleep(0.55)
        with pytest.raises(RequestError, match="the time that the caller gave is over"):
            chain.judge(
                {
                    "TASK": late["LOOK"],
                    "PIXELS": late["PIXELS"],
                    "BOXES": found["BOXES"],
                    "TICKET": late["TICKET"],
                }
            )
        assert chain.admission.taken == 0
    finally:
        chain.close()


def test_driven_steps() -> None:
    """Steps go on when all that they wait for is done; a failure is raised where they wait."""

    def steps(first: list[Future[int]], second: list[Future[int]]) -> Steps[Any]:
        a = yield first
        try:
            b = yield second
        except ValueError as error:
            return a, str(error)
        return a, b

    for fails in (False, True):
        first, second = [Future[int](), Future[int]()], [Future[int]()]
        ended: list[Any] = []
        drive(steps(first, second), ended.append)
        first[1].set_result(2)
        second[0].set_exception(ValueError("no")) if fails else second[0].set_result(3)
        assert not ended
        first[0].set_result(1)
        assert ended == [([1, 2], "no" if fails else [3])]
    ended = []
    lost: Future[int] = Future()
    drive(steps([lost], []), ended.append)
    lost.cancel()
    lost.set_running_or_notify_cancel()
    assert isinstance(ended[0], CancelledError)
    ended = []
    drive(steps([], []), ended.append)
    assert ended == [([], [])]


def test_what_a_server_cannot_do_is_said(tmp_path: Path) -> None:
    embedded = shipped_profiles() / "models/part_detector.onnx"
    path = tmp_path / "both.toml"
    path.write_text(
        ONEPASS.format(embedded=embedded, views="subjects") + LANGUAGE, encoding="utf-8"
    )
    done = subprocess.run(
        [sys.executable, "-m", "physgauge.ensemble.served.prepare"],
        env={**os.environ, "PHYSGAUGE_SERVE": json.dumps({"profile": str(path)})},
        capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    assert done.returncode == 2
    assert "to serve a profile with observers" in done.stderr
