"""SQL over run folders: what it sees, what it cannot do, and what comes out."""

from __future__ import annotations

import csv
import json
import os
import shutil
from decimal import Decimal
from pathlib import Path
from typing import Any

import msgspec
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner, Result

from physgauge.cli.main import group
from physgauge.clients.runs.files import row_files
from physgauge.errors import ConfigError, PhysgaugeError
from physgauge.query.duck import open_rows
from tests.gate.rows import row
from tests.query.runs import PROBES, make_run, rows_of, some_row


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """30 rows in 3 units; unit 1 was made again, and its old rows lie there, too (a late worker)."""
    folder = tmp_path_factory.mktemp("runs") / "it's a [run]"
    made = make_run(folder, rows_of(range(3)))
    old = (folder / "rows/unit-00000001.parquet").read_bytes()
    made = made.revise("retry", {"probes": "p1"}, {}, [1])
    again = [some_row(n) if n != 13 else row("again.png") for n in range(10, 20)]
    assert made.commit(1, 1, again)
    (folder / "rows/unit-00000001.parquet").write_bytes(old)
    return folder


def ask(where: str | Path, sql: str) -> list[tuple[Any, ...]]:
    with open_rows(row_files(where), threads=1) as rows:
        return list(rows.select(sql)[1])


def shell(*arguments: str) -> Result:
    return CliRunner().invoke(group, ["query", *arguments])


def test_rows_of_the_highest_generation_only(run: Path) -> None:
    assert ask(run, "SELECT count(*), count(DISTINCT image_id) FROM rows") == [(30, 30)]
    ids = [name for (name,) in ask(run, "SELECT image_id FROM rows")]
    assert ids == [*(f"images/{n:04d}.png" for n in range(13)), "again.png",
                   *(f"images/{n:04d}.png" for n in range(14, 30))]  # fmt: skip


def test_every_column_is_what_the_rows_say(run: Path) -> None:
    """A row comes out of SQL as it went in."""
    expected = some_row(12)
    with open_rows(row_files(run)) as rows:
        names, lines = rows.select("SELECT * FROM rows WHERE image_id = 'images/0012.png'")
        (values,) = lines
    found = dict(zip(names, values, strict=True))
    assert msgspec.convert(found, type(expected)) == expected


def test_answers_rules_and_detections_have_a_line_each(run: Path) -> None:
    good = [some_row(n) for n in range(30) if n % 7 != 6 and n != 13]
    found = ask(run, "SELECT probe, sum(answer::INT), count(*) FROM answers GROUP BY 1 ORDER BY 1")
    assert found == sorted(
        (probe, sum(bool(one.terravis.answers[probe].answer) for one in good), len(good))
        for probe in PROBES
    )
    severe = ask(run, "SELECT image_id FROM answers WHERE severity = 'major' AND domain = 'car'")
    assert [name for (name,) in severe] == [
        one.image_id for one in good if one.terravis.answers[PROBES[0]].severity == "major"
    ]
    rules = ask(run, "SELECT rule, category, status, count(*) FROM rules GROUP BY ALL ORDER BY ALL")
    passed = sum(one.pcmde.verdict == "PASS" for one in good)
    assert rules == [
        ("P1", "presence", "satisfied", len(good)), ("S1", "spatial", "satisfied", passed),
        ("S1", "spatial", "violated", len(good) - passed),
    ]  # fmt: skip
    boxes = ask(run, "SELECT DISTINCT label, x0, y0, x1, y1, score, source FROM detections")
    assert boxes == [("car.wheel", 1.0, 2.0, 3.0, 4.5, 0.5, "detector")]
    by = ask(run, "SELECT extra['generator'], count(*) FROM answers GROUP BY 1 ORDER BY 2 DESC")
    assert {name for name, _ in by} == {"alpha", "béta \"q\", 'x'"}


