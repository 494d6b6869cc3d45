"""Prompts as token ids: one prefix for all questions about an image, and one tail a question.

A prompt is written out whole, by the model's own chat template, and made into tokens whole, so it is
the prompt that would be asked alone. Its tail starts where it stops being the prefix; a question whose
first letters join the prefix's last token sees that much less of the prefix.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from physgauge.ensemble.judge.engines.asking import prompt_text, question_text
from physgauge.errors import ConfigError

Kind = Literal["yes_no", "text"]
Said = tuple[str, ...]
"""Texts of examples."""
CACHED: Final = 4096
"""Tails kept: the same questions are asked about every image."""


@dataclass(frozen=True, slots=True)
class ImageMark:
    """How a model's prompt holds its image."""

    token: str
    """What the chat template writes for an image."""
    before: str = ""
    after: str = ""
    """Text that the processor puts around it."""


@dataclass(frozen=True, slots=True)
class Prefix:
    """What all questions of a session share."""

    ids: tuple[int, ...]
    """With the image's mark as one token, where there is an image."""
    image_at: int | None
    """Index of that token."""
    before_at: tuple[int, ...] = ()
    """The same of the examples before the image."""


@dataclass(frozen=True, slots=True)
class Tail:
    """What is a question's own."""

    ids: tuple[int, ...]
    sees: int
    """Tokens of the prefix in front of it (the image as one)."""


class Prompts:
    """The chat template and the tokenizer of one model.

    Args:
        tokenizer: of transformers, with a chat template.
        mark: how prompts hold images.
        layout: what comes first.
        where: names the model in errors.

    Raises:
        ConfigError: there is no chat template, or it does not write the mark once.
    """

    def __init__(self, tokenizer: Any, mark: ImageMark, layout: str, where: str) -> None:
        self._tokenizer, self._mark = tokenizer, mark
        self._image_first = layout == "image_first"
        self._special = sorted(
            {str(t) for t in tokenizer.all_special_tokens} | {mark.token}
            | {t.content for t in tokenizer.added_tokens_decoder.values() if t.special},
            key=len, reverse=True,
        )  # fmt: skip
        self._mark_id = tokenizer.convert_tokens_to_ids(mark.token)
        self._prefixes: OrderedDict[tuple[str, bool, Said], Prefix] = OrderedDict()
        self._tails: OrderedDict[tuple[str, bool, str, Kind, Said], Tail] = OrderedDict()
        if not tokenizer.chat_template:
            raise ConfigError(f"{where}: tokenizer: expected a chat template, got none")
        count = self.written("p", "q", True, "text").count(mark.token)
        if count != 1:
            raise ConfigError(
                f"{where}: chat template: expected {mark.token!r} once for an image, "
                f"got it {count} times"
            )

    def written(self, preamble: str, text: str, image: bool, kind: Kind, said: Said = ()) -> str:
        """A whole prompt, up to where the model's answer starts.

        Args:
            preamble: shared by all questions.
            text: the question's own.
            image: whether there is one.
            kind: how it is answered.
            said: what stands behind each example's picture, before the image.
        """
        preamble, text = self.plain(preamble.strip()), self.plain(text.strip())
        if kind == "yes_no":
            text = question_text(text)
        picture = [
            part
            for one in said
            for part in ({"type": "image"}, {"type": "text", "text": f"{self.plain(one)}\n\n"})
        ]
        picture += [{"type": "image"}] if image else []
        if self._image_first or not image:
            parts = [*picture, {"type": "text", "text": prompt_text(preamble, text)}]
        else:
            first = [{"type": "text", "text": f"{preamble}\n\n"}] if preamble else []
            parts = [*first, *picture, {"type": "text", "text": text}]
        made: str = self._tokenizer.apply_chat_template(
            [{"role": "user", "content": parts}], tokenize=False, add_generation_prompt=True
        )
        mark = self._mark
        return made.replace(mark.token, mark.before + mark.token + mark.after) if image else made

    def plain(self, text: str) -> str:
        """Text in which nothing is read as a token of the template: "<|im_end|>" gets a space inside.

        What comes from captions or from a model's own words can so neither end the turn nor be an
        image."""
        for token in self._special:
            if token in text:
                text = text.replace(token, f"{token[:1]} {token[1:]}")
        return text

    def tokens(self, written: str) -> list[int]:
        """Token ids of a written prompt."""
        ids: list[int] = self._tokenizer(written, add_special_tokens=False)["input_ids"]
        return ids

    def prefix(self, preamble: str, image: bool, said: Said = ()) -> Prefix:
        """What the yes/no questions of a session have in common; a text's tail starts before the demand
        for one word."""
        key = (preamble, image, said)
        if key not in self._prefixes:
            some = [
                self.tokens(self.written(preamble, t, image, "yes_no", said))
                for t in ("Is", "a", "7")
            ]
            ids = _common(some)
            marks = [k for k, token in enumerate(ids) if image and token == self._mark_id]
            at = marks.pop() if image else None
            _keep(self._prefixes, key, Prefix(tuple(ids), at, tuple(marks)))
        return self._prefixes[key]

    def tail(self, preamble: str, image: bool, text: str, kind: Kind, said: Said = ()) -> Tail:
        """What one prompt has of its own."""
        key = (preamble, image, text, kind, said)
        if key not in self._tails:
            ids = self.tokens(self.written(preamble, text, image, kind, said))
            # At least one token is its own: the answer is read at the last one.
            shared = list(self.prefix(preamble, image, said).ids)
            sees = min(len(_common([ids, shared])), len(ids) - 1)
            _keep(self._tails, key, Tail(tuple(ids[sees:]), sees))
        self._tails.move_to_end(key)
        return self._tails[key]


def _common(some: Sequence[Sequence[int]]) -> list[int]:
    first, *others = some
    for i, token in enumerate(first):
        if any(len(ids) <= i or ids[i] != token for ids in others):
            return list(first[:i])
    return list(first)


def _keep(cache: OrderedDict[Any, Any], key: Any, value: Any) -> None:
    cache[key] = value
    while len(cache) > CACHED:
        cache.popitem(last=False)
