"""The engine: sessions of one image with a server that speaks OpenAI's chat protocol."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace
from typing import Any, Final

import msgspec

from physgauge.ensemble.judge.engine import (
    EngineFault,
    Features,
    Prompt,
    Question,
    Reply,
    Shown,
    Spent,
    Text,
)
from physgauge.ensemble.judge.engines.asking import (
    Weighed,
    around_image,
    plain,
    question_text,
    reply,
    side,
    weigh,
    weigh_ids,
)
from physgauge.ensemble.judge.engines.endpoint.client import Client
from physgauge.ensemble.judge.engines.endpoint.completion import Position, Read, add
from physgauge.ensemble.judge.engines.endpoint.offer import (
    Offer,
    probabilities,
    schema_format,
    token_id,
)
from physgauge.ensemble.judge.engines.endpoint.pictures import data_url, encode
from physgauge.ensemble.judge.engines.endpoint.settings import EndpointSettings
from physgauge.ensemble.judge.engines.endpoint.showing import Showing
from physgauge.ensemble.judge.engines.tasks import Tasks, within
from physgauge.types import U8

YES_NO: Final = {
    "type": "object",
    "properties": {"answer": {"type": "string", "enum": ["yes", "no"]}},
    "required": ["answer"],
    "additionalProperties": False,
}


class EndpointEngine:
    """A server, ready. Made by `from_settings`."""

    def __init__(self, settings: EndpointSettings, client: Client, offer: Offer) -> None:
        self._settings = settings
        self._client = client
        self._offer = offer
        self._closed = False
        self._urls: dict[int, tuple[Shown, msgspec.Raw]] = {}
        """Of examples, which are held, so that their ids stay theirs."""

    @property
    def name(self) -> str:
        """Kind, model, where probabilities come from, how pixels travel, layout."""
        s = self._settings
        pixels = s.image if s.image == "png" else f"jpeg{s.jpeg_quality}"
        return f"endpoint:{self._offer.model}:{self._offer.source}:{pixels}:{s.layout}"

    @property
    def models(self) -> Mapping[str, str]:
        """The model and what the server says of its version: nobody outside sees its weights."""
        return {self._offer.model: self._offer.version}

    @property
    def features(self) -> Features:
        """As found at start, or stated in the settings."""
        return Features(self._offer.source != "off", self._offer.structured)

    def open(
        self, image: U8 | None, preamble: str = "", deadline_s: float | None = None
    ) -> AbstractAsyncContextManager[EndpointSession]:
        """See `physgauge.ensemble.judge.engine.Engine.open`."""
        return self.open_behind((), image, preamble, deadline_s)

    @asynccontextmanager
    async def open_behind(
        self,
        shown: Sequence[Shown],
        image: U8 | None,
        preamble: str = "",
        deadline_s: float | None = None,
    ) -> AsyncIterator[EndpointSession]:
        """See `physgauge.ensemble.judge.engine.Shows.open_behind`. Examples travel with each request."""
        if self._closed:
            raise EngineFault("the engine is closed")
        session = EndpointSession(
            self._settings, self._client, self._offer, image, preamble, deadline_s,
            [part for one in shown for part in self._parts(one)],
        )  # fmt: skip
        async with session.tasks:
            yield session

    def _parts(self, one: Shown) -> list[dict[str, Any]]:
        """An example as parts of a message; its data URL is made once."""
        s = self._settings
        if id(one) not in self._urls:
            url = data_url(encode(one.image, s.image, s.jpeg_quality), s.image)
            self._urls[id(one)] = (one, msgspec.Raw(b'"' + url + b'"'))
        image = {"type": "image_url", "image_url": {"url": self._urls[id(one)][1]}}
        return [image, {"type": "text", "text": f"{plain(one.text)}\n\n"}]

    async def close(self) -> None:
        """Close the connections."""
        self._closed = True
        await self._client.close()


class EndpointSession:
    """One image in front of the server."""

    def __init__(
        self,
        settings: EndpointSettings,
        client: Client,
        offer: Offer,
        image: U8 | None,
        preamble: str,
        deadline_s: float | None,
        examples: Sequence[dict[str, Any]] = (),
    ) -> None:
        self._settings = settings
        self._client = client
        self._offer = offer
        self._preamble, self._examples = preamble, examples
        self._deadline_s = deadline_s
        self._spent = Spent()
        self.tasks = Tasks()
        once = settings.send == "once" or (settings.send == "auto" and offer.source == "vllm")
        self._showing = None if image is None else Showing(image, settings, once, self.tasks)

    @property
    def spent(self) -> Spent:
        """Up to now."""
        return self._spent

    async def yes_no(self, questions: Sequence[Question]) -> Sequence[Reply]:
        """One request a question."""
        return await self.tasks.all([self._question(question) for question in questions])

    async def write(self, prompts: Sequence[Prompt]) -> Sequence[Text]:
        """One request a prompt."""
        return await self.tasks.all([self._prompt(prompt) for prompt in prompts])

    async def _question(self, question: Question) -> Reply:
        offer, s = self._offer, self._settings
        body: dict[str, Any] = {
            s.tokens_field: s.answer_tokens,
            "temperature": 0.0,
            **probabilities(s, offer.source, offer.families),
        }
        by_schema = offer.source == "off" and offer.structured
        if by_schema:
            body |= {s.tokens_field: max(16, s.answer_tokens), **schema_format(YES_NO)}
        elif offer.source == "off":
            body[s.tokens_field] = max(4, s.answer_tokens)
        done = await self._ask(question_text(question.text), body, quick=True)
        if done.outcome != "answered":
            return Reply(done.outcome, id=question.id)
        weighed = Weighed(None, None) if done.first is None else self._weigh(done.first)
        said = _chosen(done.text) if by_schema else done.text
        return replace(reply(weighed, said), id=question.id)

    def _weigh(self, first: Position) -> Weighed:
        if self._offer.source == "vllm":
            listed = [first, *first.top_logprobs]
            logs = {token: e.logprob for e in listed if (token := token_id(e.token)) is not None}
            return weigh_ids(logs, self._offer.families)
        # The token written is one of the likely ones, or (sampled) one more of them.
        tokens = {entry.token: entry.logprob for entry in (first, *first.top_logprobs)}
        return weigh(tokens.items())

    async def _prompt(self, prompt: Prompt) -> Text:
        body: dict[str, Any] = {
            self._settings.tokens_field: prompt.max_tokens,
            "temperature": prompt.temperature,
        }
        if prompt.seed is not None:
            body["seed"] = prompt.seed
        if prompt.schema is not None and self._offer.structured:
            body |= schema_format(prompt.schema)
        done = await self._ask(prompt.text, body, quick=False)
        if done.outcome == "unparseable":  # no completion at all: there is no text to read
            return Text("answered", "", whole=False, id=prompt.id)
        if done.outcome != "answered":
            return Text(done.outcome, id=prompt.id)
        return Text("answered", done.text or "", done.whole, prompt.id)

    async def _ask(self, text: str, fields: dict[str, Any], quick: bool) -> Read:
        outcome, read = await within(self._deadline_s, lambda: self._request(text, fields, quick))
        return Read(outcome) if read is None else read

    async def _request(self, text: str, fields: dict[str, Any], quick: bool) -> Read:
        before, behind = around_image(plain(self._preamble), plain(text), self._settings.layout)
        if self._showing is None:
            return await self._send([{"type": "text", "text": before + behind}], fields)
        first = [{"type": "text", "text": before}] if before else []
        last = {"type": "text", "text": behind}
        return await self._showing.ask(
            lambda picture: self._send([*first, *self._examples, picture, last], fields), quick
        )

    async def _send(self, content: list[dict[str, Any]], fields: dict[str, Any]) -> Read:
        s = self._settings
        body = {
            "model": self._offer.model,
            "messages": [{"role": "user", "content": content}],
            **{key: value for key, value in fields.items() if key not in s.leave_out},
            **s.extra,
        }
        return await self._client.complete(msgspec.json.encode(body), self._count)

    def _count(self, more: Spent) -> None:
        self._spent = add(self._spent, more)


class _Chosen(msgspec.Struct):
    answer: str


def _chosen(text: str | None) -> str | None:
    try:
        chosen = msgspec.json.decode(text or "", type=_Chosen).answer
    except (msgspec.DecodeError, RecursionError):
        return None
    return chosen if side(chosen) is not None else None
