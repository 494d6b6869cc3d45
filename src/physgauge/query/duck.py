"""Rows of a run in DuckDB (the only file that imports it).

What is typed as SQL may come from anywhere, so it is shut in: it reads the run's rows and nothing else,
no other file and no network, and writes nothing. DuckDB itself holds that (`enable_external_access` off,
the run's files allowed by name, the configuration locked), and only statements that read get that far.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from glob import has_magic
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from physgauge.clients.runs.files import RowFiles
from physgauge.clients.storage import is_remote
from physgauge.errors import ConfigError, EnvironmentProblem
from physgauge.query.files import SCHEME, file_system
from physgauge.query.views import VIEWS

BATCH: Final = 2048
_READ_ONLY: Final = frozenset({"SELECT", "MULTI"})
"""``PIVOT`` is several statements, of DuckDB's own making."""
_CONFIG: Final = {
    "python_enable_replacements": False,  # variables of this program are no tables
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    "allow_community_extensions": False,
    "allow_persistent_secrets": False,
}


class Query:
    """Rows that can be asked; made by :func:`open_rows`.

    Its methods raise ConfigError for bad SQL, several statements, or one that does more than read, and
    EnvironmentProblem for rows that cannot be read, and where there is not enough memory.
    """

    def __init__(self, connection: Any, where: str) -> None:
        self._connection = connection
        self._where = where

    def select(self, sql: str) -> tuple[list[str], Iterator[tuple[Any, ...]]]:
        """Names of the columns, and the lines as Python values: maps and structs as dictionaries."""
        self._check(sql)
        with _failures(self._where):
            self._connection.execute(sql)
            return [column[0] for column in self._connection.description], self._lines()

    def _lines(self) -> Iterator[tuple[Any, ...]]:
        with _failures(self._where):
            while some := self._connection.fetchmany(BATCH):
                yield from some

    def batches(self, sql: str) -> tuple[Any, Iterator[Any]]:
        """The result as an Arrow schema and batches."""
        self._check(sql)
        with _failures(self._where):
            reader = self._connection.sql(sql).to_arrow_reader(BATCH)
        return reader.schema, self._each(reader)

    def _each(self, reader: Any) -> Iterator[Any]:
        with _failures(self._where):
            yield from reader

    def _check(self, sql: str) -> None:
        with _failures(self._where):
            statements = self._connection.extract_statements(sql)
        if len(statements) != 1:
            raise ConfigError(f"SQL: expected one statement, got {len(statements)}")
        kind = statements[0].type.name
        if kind not in _READ_ONLY:
            raise ConfigError(f"SQL: expected a SELECT, got {kind}: a query only reads")


@contextmanager
def open_rows(files: RowFiles, threads: int | None = None) -> Iterator[Query]:
    """The files as the table ``rows``, with the views beside it.

    Args:
        files: of a run.
        threads: None = one a core.

    Raises:
        EnvironmentProblem: DuckDB is missing, or the rows cannot be read.
    """
    duckdb = _duckdb()
    with ExitStack() as stack:
        spill = stack.enter_context(TemporaryDirectory(prefix="physgauge-query-"))
        connection = stack.enter_context(duckdb.connect(":memory:", config=dict(_CONFIG)))
        with _failures(files.address):
            if threads is not None:
                connection.execute(f"SET threads = {int(threads)}")
            names = _names(connection, files)
            connection.execute(
                "SET parquet_metadata_cache = true"
            )  # rows never change under a name
            connection.execute("SET enable_progress_bar = false")  # it goes where the result does
            connection.execute(f"SET temp_directory = {_text(spill)}")
            connection.execute(f"SET allowed_paths = {_list(names)}")
            connection.execute("SET enable_external_access = false")
            # Releases add columns: where several have written, columns are matched by name.
            mixed = len({record.physgauge for record in files.records}) > 1
            by_name = ", union_by_name = true" if mixed else ""
            connection.execute(
                f"CREATE VIEW rows AS SELECT * FROM read_parquet({_list(names)}{by_name})"
            )
            for name, sql in VIEWS.items():
                connection.execute(f"CREATE VIEW {name} AS {sql}")
            connection.execute("SET lock_configuration = true")
        yield Query(connection, files.address)


def _names(connection: Any, files: RowFiles) -> list[str]:
    """What DuckDB calls the files."""
    where = [files.store.where(key) for key in files.keys]
    if not is_remote(files.store.address):
        paths = [str(Path(one).resolve()) for one in where]
        if not any(map(has_magic, paths)) and all(path.isprintable() for path in paths):
            return paths
    # DuckDB takes a name for a pattern where it can be one.
    keys = {f"{n}.parquet" if has_magic(key) else key: key for n, key in enumerate(files.keys)}
    connection.register_filesystem(file_system(files.store, keys))
    return [f"{SCHEME}://{name}" for name in keys]


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


def _list(values: Sequence[str]) -> str:
    return f"[{', '.join(map(_text, values))}]"


def _duckdb() -> Any:
    try:
        import duckdb
    except ImportError:
        raise EnvironmentProblem("queries need DuckDB: pip install 'physgauge[bulk]'") from None
    return duckdb


@contextmanager
def _failures(where: str) -> Iterator[None]:
    """DuckDB's errors as ours."""
    duckdb = _duckdb()
    try:
        yield
    except (duckdb.OutOfMemoryException, MemoryError):
        raise EnvironmentProblem(
            f"{where}: the query needs more memory than there is: select less, or aggregate"
        ) from None
    except (duckdb.IOException, duckdb.HTTPException) as error:
        raise EnvironmentProblem(f"{where}: rows cannot be read: {error}") from None
    except duckdb.PermissionException as error:
        first = str(error).splitlines()[0].removeprefix("Permission Error: ")
        raise ConfigError(f"SQL: a query reads the run's rows only: {first}") from None
    except duckdb.Error as error:
        raise ConfigError(f"SQL: {error}") from None
