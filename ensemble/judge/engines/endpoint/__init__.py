"""The engine `endpoint`: any server that speaks OpenAI's chat protocol (docs/engines.md)."""

from __future__ import annotations

from physgauge.config import LoadedProfile
from physgauge.ensemble.judge.engine import Engine
from physgauge.ensemble.judge.engines.endpoint.client import Client
from physgauge.ensemble.judge.engines.endpoint.engine import EndpointEngine
from physgauge.ensemble.judge.engines.endpoint.offer import look
from physgauge.ensemble.judge.engines.endpoint.settings import EndpointSettings as Settings
from physgauge.ensemble.judge.engines.endpoint.transport import Transport

__all__ = ["Settings", "from_settings"]


async def from_settings(settings: Settings, loaded: LoadedProfile) -> Engine:
    """Reach the server and find out what it offers.

    Raises:
        ConfigError: settings that are wrong, or that the server doesn't meet.
        EnvironmentProblem: a variable that isn't set; `EngineFault`: no such server.
    """
    where = f"profile {loaded.profile.name}: judge.endpoint"
    settings = settings.checked(where)
    key = settings.key(where)
    transport = Transport(
        {**settings.headers, **({"Authorization": f"Bearer {key}"} if key else {})},
        connections=settings.concurrency,
        connect_s=settings.connect_s,
        read_s=settings.read_s,
        max_answer_bytes=settings.max_answer_bytes,
        ca_file=None if settings.ca_file is None else str(loaded.path(settings.ca_file)),
        proxy=settings.proxy,
    )
    client = Client(settings, transport)
    try:
        offer = await look(client, settings, where)
    except BaseException:
        await client.close()
        raise
    return EndpointEngine(settings, client, offer)
