"""Object stores that answer late, wrongly or not at all."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable, Iterator

import pytest

from physgauge.clients.storage import Missing, open_store
from physgauge.clients.storage import objects as objects_module
from physgauge.clients.storage import retry as retry_module
from physgauge.clients.storage.objects import ObjectStore
from physgauge.clients.storage.store import Listed
from physgauge.errors import EnvironmentProblem
from tests.storage.s3 import S3, s3, s3_shared

__all__ = ["s3", "s3_shared"]


@pytest.fixture
def store(s3: S3, monkeypatch: pytest.MonkeyPatch) -> ObjectStore:
    monkeypatch.setattr(retry_module, "FIRST_WAIT_S", 0.01)
    made = open_store(f"s3://runs/{secrets.token_hex(4)}")
    assert isinstance(made, ObjectStore)
    made.replace("there", b"0123")
    return made


def first(
    count: int, fault: str, methods: str = "PUT GET HEAD POST"
) -> Callable[[str, str], str | None]:
    left = [count]

    def decide(method: str, path: str) -> str | None:
        if left[0] > 0 and method in methods:
            left[0] -= 1
            return fault
        return None

    return decide


@pytest.mark.parametrize("fault", ["500", "503", "429", "500 after", "cut after"])
def test_faults_that_pass_are_not_seen(s3: S3, store: ObjectStore, fault: str) -> None:
    for act, after in (
        (lambda: store.create("new", b"mine"), True),
        (lambda: store.create("there", b"other"), False),
        (lambda: store.get("there"), b"0123"),
        (lambda: store.read_range("there", 1, 3), b"12"),
        (lambda: [one.key for one in store.list("")], ["new", "there"]),
        (lambda: store.replace("over", b"2"), None),
        (lambda: store.delete("over"), None),
        (lambda: store.stat("over"), None),
    ):
        s3.fault = first(3, fault)
        assert act() == after
    assert store.get("new") == b"mine"
    assert sum(fault is not None for _, _, fault in s3.seen) == 24


@pytest.mark.parametrize("fault", ["500 after", "cut after"])
def test_a_put_whose_answer_was_lost_is_ours_or_is_not(
    s3: S3, store: ObjectStore, fault: str
) -> None:
    """The object is there either way; whose it is decides whether this worker's rows count."""
    s3.fault = first(1, fault, "PUT")
    assert store.create("won", b"attempt 1")
    assert store.get("won") == b"attempt 1"

    def somebody_else(method: str, path: str) -> str | None:
        s3.fault = lambda method, path: None
        threading.Thread(target=lambda: store.create("lost", b"attempt 3"), daemon=True).start()
        return "500"

    s3.fault = somebody_else
    mine = store.create("lost", b"attempt 2")
    assert (store.get("lost") == b"attempt 2") is mine


def test_a_conflict_that_comes_to_nothing_is_tried_again(s3: S3, store: ObjectStore) -> None:
    """S3 answers 409 to one of two puts under way, and the other one may fail."""
    s3.fault = first(2, "409", "PUT")
    assert store.create("k", b"1")
    assert store.get("k") == b"1"


def test_a_claim_that_is_given_back_meanwhile_is_free(
    store: ObjectStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It goes between the put that it refuses and the look at whose it is."""
    store.create("claim", b"theirs")
    stat = store.stat

    def given_back(key: str) -> Listed | None:
        there = stat(key)
        store.delete(key)
        monkeypatch.undo()
        return there

    monkeypatch.setattr(store, "stat", given_back)
    assert store.create("claim", b"mine 6")
    assert store.get("claim") == b"mine 6"


def test_asking_ends(s3: S3, store: ObjectStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retry_module, "GIVE_UP_S", 0.3)
    store = ObjectStore("s3", "runs", store.address.rpartition("/")[2])
    s3.fault = lambda method, path: "503"
    with pytest.raises(EnvironmentProblem, match=r"there: cannot be read; asked for .* 503"):
        store.get("there")
    with pytest.raises(EnvironmentProblem, match=r"new: cannot be written; asked for .* 503"):
        store.create("new", b"1")


def test_refusals_are_said_at_once(s3: S3, store: ObjectStore) -> None:
    s3.fault = lambda method, path: "403"
    with pytest.raises(EnvironmentProblem, match=r"there: cannot be read \(.*403"):
        store.get("there")
    s3.fault = lambda method, path: "400"
    with pytest.raises(EnvironmentProblem, match=r"new: cannot be written \(.*400"):
        store.create("new", b"1")
    assert len([method for method, _, fault in s3.seen if fault is not None]) == 2
    s3.fault = lambda method, path: None
    with pytest.raises(EnvironmentProblem, match="s3://nowhere: there is no such bucket"):
        open_store("s3://nowhere").get("x")


def test_nobody_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """An endpoint that never answered is given up on sooner."""
    monkeypatch.setattr(objects_module, "FIRST_S", 0.3)
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "a")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "b")
    with pytest.raises(EnvironmentProblem, match=r"s3://runs/x/k: cannot be read; .*error sending"):
        open_store("s3://runs/x").get("k")
    monkeypatch.delenv("AZURE_STORAGE_ACCOUNT_NAME", raising=False)
    with pytest.raises(EnvironmentProblem, match=r"az://c/x: .*Account must be specified"):
        open_store("az://c/x")


def test_a_store_that_overwrites_is_refused(s3: S3, monkeypatch: pytest.MonkeyPatch) -> None:
    """Some servers that speak S3 don't know the condition: two workers could commit one unit."""
    plain = s3._app

    def forgetful(environ: dict[str, object], start: object) -> Iterator[bytes]:
        environ.pop("HTTP_IF_NONE_MATCH", None)
        return plain(environ, start)  # type: ignore[no-any-return]

    monkeypatch.setattr(s3, "_app", forgetful)
    with pytest.raises(EnvironmentProblem, match="overwrites where it was asked to create"):
        open_store("s3://runs/forgetful").make()
    monkeypatch.undo()
    assert list(open_store("s3://runs/forgetful").list("")) == []


def test_what_is_missing_is_not_asked_for_again(s3: S3, store: ObjectStore) -> None:
    s3.seen.clear()
    with pytest.raises(Missing):
        store.get("nothing")
    assert len(s3.seen) == 1