ESCAPES = [
    "SELECT * FROM read_csv('{secret}')",
    "SELECT * FROM read_text('{secret}')",
    "SELECT * FROM '{secret}'",
    "SELECT * FROM glob('{folder}/*')",
    "SELECT * FROM read_parquet('http://127.0.0.1:1/x.parquet')",
    "SELECT * FROM read_parquet('s3://bucket/x.parquet')",
    "SELECT * FROM sniff_csv('{secret}')",
    "SELECT * FROM query('COPY (SELECT 1) TO ''{folder}/new.csv''')",
    "WITH x AS (COPY (SELECT 1) TO '{folder}/new.csv') SELECT 1",
    "COPY (SELECT 1) TO '{folder}/new.csv'",
    "COPY (SELECT 1) TO '{rows}' (FORMAT parquet, USE_TMP_FILE false)",
    "EXPLAIN ANALYZE COPY (SELECT 1) TO '{rows}' (FORMAT parquet, USE_TMP_FILE false)",
    "ATTACH '{folder}/new.db'",
    "EXPORT DATABASE '{folder}/new'",
    "INSTALL httpfs",
    "LOAD httpfs",
    "SET enable_external_access = true",
    "RESET allowed_paths",
    "CREATE TABLE mine AS SELECT 1",
    "DROP VIEW rows",
    "INSERT INTO rows VALUES (1)",
    "CALL pragma_version()",
    "SELECT 1; SELECT 2",
    "",
    "SELECT getenv('HOME')",
    "SELECT * FROM ESCAPES",
    "SELECT ?",
    "SELECT $name",
]


@pytest.mark.parametrize("sql", ESCAPES)
def test_a_query_reads_the_rows_and_nothing_else(run: Path, tmp_path: Path, sql: str) -> None:
    secret = tmp_path / "secret.csv"
    secret.write_text("password\nhunter2\n")
    copy = tmp_path / "copy"
    shutil.copytree(run, copy)
    rows = copy / "rows/unit-00000000.parquet"
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    with pytest.raises(ConfigError, match=r"^SQL: ") as error:
        ask(copy, sql.format(secret=secret, folder=tmp_path, rows=rows))
    assert "hunter2" not in str(error.value)
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize(
    ("sql", "message"),
    [
        ("SELEC 1", 'syntax error at or near "SELEC"'),
        ("SELECT nothing FROM rows", 'Referenced column "nothing" not found'),
        ("SELECT * FROM answer", 'Did you mean "answers"?'),
        ("SELECT image_id::INT FROM rows", "Could not convert string 'images/0000.png' to INT32"),
        ("DELETE FROM rows", "expected a SELECT, got DELETE: a query only reads"),
        ("SELECT 1; SELECT 2", "expected one statement, got 2"),
    ],
)
def test_bad_sql_says_what_is_wrong(run: Path, sql: str, message: str) -> None:
    with pytest.raises(ConfigError, match=r"^SQL: ") as error:
        ask(run, sql)
    assert message in str(error.value)


@pytest.mark.parametrize("sql", ["DESCRIBE answers", "SUMMARIZE SELECT terravis.score FROM rows", "FROM rows",
                                 "PIVOT (SELECT pcmde.verdict AS v, 1 AS n FROM rows) ON v USING sum(n)",
                                 "WITH x AS (SELECT 1 AS a) SELECT a FROM x", "VALUES (1)", "SHOW TABLES",
                                 "SELECT 1;"])  # fmt: skip
def test_whatever_reads_is_taken(run: Path, sql: str) -> None:
    assert ask(run, sql)


def test_no_progress_bar_among_the_results(run: Path) -> None:
    """DuckDB draws one on standard output once a query takes two seconds."""
    assert ask(run, "SELECT current_setting('enable_progress_bar')") == [(False,)]


