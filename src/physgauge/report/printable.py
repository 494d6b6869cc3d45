"""Text of others (names, captions, packs) on a terminal: nothing in it may steer the terminal."""

from __future__ import annotations


def printable(text: str, *, lines: bool = False) -> str:
    """With control and other invisible characters written as escapes (``\\x1b``).

    Args:
        text: any.
        lines: whether line breaks stay.
    """
    if text.isprintable():
        return text
    return "".join(
        c if c.isprintable() or (lines and c == "\n") else c.encode("unicode_escape").decode()
        for c in text
    )
