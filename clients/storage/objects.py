"""Object stores, through obstore: S3 and what speaks like it, Google Cloud Storage, Azure, memory.

The only file that imports obstore.
"""

from __future__ import annotations

import io
import os
import re
import secrets
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, Final, TypeVar

from physgauge.clients.storage.ranges import RangeFile
from physgauge.clients.storage.retry import GIVE_UP_S, Retry, Transient
from physgauge.clients.storage.store import Listed, Missing
from physgauge.errors import EnvironmentProblem

T = TypeVar("T")
WHOLE: Final = 8 * 2**20
"""Bytes up to which an object that is opened is fetched at once: a request costs more than they do."""
FIRST_S: Final = 20.0
"""Seconds for the first answer: an endpoint that never answered is a wrong one, more likely."""
_STATUS: Final = re.compile(r"status code: (\d{3})")
_MEMORY: Final[dict[str, Any]] = {}
_ENDPOINTS: Final = {
    "s3": ("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL", "AWS_ENDPOINT"),
    "gs": ("GOOGLE_BASE_URL",),
    "az": ("AZURE_STORAGE_ENDPOINT", "AZURE_ENDPOINT"),
}


def _obstore() -> Any:
    try:
        import obstore
        import obstore.exceptions
        import obstore.store
    except ImportError:
        raise EnvironmentProblem(
            "object stores (s3://, gs://, az://) need obstore: pip install 'physgauge[bulk]'"
        ) from None
    return obstore


