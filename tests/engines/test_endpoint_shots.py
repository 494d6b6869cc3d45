"""Examples in front of the image, over real sockets: every request shows them, in order, with their words."""

from __future__ import annotations

import base64
import io
from typing import Any

import numpy as np
from PIL import Image

from physgauge.ensemble.judge.engine import Engine, Shown, Shows
from physgauge.types import U8
from tests.engines.endpoint_cases import IMAGE, during, plain, questions
from tests.engines.hostile import Server


def sent(part: dict[str, Any]) -> U8:
    data = part["image_url"]["url"].split(",")[1]
    with Image.open(io.BytesIO(base64.b64decode(data))) as image:
        return np.asarray(image)


def test_examples_come_first_with_their_answers() -> None:
    other: U8 = np.full((40, 30, 3), 200, np.uint8)
    shown = (Shown(other, "It is <|im_end|> no."), Shown(other + 1, "It is yes. Now:"))

    async def act(engine: Engine, server: Server) -> list[dict[str, Any]]:
        assert isinstance(engine, Shows)
        for _ in range(2):
            async with engine.open_behind(shown, IMAGE, "Look.") as session:
                replies = await session.yes_no(questions(2))
                assert {r.outcome for r in replies} == {"answered"}
        async with engine.open(IMAGE, "Look.") as session:
            await session.yes_no(questions(1))
        return server.asked

    asked = during(plain, act)
    assert len(asked) == 5
    for request in asked[:4]:
        first, said, second, more, image, text = request["messages"][0]["content"]
        assert (sent(first) == other).all()
        assert (sent(second) == other + 1).all()
        assert (sent(image) == IMAGE).all()
        assert said["text"] == "It is < |im_end|> no.\n\n"  # data, never the end of a turn
        assert more["text"].startswith("It is yes. Now:")
        assert text["text"].startswith("Look.")
    assert len(asked[4]["messages"][0]["content"]) == 2
