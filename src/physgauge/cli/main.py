"""`physgauge`: the command group. Each command lives in its own module and imports what it needs when it
runs, so that ``--help`` and the light client stay light."""

from __future__ import annotations

import io
import signal
import sys
from collections.abc import Sequence
from types import FrameType
from typing import NoReturn

import click

from physgauge import __version__
from physgauge.cli.cascade import cascade_fit
from physgauge.cli.diff import diff
from physgauge.cli.distill import distill
from physgauge.cli.doctor import doctor
from physgauge.cli.gate import gate
from physgauge.cli.gateway import gateway
from physgauge.cli.parity import parity
from physgauge.cli.query import query
from physgauge.cli.rescore import rescore
from physgauge.cli.retry import retry
from physgauge.cli.rules import rules
from physgauge.cli.schema import schema
from physgauge.cli.score import score
from physgauge.cli.score_boxes import score_boxes
from physgauge.cli.selftest import selftest_judge
from physgauge.cli.serve import serve
from physgauge.cli.status import status
from physgauge.errors import ConfigError, EnvironmentProblem, PhysgaugeError
from physgauge.report.printable import printable

EXIT_CONFIG = 2
EXIT_ENVIRONMENT = 3
EXIT_FAULT = 4
EXIT_INTERRUPTED = 130
LOCAL = ("numba", "onnxruntime", "PIL", "prometheus_client", "pyarrow")
"""What the base install lacks."""


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="physgauge")
def group() -> None:
    """Score AI-generated images for physical realism."""


group.add_command(score)
group.add_command(score_boxes)
group.add_command(status)
group.add_command(rescore)
group.add_command(retry)
group.add_command(distill)
group.add_command(parity)
group.add_command(cascade_fit)
group.add_command(selftest_judge)
group.add_command(rules)
group.add_command(query)
group.add_command(diff)
group.add_command(gate)
group.add_command(schema)
group.add_command(serve)
group.add_command(gateway)
group.add_command(doctor)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit: 0 done, 2 wrong option or file, 3 something missing on this machine,
    4 another error of ours, 1 a run that nobody works on (`status`), 5 images or a run
    that do not pass (`gate`, `diff --fail-on`, `--fail-on-error-share`), 130
    interrupted, 143 terminated."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(
            stream, io.TextIOWrapper
        ):  # a name may hold what the terminal's encoding does not
            stream.reconfigure(errors="backslashreplace")
    before = signal.signal(signal.SIGTERM, _terminated)
    try:
        code = group.main(args=arguments, prog_name="physgauge", standalone_mode=False)
    except click.exceptions.Abort:
        click.echo("physgauge: interrupted", err=True)
        code = EXIT_INTERRUPTED
    except click.ClickException as error:
        error.show()
        code = error.exit_code
    except PhysgaugeError as error:
        click.echo(printable(f"physgauge: {error}", lines=True), err=True)
        code = _exit_code(error)
    except ModuleNotFoundError as error:
        if error.name not in LOCAL:
            raise
        click.echo(
            f"physgauge: this command needs {error.name}: pip install 'physgauge[local]'", err=True
        )
        code = EXIT_ENVIRONMENT
    except BrokenPipeError:  # the reader of --json went away: nothing more to say
        sys.stderr.close()
        code = 0
    except OSError as error:  # a full disk, a folder that went away
        place = "" if error.filename is None else f"{error.filename}: "
        said = f"physgauge: {place}{error.strerror or type(error).__name__}"
        click.echo(printable(said), err=True)
        code = EXIT_ENVIRONMENT
    finally:
        signal.signal(signal.SIGTERM, before)
    sys.exit(code if isinstance(code, int) else 0)


def _terminated(number: int, frame: FrameType | None) -> NoReturn:
    """As Ctrl-C: files half written are taken back, and the workers end (`serve` drains instead)."""
    raise SystemExit(128 + number)


def _exit_code(error: PhysgaugeError) -> int:
    if isinstance(error, ConfigError):
        return EXIT_CONFIG
    return EXIT_ENVIRONMENT if isinstance(error, EnvironmentProblem) else EXIT_FAULT
