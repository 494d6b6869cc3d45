"""The first words with a server: which model it has, and trials that survive a bad moment."""

from __future__ import annotations

import asyncio
import random
import time
from typing import Final

import msgspec

from physgauge.ensemble.judge.engine import EngineFault
from physgauge.ensemble.judge.engines.endpoint.client import AGAIN, FATAL, OK, Client
from physgauge.ensemble.judge.engines.endpoint.pace import backoff
from physgauge.ensemble.judge.engines.endpoint.settings import EndpointSettings
from physgauge.ensemble.judge.engines.endpoint.transport import Answer, NoAnswer, TooLarge
from physgauge.errors import ConfigError

SAYS_NO: Final = frozenset({500, 501})
"""How some servers answer fields that they don't know: after all tries, that is a no."""


class Model(msgspec.Struct):
    """As a server lists it."""

    id: str
    owned_by: str = ""
    root: str | None = None
    """What it was loaded from."""


class _Models(msgspec.Struct):
    data: list[Model]


async def asked(client: Client, settings: EndpointSettings, url: str, body: bytes) -> Answer | None:
    """A request at start, tried again like any other; None: its answer is no answer to anything.

    Raises:
        EngineFault: the server doesn't answer, or wants nothing of ours. What it offers can't be told
            then, and must not be taken for less than it is.
    """
    attempt, why = 0, ""
    while attempt < settings.tries:
        if attempt:
            await asyncio.sleep(
                backoff(attempt, settings.wait_s, settings.max_wait_s, random.random())
            )
        attempt += 1
        try:
            answer = await client.post(url, body)
        except TooLarge:
            return None
        except NoAnswer as problem:
            why = str(problem)
            continue
        if answer.status not in AGAIN:
            if answer.status in FATAL and "/chat/" in url:
                why = f"{FATAL[answer.status]} ({answer.status})"
                break
            return answer
        why = f"status {answer.status}"
    if why.removeprefix("status ") in {str(status) for status in SAYS_NO}:
        return None
    raise EngineFault(f"the server at {settings.url}: {why}")


async def find_model(client: Client, settings: EndpointSettings, where: str) -> Model:
    answer = await _patiently(client, settings)
    listed: list[Model] = []
    if answer.status == OK:
        try:
            listed = msgspec.json.decode(answer.body, type=_Models).data
        except (msgspec.DecodeError, RecursionError):
            raise EngineFault(
                f"the server at {settings.url}: expected a list of models at /models"
            ) from None
    elif answer.status in {401, 403}:
        raise EngineFault(f"the server at {settings.url}: it refuses the key ({answer.status})")
    elif 300 <= answer.status < 400:
        raise EngineFault(
            f"the server at {settings.url}: it sends us on to {answer.location}; that is not followed"
        )
    if not settings.model:
        if len(listed) != 1:
            names = ", ".join(m.id for m in listed[:5]) or "none that it names"
            raise ConfigError(f"{where}.model: expected the name of one of the server's ({names})")
        return listed[0]
    for model in listed:
        if model.id == settings.model:
            return model
    if listed and len(listed) < 50:  # hosted servers don't list all they have
        names = ", ".join(m.id for m in listed[:5])
        raise ConfigError(f"{where}.model: expected one of {names}; got {settings.model!r}")
    return Model(settings.model)


async def _patiently(client: Client, settings: EndpointSettings) -> Answer:
    until = time.monotonic() + settings.start_s
    while True:
        try:
            answer = await client.get(f"{settings.url}/models")
            if answer.status < 500 or time.monotonic() > until:
                return answer
        except TooLarge:
            raise EngineFault(
                f"the server at {settings.url}: a list of models past all measure"
            ) from None
        except NoAnswer as problem:
            if time.monotonic() > until:
                raise EngineFault(f"the server at {settings.url}: {problem}") from None
        await asyncio.sleep(min(1.0, settings.start_s / 10))
