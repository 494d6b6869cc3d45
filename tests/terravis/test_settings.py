"""The table [judge], and the registry of engines."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path
from typing import get_args, get_type_hints

import msgspec
import numpy as np
import pytest
from click.testing import CliRunner

from physgauge.cli.main import group
from physgauge.config import LoadedProfile, check, load_profile, parse, shipped_profiles
from physgauge.ensemble.judge.engines import ENGINES, EXTRAS, load_engine
from physgauge.ensemble.judge.looking import Looking
from physgauge.errors import ConfigError, EnvironmentProblem
from physgauge.judge_settings import JudgeSettings


def loaded(judge: str, folder: Path = Path()) -> LoadedProfile:
    text = f'name = "x"\n{judge}'
    return LoadedProfile(profile=check(parse(text.encode(), "x.toml"), "x.toml"), folder=folder)


@pytest.mark.parametrize(
    ("judge", "message"),
    [
        ("[judge]", "Object missing required field `engine` - at `$.judge`"),
        ("[judge]\nengine = 'oracle'", "Invalid enum value 'oracle' - at `$.judge.engine`"),
        ("[judge]\nengine = 'vllm'\nlamda = 1", "unknown field `lamda` - at `$.judge`"),
        ("[judge]\nengine = 'vllm'\nlambda = 0", "> 0.0 - at `$.judge.lambda`"),
        ("[judge]\nengine = 'vllm'\nalpha = 1.5", "<= 1.0 - at `$.judge.alpha`"),
        ("[judge]\nengine = 'vllm'\nalpha = nan", "at `$.judge.alpha`"),
        ("[judge]\nengine = 'vllm'\nyes_from = 0", "> 0.0 - at `$.judge.yes_from`"),
        ("[judge]\nengine = 'vllm'\nmax_in_flight = 0", ">= 1 - at `$.judge.max_in_flight`"),
        ("[judge]\nengine = 'vllm'\ngrade_from = 0.6",
         "x.toml: judge.grade_from: expected at most yes_from (0.5), got 0.6"),
        ("[judge]\nengine = 'vllm'\nmode = 'paper'\n[judge.views]\nkind = 'tiles'",
         "judge.views.kind: expected \"whole\" in the mode 'paper', got 'tiles'"),
    ],
)  # fmt: skip
def test_wrong_settings_say_what_is_wrong(judge: str, message: str) -> None:
    with pytest.raises(ConfigError, match=re.escape(message)):
        loaded(judge)


def test_every_engine_has_a_module_a_table_and_an_extra() -> None:
    kinds = set(get_args(get_type_hints(JudgeSettings)["engine"]))
    assert set(ENGINES) == set(EXTRAS) == kinds - {"student"}  # which is no language model
    for kind in ENGINES:
        assert hasattr(JudgeSettings(engine=kind), kind)  # type: ignore[arg-type]
        parsed = loaded(f"[judge]\nengine = '{kind}'").profile.judge
        assert parsed is not None
        assert parsed.engine == kind


def test_a_profile_without_a_judge_has_none() -> None:
    tiny = load_profile("tiny")
    profile = msgspec.structs.replace(
        tiny, profile=msgspec.structs.replace(tiny.profile, judge=None)
    )
    assert Looking.of(profile) is None
    with pytest.raises(ConfigError, match="profile tiny: judge: expected a table, got none"):
        asyncio.run(load_engine(profile))


def test_an_engine_is_made_by_its_module_in_its_loop(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(ENGINES, "onepass", "tests.terravis.stand_in")
    (tmp_path / "mine.toml").write_text('name = "mine"\nbase = "terravis"\n', "utf-8")
    judge = '[judge]\nengine = "onepass"\nprobes = "mine.toml"\n[judge.onepass]\nlayers = 3\n'
    looking = Looking.of(loaded(judge, tmp_path))
    assert looking is not None
    with looking:
        assert looking.card.name.startswith("x:3:")
        assert looking.card.probe_version.startswith("mine-1-")
        seen = looking.begin(np.zeros((64, 64, 3), np.uint8)).result(10)
        assert len(seen.answers) == 18
    with pytest.raises(ConfigError, match=r"profile x: judge.onepass: .*unknown field `depth`"):
        Looking.of(loaded('[judge]\nengine = "onepass"\n[judge.onepass]\ndepth = 3\n'))
    gone = loaded('[judge]\nengine = "onepass"\nprobes = "gone.toml"\n', tmp_path)
    with pytest.raises(ConfigError, match=r"gone\.toml: cannot be read"):
        Looking.of(gone)


def test_an_engine_that_cannot_be_imported_names_its_extra(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(ENGINES, "vllm", "physgauge.no_such_module")
    with pytest.raises(EnvironmentProblem, match=r"pip install 'physgauge\[vllm\]'"):
        asyncio.run(load_engine(loaded("[judge]\nengine = 'vllm'")))


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ('probes = "none.toml"', "LACK probes: probes "),
        ('probes = "other"', "LACK probes: probes: expected one of terravis"),
        (
            "[judge.onepass]\nmodel = 'm'\nimagetokens = 3",
            "LACK judge.onepass: profile tiny: judge.",
        ),
        ("[judge.onepass]\nmodel = 'm'", "ok   judge.onepass"),
        ("[judge.onepass]\nmodel = 'm'", "ok   probes: terravis-1-"),
    ],
)
def test_doctor_reads_what_the_judge_reads(tmp_path: Path, wrong: str, says: str) -> None:
    text = (shipped_profiles() / "tiny.toml").read_text("utf-8").partition("\n[judge]")[0]
    own = tmp_path / "own.toml"
    own.write_text(f'{text}\n[judge]\nengine = "onepass"\n{wrong}\n')
    done = CliRunner().invoke(group, ["doctor", "--profile", str(own)], terminal_width=500)
    assert says in done.output
    assert done.exit_code == 3  # the detector's model is not there either