def test_formats(run: Path, tmp_path: Path) -> None:
    sql = (
        "SELECT image_id, extra, terravis.score AS score, 'NaN'::DOUBLE AS nan, sum(width::HUGEINT) AS wide, "
        "1.50::DECIMAL(9, 2) AS price, DATE '2026-11-30' AS day, [1, NULL] AS some, 'a,\"b\nc' AS text "
        "FROM rows GROUP BY ALL ORDER BY image_id"
    )
    lines = [
        json.loads(line) for line in shell(str(run), sql, "--format", "jsonl").stdout.splitlines()
    ]
    assert len(lines) == 30
    first = lines[1]
    assert (first["image_id"], first["nan"], first["wide"], first["price"]) == (
        "images/0000.png",
        None,
        64,
        1.5,
    )
    assert (first["extra"], first["day"]) == ({"generator": "béta \"q\", 'x'"}, "2026-11-30")
    assert (first["some"], first["text"]) == ([1, None], 'a,"b\nc')
    assert json.loads(shell(str(run), sql, "--format", "json").stdout) == lines
    for name in ("x.csv", "x.jsonl", "x.json", "x.parquet", "x.txt"):
        done = shell(str(run), sql, "-o", str(tmp_path / name))
        assert (done.exit_code, done.output) == (0, "")
    assert [
        json.loads(line) for line in (tmp_path / "x.jsonl").read_text("utf-8").splitlines()
    ] == lines
    assert json.loads((tmp_path / "x.json").read_text("utf-8")) == lines
    with (tmp_path / "x.csv").open(encoding="utf-8", newline="") as file:
        table = list(csv.DictReader(file))
    assert [json.loads(one["extra"]) for one in table] == [one["extra"] for one in lines]
    assert [one["text"] for one in table] == ['a,"b\nc'] * 30
    assert (table[1]["score"], table[1]["price"]) == (repr(first["score"]), "1.50")
    stored = pq.read_table(tmp_path / "x.parquet", page_checksum_verification=True).to_pylist()
    assert [one["score"] for one in stored] == [one["score"] for one in lines]
    assert stored[1]["price"] == Decimal("1.50")
    assert "images/0029.png" in (tmp_path / "x.txt").read_text("utf-8")
    assert sorted(os.listdir(tmp_path)) == ["x.csv", "x.json", "x.jsonl", "x.parquet", "x.txt"]


def test_nothing_selected(run: Path) -> None:
    sql = "SELECT image_id FROM rows WHERE false"
    assert json.loads(shell(str(run), sql, "--format", "json").stdout) == []
    assert shell(str(run), sql, "--format", "jsonl").stdout == ""
    assert shell(str(run), sql, "--format", "csv").stdout == "image_id\n"


def test_what_a_terminal_must_not_see_is_escaped(tmp_path: Path) -> None:
    make_run(tmp_path / "run", [[row("a\x1b[31mred.png")]])
    shown = shell(str(tmp_path / "run"), "SELECT image_id FROM rows").stdout
    assert "\x1b" not in shown
    assert "a\\x1b[31mred.png" in shown


def failing(*arguments: str) -> str:
    done = shell(*arguments)
    assert isinstance(done.exception, PhysgaugeError | SystemExit)
    return str(done.exception) + done.output


def test_output_that_cannot_be(run: Path, tmp_path: Path) -> None:
    assert "expected a name in .csv" in failing(str(run), "SELECT 1", "-o", str(tmp_path / "x.doc"))
    assert "expected a folder that exists" in failing(
        str(run), "SELECT 1", "-o", str(tmp_path / "no/x.csv")
    )
    assert "--format parquet: expected -o FILE" in failing(
        str(run), "SELECT 1", "--format", "parquet"
    )
    assert "each column once" in failing(str(run), "SELECT 1 AS a, 2 AS a", "--format", "json")
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "x.csv").write_text("before")
    failing(str(run), "SELECT image_id::INT FROM rows", "-o", str(tmp_path / "x.csv"))
    assert (tmp_path / "x.csv").read_text() == "before"
    assert [path.name for path in tmp_path.iterdir()] == ["x.csv"]


