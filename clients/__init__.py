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
    from physgauge.clients.remote.inputs import Input
    from physgauge.clients.remote.stats import Stats

__all__ = ["Answered", "AsyncClient", "Client", "Input", "Stats", "Tls"]

_HOMES = {
    "Answered": "delivery",
    "AsyncClient": "client",
    "Client": "blocking",
    "Input": "inputs",
    "Stats": "stats",
    "Tls": "address",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"physgauge.clients.remote.{_HOMES[name]}"), name)
