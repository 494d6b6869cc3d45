"""Who calls: by token, by certificate, or, where neither is asked for, anybody on this machine.

A token file has a line for each token, `NAME TOKEN`; `#` begins a comment. NAME is what metrics and
logs say, and whose share an image takes; two lines may have one name (to change a token without a
pause). TOKEN is at least 16 visible ASCII characters, or `sha256:` and the hex digest of them.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from physgauge.errors import ConfigError

HEADER: Final = "authorization"
_SCHEME: Final = "bearer "
Metadata = Iterable[tuple[str, str | bytes]] | None
"""Of a call."""
LOCAL: Final = "local"
"""The client where nobody is asked who he is."""
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_DIGEST: Final = re.compile(r"sha256:([0-9a-f]{64})")
_LEAST_CHARS: Final = 16
_MOST_CHARS: Final = 1024


class Denied(Exception):
    """The caller may not come in; the message says what was expected and nothing of what is known.

    Args:
        reason: for metrics, a word.
        message: for the caller.
    """

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Caller:
    """Somebody who was let in."""

    name: str
    digest: bytes | None = None
    """SHA-256 of the token he came with."""


class Access:
    """The door.

    Args:
        tokens: the token file; None = nobody needs one.
        mutual: whether TLS has asked for a certificate.

    Raises:
        ConfigError: the file cannot be read, or has a wrong line; says which.
    """

    def __init__(self, tokens: Path | None, mutual: bool = False) -> None:
        self._path, self._mutual = tokens, mutual
        self._names: dict[bytes, str] = {}
        self.reload()

    def reload(self) -> None:
        """Read the token file again; after an error, what was known stays.

        Raises:
            ConfigError: as above.
        """
        if self._path is not None:
            self._names = read_tokens(self._path)

    @property
    def names(self) -> tuple[str, ...]:
        """The clients that have a token."""
        return tuple(sorted(set(self._names.values())))

    def caller(self, metadata: Metadata, certificate: Mapping[str, Iterable[bytes]]) -> Caller:
        """Who it is.

        Args:
            metadata: of the call.
            certificate: gRPC's auth context.

        Raises:
            Denied: no token or a wrong one, or no certificate.
        """
        if self._path is None:
            return Caller(_name_in(certificate) if self._mutual else LOCAL)
        return self.by_token(metadata)

    def by_token(self, metadata: Metadata) -> Caller:
        """Who it is by his token alone; anybody where none is asked for.

        Raises:
            Denied: no token, or a wrong one.
        """
        if self._path is None:
            return Caller(LOCAL)
        token = _token(metadata)
        if token is None:
            raise Denied("no_token", f"{HEADER}: expected `Bearer TOKEN`, got none")
        return self._known(hashlib.sha256(token.encode("utf-8", "replace")).digest())

    def knows(self, caller: Caller) -> bool:
        """Whether he would still be let in."""
        if self._path is None or caller.digest is None:
            return True
        return self._names.get(caller.digest) == caller.name

    def _known(self, digest: bytes) -> Caller:
        # All of them, whichever it is: how long it takes says nothing.
        found = [name for known, name in self._names.items() if hmac.compare_digest(known, digest)]
        if not found:
            raise Denied("wrong_token", f"{HEADER}: expected a token that is known, got another")
        return Caller(found[0], digest)


def read_tokens(path: Path) -> dict[bytes, str]:
    """Names by the SHA-256 of their tokens.

    Raises:
        ConfigError: says the line, never what it holds.
    """
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"--token-file {path}: cannot be read ({error})") from None
    found: dict[bytes, str] = {}
    for number, line in enumerate(text.splitlines(), 1):
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        where = f"--token-file {path}, line {number}"
        if len(words) != 2:
            raise ConfigError(f"{where}: expected NAME TOKEN, got {len(words)} words")
        name, token = words
        if not _NAME.fullmatch(name):
            raise ConfigError(
                f"{where}: expected a name of up to 64 letters, digits and . _ -, got another"
            )
        digest = _digest(token, where)
        if digest in found:
            raise ConfigError(f"{where}: expected another token than that of {found[digest]}")
        found[digest] = name
    if not found:
        raise ConfigError(f"--token-file {path}: expected at least one line NAME TOKEN, got none")
    return found


def _digest(token: str, where: str) -> bytes:
    if digest := _DIGEST.fullmatch(token):
        return bytes.fromhex(digest[1])
    if token.startswith("sha256:"):
        raise ConfigError(f"{where}: expected 64 hex digits after sha256:, got others")
    if not _LEAST_CHARS <= len(token) <= _MOST_CHARS or not (
        token.isascii() and token.isprintable()
    ):
        raise ConfigError(
            f"{where}: expected {_LEAST_CHARS} to {_MOST_CHARS} visible ASCII characters for a token, "
            f"got {len(token)}"
        )
    return hashlib.sha256(token.encode()).digest()


def _token(metadata: Metadata) -> str | None:
    given = [value for key, value in metadata or () if key == HEADER]
    if len(given) != 1 or not isinstance(given[0], str):
        return None
    value = given[0]
    if value[: len(_SCHEME)].lower() != _SCHEME:
        return None
    return value[len(_SCHEME) :].strip()


def _name_in(certificate: Mapping[str, Iterable[bytes]]) -> str:
    """The name in a certificate, which TLS has checked already."""
    for field in ("x509_common_name", "x509_subject_alternative_name", "x509_pem_cert"):
        for value in certificate.get(field, ()):
            name = bytes(value).decode("utf-8", "replace")
            # Names are labels of metrics: what could not be in a token file is no name here either.
            return name if _NAME.fullmatch(name) else f"x-{hashlib.sha256(value).hexdigest()[:12]}"
    raise Denied("no_certificate", "TLS: expected a certificate, got none")
