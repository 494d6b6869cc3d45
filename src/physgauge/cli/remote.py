"""What `physgauge score --server` does: rows of a server's in place of a pipeline's."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from physgauge.cli.options import Number
from physgauge.cli.serve import read_token
from physgauge.errors import ConfigError, EnvironmentProblem, RequestError
from physgauge.report.printable import printable

if TYPE_CHECKING:
    from physgauge.bulk.engines.server import ServerEngine
    from physgauge.bulk.work import Stage
    from physgauge.clients import Client, Tls
    from physgauge.wire import Method

_FILE = click.Path(dir_okay=False, path_type=Path)
_OPTIONS = (
    click.option("--server", "servers", metavar="HOST:PORT[,...]",
                 help="Score on these servers (`physgauge serve`), not here."),
    click.option("--timeout", "timeout_s", type=Number(0.001, 3600), default=60.0,
                 show_default=True, metavar="SECONDS",
                 help="With --server: for each image, from its turn to its row."),
    click.option("--server-tries", type=click.IntRange(0, 100), default=3, show_default=True, metavar="N",
                 help="With --server and -o: times that an image is sent again which no server could "
                      "answer for, before its row says so."),
    click.option("--server-away", "server_away_s", type=Number(0, 86_400), default=600.0,
                 show_default=True, metavar="SECONDS",
                 help="With --server and -o: how long no server may answer before the run stops, to be "
                      "taken up later."),
    click.option("--token-file", type=_FILE, metavar="FILE",
                 help="With --server: holds the access token."),
    click.option("--tls", is_flag=True, help="With --server: TLS, with the authorities that gRPC knows."),
    click.option("--tls-ca", type=_FILE, metavar="FILE",
                 help="With --server: TLS, with the authorities in this file (PEM)."),
    click.option("--tls-cert", type=_FILE, metavar="FILE",
                 help="With --server: own certificate, for mutual TLS (PEM)."),
    click.option("--tls-key", type=_FILE, metavar="FILE", help="With --server: its key (PEM)."),
    click.option("--tls-name", metavar="NAME",
                 help="With --server: name in the server's certificate, if it is not HOST."),
)  # fmt: skip
_LOCAL = {
    "profile": "--profile: the server has its own; start it with `physgauge serve --profile`",
    "packs": "--pack: the server has its own; start it with `physgauge serve --pack`",
    "workers": "--workers: the server decodes; start it with `physgauge serve --workers`",
    "threads": "--threads: the server works; start it with `physgauge serve --threads`",
    "processes": "--processes: the servers work, this only sends",
    "draw": "--draw: the pixels are at the server; score here, without --server",
}
_REMOTE = (
    "timeout_s",
    "server_tries",
    "server_away_s",
    "token_file",
    "tls",
    "tls_ca",
    "tls_cert",
    "tls_key",
    "tls_name",
)


@dataclass(frozen=True, slots=True)
class Remote:
    """What the options say about servers."""

    servers: str
    timeout_s: float
    server_tries: int
    server_away_s: float
    token_file: Path | None
    tls: bool
    tls_ca: Path | None
    tls_cert: Path | None
    tls_key: Path | None
    tls_name: str | None

    def connect(self, domain: str, method: Method) -> Client:
        """A client whose servers have answered.

        Raises:
            ConfigError: what was given is wrong, as the server says too.
            EnvironmentProblem: no server answers.
        """
        from physgauge.clients import Client

        token = read_token("--token-file", self.token_file)
        client = Client(self.servers, token=token, tls=self._tls(), timeout_s=self.timeout_s)
        try:
            client.check(domain, method)
        except RequestError as error:
            client.close()
            kind = ConfigError if error.code == "request_invalid" else EnvironmentProblem
            raise kind(f"--server {self.servers}: {error.code}: {error.message}") from None
        except BaseException:
            client.close()
            raise
        return client

    def engine(self, domain: str, method: Method) -> ServerEngine:
        """The engine `server`.

        Raises:
            ConfigError: an address, a token or a certificate that is wrong.
        """
        from physgauge.bulk.engines.server import ServerEngine, ServerSettings

        token = read_token("--token-file", self.token_file)
        settings = ServerSettings(
            self.servers, token, self._tls(), self.timeout_s, self.server_tries, self.server_away_s
        )
        return ServerEngine(
            settings,
            lambda text: click.echo(printable(text), err=True),
            domain=domain,
            method=method,
        )

    @contextmanager
    def stage(self, domain: str, method: Method) -> Iterator[Stage]:
        """Rows of the servers, without a run.

        Raises:
            ConfigError, EnvironmentProblem: as `connect`.
        """
        from physgauge.bulk.engines.server_stage import ServerStage

        client, parts = self.connect(domain, method), self.engine(domain, method).fingerprint()
        stage = ServerStage(
            client, domain=domain, method=method, parts=parts, tick=_nothing, again=_nothing, tries=0,
            away_s=0.0,
        )  # fmt: skip
        with closing(stage):
            yield stage

    def _tls(self) -> Tls | None:
        from physgauge.clients import Tls

        if self.tls or self.tls_ca or self.tls_cert or self.tls_key:
            return Tls(self.tls_ca, self.tls_cert, self.tls_key, self.tls_name)
        if self.tls_name:
            raise ConfigError("--tls-name: expected --tls or --tls-ca too")
        return None


def _nothing() -> None:
    """Without a run nobody counts beats or tries."""


def server_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of `--server`; the command gets them as `remote`, None without `--server`."""

    @wraps(command)
    def wrapped(**given: Any) -> Any:
        _check(click.get_current_context())
        ours = {name: given.pop(name) for name in ("servers", *_REMOTE)}
        return command(**given, remote=None if ours["servers"] is None else Remote(**ours))

    for option in reversed(_OPTIONS):
        wrapped = option(wrapped)
    return wrapped


def _check(context: click.Context) -> None:
    """Refuses options that go with a pipeline only, or with a server only."""
    remote = context.params["servers"] is not None
    for name in _LOCAL if remote else _REMOTE:
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            flag = f"--{name.removesuffix('_s').replace('_', '-')}"
            raise click.UsageError(
                f"with --server, not {_LOCAL[name]}" if remote else f"{flag}: expected --server too"
            )