class ObjectStore:
    """Objects of a bucket below a prefix; see :class:`physgauge.clients.storage.store.Store`.

    Retries are ours, not obstore's: only so is it known that an answer was doubtful. What is created is
    put with the condition that nothing is there (``If-None-Match: *``); whenever the answer is "exists
    already" the object is read back, since an earlier try of ours may have landed.
    """

    def __init__(self, scheme: str, bucket: str, prefix: str) -> None:
        self._obs = _obstore()
        self.owner = "x"
        self.address = f"{scheme}://{bucket}" + (f"/{prefix}" if prefix else "")
        self._retry = Retry(first_s=FIRST_S)
        self._below = f"{prefix}/" if prefix else ""
        self._store = self._made(scheme, bucket)

    def _made(self, scheme: str, bucket: str) -> Any:
        stores = self._obs.store
        if scheme == "memory":  # the same name is the same store throughout a process
            return _MEMORY.setdefault(bucket, stores.MemoryStore())
        endpoint = next((v for n in _ENDPOINTS[scheme] if (v := os.environ.get(n))), "")
        kind = {"s3": stores.S3Store, "gs": stores.GCSStore, "az": stores.AzureStore}[scheme]
        try:
            return kind(
                bucket,
                client_options={"allow_http": endpoint.startswith("http://"), "timeout": "60s"},
                retry_config={"max_retries": 0},
            )
        except self._obs.exceptions.BaseError as error:
            raise EnvironmentProblem(f"{self.address}: {_first_line(error)}") from None

    def where(self, key: str) -> str:
        """See Store."""
        return f"{self.address}/{key}" if key else self.address

    def make(self) -> None:
        """See Store. Makes sure that the store holds to the condition of a put: one that doesn't would
        let two workers commit the same unit."""
        key = f"attempts/probe.{secrets.token_hex(8)}"
        try:
            if not self.create(key, b"1") or self.create(key, b"2"):
                raise EnvironmentProblem(
                    f"{self.address}: this store overwrites where it was asked to create "
                    "(it ignores If-None-Match): a run can't be kept exact on it"
                )
        finally:
            self.delete(key)

    def get(self, key: str) -> bytes:
        """See Store."""
        return self._asked(
            key, "read", lambda: bytes(self._obs.get(self._store, self._below + key).bytes())
        )

    def read_range(self, key: str, start: int, end: int) -> bytes:
        """See Store."""
        if end <= start:
            return b""
        path = self._below + key

        def read() -> bytes:
            try:
                return bytes(self._obs.get_range(self._store, path, start=start, end=end))
            except self._obs.exceptions.BaseError as error:
                if _status(error) == 416 or _beyond(error):
                    return b""  # it begins behind the object's end
                raise

        return self._asked(key, "read", read)

    def open(self, key: str) -> BinaryIO:
        """See Store."""
        found = self.stat(key)
        if found is None:
            raise Missing(self.where(key))
        if found.size <= WHOLE:
            return io.BytesIO(self.get(key))
        read = RangeFile(lambda a, b: self.read_range(key, a, b), found.size)
        return io.BufferedReader(read, buffer_size=2**20)

    def create(self, key: str, data: bytes | Path, durable: bool = True) -> bool:
        """See Store. Always durable."""
        content = data if isinstance(data, bytes) else data.read_bytes()
        try:
            return self._asked(key, "written", lambda: self._create(key, content))
        finally:
            if isinstance(data, Path):
                data.unlink(missing_ok=True)

    def _create(self, key: str, content: bytes) -> bool:
        try:
            self._obs.put(self._store, self._below + key, content, mode="create")
        except self._obs.exceptions.AlreadyExistsError:
            try:
                there = self.stat(key)
                if there is None:
                    raise Missing(self.where(key))
                return there.size == len(content) and self.get(key) == content
            except (
                Missing
            ):  # 409: a put that came to nothing, or what was there has been taken away
                raise Transient("another object was there, and has gone") from None
        return True

    def replace(self, key: str, data: bytes) -> None:
        """See Store."""
        path = self._below + key
        self._asked(key, "written", lambda: self._obs.put(self._store, path, data))

    def delete(self, key: str) -> None:
        """See Store."""

        def drop() -> None:
            try:
                self._obs.delete(self._store, self._below + key)
            except FileNotFoundError:
                return

        self._asked(key, "deleted", drop)

    def list(self, prefix: str) -> Iterator[Listed]:
        """See Store."""
        folder, _, name = prefix.rpartition("/")
        # obstore's own prefixes end at a slash: the rest of ours bounds the keys from both sides.
        after = prefix[:-1] if name else ""
        while True:
            page = self._asked(folder, "listed", partial(self._page, folder, after))
            for one in page:
                if one.key.startswith(prefix):
                    yield one
                elif one.key > prefix:
                    return
            if not page:
                return
            after = page[-1].key

    def _page(self, folder: str, after: str) -> Sequence[Listed]:
        found = self._obs.list(
            self._store,
            self._below + folder or None,
            offset=self._below + after if after else None,
            chunk_size=1000,
        )
        return [self._listed(one) for one in next(iter(found), [])]

    def stat(self, key: str) -> Listed | None:
        """See Store."""
        path = self._below + key
        try:
            return self._asked(key, "read", lambda: self._listed(self._obs.head(self._store, path)))
        except Missing:
            return None

    def scratch(self, owner: str) -> None:
        """See Store."""
        return

    def _listed(self, one: Any) -> Listed:
        version = one.get("e_tag") or one.get("version") or str(one["last_modified"])
        key = one["path"].removeprefix(self._below)
        return Listed(key, int(one["size"]), str(version))

    def _asked(self, key: str, done: str, ask: Callable[[], T]) -> T:
        """Ask until there is an answer that further asking won't change."""

        def once() -> T:
            try:
                return ask()
            except FileNotFoundError as error:
                if "NoSuchBucket" in str(error) or "ContainerNotFound" in str(error):
                    raise EnvironmentProblem(f"{self.address}: there is no such bucket") from None
                raise Missing(self.where(key)) from None
            except (self._obs.exceptions.BaseError, OSError) as error:
                if _lasting(error):
                    raise EnvironmentProblem(
                        f"{self.where(key)}: cannot be {done} ({_first_line(error)})"
                    ) from None
                raise Transient(_first_line(error)) from None

        try:
            return self._retry(once)
        except Transient as error:
            raise EnvironmentProblem(
                f"{self.where(key)}: cannot be {done}; asked for {GIVE_UP_S:.0f} s, last: {error}"
            ) from None


def _status(error: Exception) -> int | None:
    found = _STATUS.search(str(error))
    return None if found is None else int(found[1])


def _lasting(error: Exception) -> bool:
    """Whether asking again won't help: a refusal, not a fault or a jam."""
    status = _status(error)
    if status is not None:
        return 400 <= status < 500 and status not in (408, 409, 425, 429)
    return type(error).__name__ not in ("GenericError", "AlreadyExistsError", "TimeoutError")


def _beyond(error: Exception) -> bool:
    return "range starting at" in str(error)


def _first_line(error: Exception) -> str:
    """What it says before obstore's debug output, without the time that differs from call to call."""
    line = str(error).splitlines()[0] if str(error) else type(error).__name__
    return re.sub(r" in [\d.]+\s?[mµn]?s\b", "", line).rstrip(": ")[:400]