def test_places_without_rows(tmp_path: Path) -> None:
    make_run(tmp_path / "empty", [])
    with pytest.raises(ConfigError, match="expected rows, got a run without any yet"):
        ask(tmp_path / "empty", "SELECT 1")
    (tmp_path / "other").mkdir()
    with pytest.raises(ConfigError, match=r"expected a run of physgauge \(run.json\), got none"):
        ask(tmp_path / "other", "SELECT 1")
    with pytest.raises(ConfigError, match="got neither"):
        ask(tmp_path / "nowhere", "SELECT 1")
    with pytest.raises(ConfigError, match="expected a file of rows, got none"):
        ask(tmp_path / "nowhere.parquet", "SELECT 1")


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    make_run(tmp_path / "run", rows_of(range(2)))
    file = tmp_path / "run/rows/unit-00000001.parquet"
    file.write_bytes(file.read_bytes()[:-200])
    with pytest.raises(PhysgaugeError) as error:
        ask(tmp_path / "run", "SELECT avg(terravis.score) FROM rows")
    assert "unit-00000001.parquet" in str(error.value)


def test_a_flipped_bit_is_found_if_asked(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", rows_of(range(2)))
    path = tmp_path / "run/rows/unit-00000001.parquet"
    table = run.table(1)
    pq.write_table(table, path, compression="none", use_dictionary=False, write_page_checksum=True)
    data = bytearray(path.read_bytes())
    data[data.index(b"images/0012.png") + 10] ^= 1
    path.write_bytes(data)
    sql = "SELECT count(*) FROM rows WHERE image_id = 'images/0012.png'"
    assert (
        shell(str(tmp_path / "run"), sql, "--format", "csv").stdout.splitlines()[1] == "0"
    )  # DuckDB sees nothing
    assert "unit-00000001.parquet: cannot be read" in failing(
        str(tmp_path / "run"), sql, "--verify"
    )


def test_one_file_and_a_run_in_an_object_store(run: Path, tmp_path: Path) -> None:
    file = run / "rows/unit-00000002.parquet"
    assert ask(file, "SELECT count(*) FROM rows") == [(10,)]
    make_run("memory://query/run", rows_of(range(3)))
    sql = "SELECT probe, count(*), sum(answer::INT) FROM answers GROUP BY 1 ORDER BY 1"
    make_run(tmp_path / "local", rows_of(range(3)))
    assert ask("memory://query/run", sql) == ask(tmp_path / "local", sql)
    for wrong in ("SELECT * FROM read_text('physgauge-run://run.json')",
                  "SELECT * FROM read_text('physgauge-run://../other')",
                  "COPY (SELECT 1) TO 'physgauge-run://rows/unit-00000000.parquet' (USE_TMP_FILE false)"):  # fmt: skip
        with pytest.raises(PhysgaugeError):
            ask("memory://query/run", wrong)


def test_rows_that_go_away_meanwhile(tmp_path: Path) -> None:
    make_run(tmp_path / "run", rows_of(range(2)))
    files = row_files(tmp_path / "run")
    shutil.rmtree(tmp_path / "run/rows")
    with pytest.raises(PhysgaugeError, match="unit-0000000"), open_rows(files) as rows:
        list(rows.select("SELECT * FROM rows")[1])


def test_rows_of_several_versions(tmp_path: Path) -> None:
    """A column that a release has added is null in the rows of the one before."""
    run = make_run(tmp_path / "run", rows_of(range(2)))
    path = tmp_path / "run/rows/unit-00000000.parquet"
    table = pq.read_table(path)
    pq.write_table(table.drop_columns(["height"]), path)
    record = json.loads((tmp_path / "run/run.json").read_text())
    (tmp_path / "run/run.json").write_text(json.dumps(record | {"physgauge": "0.0.9"}))
    run.revise("update", {"probes": "p2"}, {}, [])
    found = ask(tmp_path / "run", "SELECT count(*), count(height) FROM rows")
    assert found == [(20, sum(one.height is not None for one in rows_of([1])[0]))]
