"""Clients: they see only wire types, errors, settings and the contract with the server.

The streaming client's names are loaded when they are asked for, so that this stays light.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from physgauge.clients.remote.address import Tls
    from physgauge.clients.remote.blocking import Client
    from physgauge.clients.remote.client import AsyncClient
    from physgauge.clients.remote.delivery import Answered
    from physgauge.clients.remote.gating import Regenerated, regenerate, regenerate_async
    from physgauge.clients.remote.inputs import Input
    from physgauge.clients.remote.stats import Stats
    from physgauge.gate.rule import Decision, Gated, Rule

__all__ = [
    "Answered",
    "AsyncClient",
    "Client",
    "Decision",
    "Gated",
    "Input",
    "Regenerated",
    "Rule",
    "Stats",
    "Tls",
    "regenerate",
    "regenerate_async",
]

_HOMES = {
    "Answered": "clients.remote.delivery",
    "AsyncClient": "clients.remote.client",
    "Client": "clients.remote.blocking",
    "Decision": "gate.rule",
    "Gated": "gate.rule",
    "Input": "clients.remote.inputs",
    "Regenerated": "clients.remote.gating",
    "Rule": "gate.rule",
    "Stats": "clients.remote.stats",
    "Tls": "clients.remote.address",
    "regenerate": "clients.remote.gating",
    "regenerate_async": "clients.remote.gating",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"physgauge.{_HOMES[name]}"), name)
