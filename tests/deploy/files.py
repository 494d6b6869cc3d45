"""The deployment files, read; and what tests of them share."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import yaml

from physgauge.cli.main import group

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"


def read_yaml(path: str) -> Any:
    return yaml.safe_load((DEPLOY / path).read_text("utf-8"))


def filled(text: str) -> str:
    """With the default in place of each ${VARIABLE:-default}."""
    return re.sub(r"\$\{\w+:[-?]([^}]*)\}", r"\1", text)


def options(words: list[str]) -> dict[str, Any]:
    """What physgauge's own command line makes of a container's command; it fails where that would."""
    command = group.commands[words[0]]
    context = click.Context(command, info_name=words[0])
    command.parse_args(context, [str(word) for word in words[1:]])
    return context.params


def drain_s(words: list[str]) -> float:
    """How long a container's command may take to end, in its own words."""
    made = options(words)
    return float(made["drain_s"] if "drain_s" in made else made["drain"])


def seconds(duration: str) -> float:
    """Of Compose's durations in plain seconds."""
    return float(duration.removesuffix("s"))


def panels() -> Iterator[dict[str, Any]]:
    """Of the dashboard; but not its headings."""
    import json

    board = json.loads((DEPLOY / "grafana/dashboards/physgauge.json").read_text("utf-8"))
    yield from (panel for panel in board["panels"] if panel["type"] != "row")


def queries() -> Iterator[tuple[str, str]]:
    """Where and what: all PromQL of dashboard and alerts, with Grafana's variables filled in."""
    for panel in panels():
        for target in panel["targets"]:
            text = target["expr"].replace("$__rate_interval", "1m").replace("$instance", ".*")
            yield f"panel {panel['title']!r}", text
    for group_of_rules in read_yaml("prometheus/alerts.yml")["groups"]:
        for rule in group_of_rules["rules"]:
            yield f"alert {rule['alert']}", rule["expr"]


def selectors(query: str) -> Iterator[Any]:
    """The series that a query selects, as promql_parser's nodes."""
    import promql_parser

    found: list[Any] = []

    def visit(node: Any) -> bool:
        if isinstance(node, promql_parser.VectorSelector):
            found.append(node)
        elif isinstance(node, promql_parser.MatrixSelector):
            found.append(node.vector_selector)
        return True

    promql_parser.walk(promql_parser.parse(query), visit)
    yield from found
