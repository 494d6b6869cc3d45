"""Who gets in, and what gRPC itself keeps out."""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import socket
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc

from physgauge.clients import Tls as CallersTls
from physgauge.errors import ConfigError
from physgauge.gateway.access import Access, Caller, Denied, read_tokens
from physgauge.gateway.client import GatewayClient
from physgauge.gateway.door import MOST_CALLS
from physgauge.gateway.settings import Backend, GatewaySettings, Limits, Shares, Tls
from physgauge.v1 import gateway_pb2 as v1
from tests.gateway.http2 import DATA, GOAWAY, HEADERS, PING, RST_STREAM, frame
from tests.gateway.http2 import Caller as Http2
from tests.gateway.running import (
    SCORE,
    STREAM,
    Raw,
    bearer,
    channel,
    client,
    item,
    running,
    status_of,
    until,
    with_tokens,
)
from tests.serving.test_supervise import certificate

A, B = "0123456789abcdef-a", "0123456789abcdef-b"
TOKENS = f"# of the tests\nalice {A}\n\nbob sha256:{hashlib.sha256(B.encode()).hexdigest()}\n"
REQUEST = v1.ScoreRequest(item=item()).SerializeToString()


def go(test: Coroutine[Any, Any, None]) -> None:
    asyncio.run(asyncio.wait_for(test, 60))


def test_only_who_has_a_token_gets_in() -> None:
    async def test() -> None:
        async with with_tokens(TOKENS) as here, channel(here) as made:
            score = made.unary_unary(SCORE)
            for wrong, says in (
                (None, "expected `Bearer TOKEN`, got none"),
                ((("authorization", A),), "expected `Bearer TOKEN`, got none"),
                ((("authorization", f"Basic {A}"),), "expected `Bearer TOKEN`, got none"),
                ((*bearer(A), *bearer(A)), "expected `Bearer TOKEN`, got none"),
                (bearer(""), "expected a token that is known, got another"),
                (bearer(A[:-1]), "expected a token that is known, got another"),
                (bearer("sha256:" + hashlib.sha256(B.encode()).hexdigest()), "expected a token"),
            ):
                code, said = await status_of(score(REQUEST, metadata=wrong, timeout=5))
                assert (code, says in said) == (grpc.StatusCode.UNAUTHENTICATED, True), said
                assert A not in said
                raw = Raw(made, wrong)
                assert (await raw.status())[0] is grpc.StatusCode.UNAUTHENTICATED
            assert here.number("denied_total", reason="no_token") == 8
            assert here.number("denied_total", reason="wrong_token") == 6
            assert not here.responder.images
            for token, name in ((A, "alice"), (B, "bob")):
                raw = Raw(made, bearer(token))
                assert (await raw.hello()).client == name
                await raw.send(item())
                assert (await raw.answer()).HasField("row")
                assert here.number("images_total", client=name, outcome="row") == 1
                raw.call.cancel()

    go(test())


def test_tokens_change_while_it_runs() -> None:
    async def test() -> None:
        async with with_tokens(TOKENS) as here, channel(here) as made:
            path = here.gateway.settings.tokens
            assert path is not None
            alice, bob = Raw(made, bearer(A)), Raw(made, bearer(B))
            await alice.hello()
            await bob.hello()
            path.write_text("not a line that is one\n", encoding="ascii")
            here.gateway.reread()
            await asyncio.sleep(0.05)
            await bob.send(item("still"))
            assert (await bob.answer()).HasField("row")
            path.write_text(f"alice {A}\ncarol {B[::-1]}\n", encoding="ascii")
            here.gateway.reread()
            code, said = await bob.status()
            assert (code, "got one that is not any more" in said) == (
                grpc.StatusCode.UNAUTHENTICATED,
                True,
            )
            await alice.send(item("goes on"))
            assert (await alice.answer()).HasField("row")
            async with client(here, B[::-1]) as carol:
                assert (await carol.score(item())).HasField("row")

    go(test())


def test_lines_of_a_token_file(tmp_path: Path) -> None:
    path = tmp_path / "tokens"

    def read(text: str) -> dict[bytes, str]:
        path.write_text(text, encoding="utf-8")
        return read_tokens(path)

    assert sorted(read(TOKENS).values()) == ["alice", "bob"]
    assert list(read(f"alice {A}\nalice {B}\n").values()) == ["alice", "alice"]
    for text, says in (
        ("", "at least one line NAME TOKEN, got none"),
        (f"alice {A}\nbob\n", "line 2: expected NAME TOKEN, got 1 words"),
        (f"alice {A} more\n", "line 1: expected NAME TOKEN, got 3 words"),
        (f"al/ice {A}\n", "line 1: expected a name of up to 64 letters"),
        ("alice short\n", "line 1: expected 16 to 1024"),
        ("alice häßlicheundlangeworte\n", "visible ASCII"),
        ("alice sha256:abc\n", "expected 64 hex digits"),
        (f"alice {A}\nbob {A}\n", "line 2: expected another token than that of alice"),
    ):
        with pytest.raises(ConfigError, match="--token-file") as caught:
            read(text)
        assert says in str(caught.value)
        assert A not in str(caught.value)
    with pytest.raises(ConfigError, match="cannot be read"):
        read_tokens(tmp_path / "none")


def test_who_comes_with_a_certificate_has_its_name() -> None:
    access = Access(None, mutual=True)
    assert access.caller((), {"x509_common_name": [b"node-7"]}) == Caller("node-7")
    odd = access.caller((), {"x509_common_name": [b'a"} 1\n']}).name
    assert odd.startswith("x-")
    assert len(odd) == 14
    by_name = access.caller((), {"x509_subject_alternative_name": [b"n8.example"]})
    assert by_name == Caller("n8.example")
    with pytest.raises(Denied):
        access.caller((), {})


def test_tls_and_mutual_tls(tmp_path: Path) -> None:
    for name, ca in (("ca", None), ("server", None), ("node-7", "ca"), ("other", None)):
        certificate(tmp_path, name, ca)

    def pem(name: str) -> Path:
        return tmp_path / f"{name}.pem"

    def caller(port: int, name: str | None, token: str | None = None) -> GatewayClient:
        own, key = (None, None) if name is None else (pem(name), tmp_path / f"{name}.key")
        tls = CallersTls(pem("server"), own, key, "localhost")
        return GatewayClient(f"127.0.0.1:{port}", token=token, tls=tls)

    async def test() -> None:
        tls = Tls(pem("server"), tmp_path / "server.key", pem("ca"))
        async with with_tokens(TOKENS, tls=tls) as here:
            port = here.gateway.port
            async with caller(port, "node-7", A) as good:
                assert (await good.score(item())).HasField("row")
            async with caller(port, "node-7") as no_token:
                code, _ = await status_of(no_token.score(item()))
                assert code is grpc.StatusCode.UNAUTHENTICATED
            for stranger in (None, "other"):
                async with caller(port, stranger, A) as bad:
                    code, _ = await status_of(bad.score(item(), 3))
                    assert code is grpc.StatusCode.UNAVAILABLE
            async with client(here, A) as plaintext:
                code, _ = await status_of(plaintext.score(item(), 3))
                assert code is grpc.StatusCode.UNAVAILABLE
            assert here.responder.images == ["a"]
        async with running(tls=tls) as here, caller(here.gateway.port, "node-7") as good:
            answers = good.stream([item()])
            assert (await anext(answers)).HasField("row")
            assert here.number("images_total", client="node-7", outcome="row") == 1
            await answers.aclose()

    go(test())


def test_certificates_are_renewed_while_it_runs(tmp_path: Path) -> None:
    for name in ("server", "new"):
        certificate(tmp_path, name)
    old = (tmp_path / "server.pem").read_bytes()
    (tmp_path / "old.pem").write_bytes(old)

    async def test() -> None:
        tls = Tls(tmp_path / "server.pem", tmp_path / "server.key")
        async with running(tls=tls) as here:

            async def ask(trusting: str) -> Any:
                trusted = CallersTls(tmp_path / f"{trusting}.pem", name="localhost")
                async with GatewayClient(f"127.0.0.1:{here.gateway.port}", tls=trusted) as caller:
                    return await caller.score(item(), 3)

            assert (await ask("old")).HasField("row")
            assert (await status_of(ask("new")))[0] is grpc.StatusCode.UNAVAILABLE
            (tmp_path / "server.pem").write_text("half a file", encoding="ascii")
            assert (await ask("old")).HasField("row")
            for kind in ("key", "pem"):
                (tmp_path / f"new.{kind}").rename(tmp_path / f"server.{kind}")
            (tmp_path / "new.pem").write_bytes((tmp_path / "server.pem").read_bytes())
            assert (await ask("new")).HasField("row")
            assert (await status_of(ask("old")))[0] is grpc.StatusCode.UNAVAILABLE

    go(test())


def test_an_open_door_must_be_asked_for(tmp_path: Path) -> None:
    here = Path(__file__)
    tls = Tls(here, here)
    for wrong, says in (
        ({}, r"expected TLS \(--tls-cert"),
        ({"tokens": here}, r"expected TLS \(--tls-cert"),  # a token in plain text is everybody's
        ({"tls": tls}, r"to know who calls \(--token-file or --tls-client-ca\)"),
    ):
        for host in ("0.0.0.0", "::", "192.0.2.7", "node"):
            with pytest.raises(ConfigError, match=says):
                GatewaySettings(host=host, **wrong).checked()
        GatewaySettings(host="0.0.0.0", insecure=True, **wrong).checked()
        GatewaySettings(host="127.0.0.1", **wrong).checked()
    GatewaySettings(host="0.0.0.0", tls=tls, tokens=here).checked()
    GatewaySettings(host="0.0.0.0", tls=Tls(here, here, here)).checked()
    with pytest.raises(ConfigError, match="expected a file"):
        GatewaySettings(tls=Tls(here, tmp_path / "none")).checked()
    two = Backend(("a:1", "b:2"), status=("a:3",))
    with pytest.raises(ConfigError, match="one address for each of --server"):
        GatewaySettings(backend=two).checked()


def test_health_needs_no_token_and_reflection_does() -> None:
    async def test() -> None:
        async with with_tokens(TOKENS) as here, channel(here) as made:
            check = health_pb2_grpc.HealthStub(made).Check
            for name in ("", "physgauge.v1.Gateway"):
                answer = await check(health_pb2.HealthCheckRequest(service=name))
                assert answer.status == health_pb2.HealthCheckResponse.SERVING
            code, _ = await status_of(check(health_pb2.HealthCheckRequest(service="other")))
            assert code is grpc.StatusCode.NOT_FOUND
            ask = reflection_pb2_grpc.ServerReflectionStub(made).ServerReflectionInfo
            listing = reflection_pb2.ServerReflectionRequest(list_services="")

            async def services(metadata: Any) -> Any:
                call = ask(iter([listing]), metadata=metadata)
                return [s.name async for r in call for s in r.list_services_response.service]

            assert "physgauge.v1.Gateway" in await services(bearer(A))
            code, _ = await status_of(services(None))
            assert code is grpc.StatusCode.UNAUTHENTICATED

    go(test())


def test_calls_beside_the_service_are_bounded() -> None:
    async def test() -> None:
        async with running() as here, channel(here) as made, channel(here) as another:
            watch = health_pb2_grpc.HealthStub(made).Watch
            calls = [watch(health_pb2.HealthCheckRequest()) for _ in range(MOST_CALLS)]
            for call in calls:
                await call.read()
            over = health_pb2_grpc.HealthStub(another).Watch(health_pb2.HealthCheckRequest())
            code, _ = await status_of(over.read())
            assert code is grpc.StatusCode.RESOURCE_EXHAUSTED
            async with client(here) as caller:
                assert (await caller.score(item())).HasField("row")
            for call in calls:
                call.cancel()

    go(test())


def test_streams_are_bounded_by_client_and_in_all() -> None:
    async def test() -> None:
        shares = Shares(streams=3, streams_per_client=2)
        tokens = f"{TOKENS}carol {A}{B}\n"
        async with with_tokens(tokens, shares=shares) as here, channel(here) as made:
            opened = [Raw(made, bearer(A)) for _ in range(2)]
            for raw in opened:
                await raw.hello()
            code, said = await Raw(made, bearer(A)).status()
            assert (code, "at most 2 streams of this client" in said) == (
                grpc.StatusCode.RESOURCE_EXHAUSTED,
                True,
            )
            await Raw(made, bearer(B)).hello()
            code, said = await Raw(made, bearer(A + B)).status()
            assert (code, "at most 3 streams open" in said) == (
                grpc.StatusCode.RESOURCE_EXHAUSTED,
                True,
            )
            opened[0].call.cancel()
            await until(lambda: here.number("streams", client="alice") == 1, "one has gone")
            await Raw(made, bearer(A)).hello()

    go(test())


def test_calls_of_score_are_bounded_by_client() -> None:
    async def test() -> None:
        shares = Shares(places=1, queue=3, share=0.5)
        async with with_tokens(TOKENS, shares=shares) as here:
            here.responder.open.clear()
            async with client(here, A) as alice, client(here, B) as bob:
                calls = [asyncio.create_task(alice.score(item(str(n)))) for n in range(2)]
                await until(lambda: here.number("in_hand", client="alice") == 2, "both in hand")
                code, said = await status_of(alice.score(item("one more")))
                assert code is grpc.StatusCode.RESOURCE_EXHAUSTED
                assert "physgauge [overloaded] expected at most 2 calls of this client open" in said
                calls.append(asyncio.create_task(bob.score(item("his"))))
                await until(lambda: here.number("in_hand", client="bob") == 1, "his in hand")
                here.responder.open.set()
                assert all([(await call).HasField("row") for call in calls])

    go(test())


def test_metadata_is_bounded() -> None:
    async def test() -> None:
        async with running() as here, channel(here) as made:
            long = (("x-long", "x" * 40_000),)
            code, _ = await status_of(made.unary_unary(SCORE)(REQUEST, metadata=long, timeout=5))
            assert code is grpc.StatusCode.RESOURCE_EXHAUSTED
            assert not here.responder.images

    go(test())


def test_a_compressed_message_is_not_unpacked() -> None:
    """A bomb of 64 MiB in 64 KiB: refused, by gRPC's clients and by hand."""

    async def test() -> None:
        bomb = v1.ScoreRequest(item=item(image=b"\xff\xd8\xff" + bytes(64 * 2**20)))
        packed = gzip.compress(bomb.SerializeToString(), 6)
        assert len(packed) < 100_000
        async with running(limits=Limits(max_image_bytes=2**20, max_npy_bytes=2**20)) as here:
            async with channel(here, compression=grpc.Compression.Gzip) as made:
                code, _ = await status_of(made.unary_unary(SCORE)(REQUEST, timeout=5))
                assert code is grpc.StatusCode.UNIMPLEMENTED
            caller = await Http2.connect(here.address)
            await caller.call(SCORE, more={"grpc-encoding": "gzip"})
            message = b"\x01" + len(packed).to_bytes(4, "big") + packed
            for at in range(0, len(message), 16_000):
                await caller.data(message[at : at + 16_000])
            found = await caller.until(HEADERS, RST_STREAM, GOAWAY)
            assert found is None or found[0] in (HEADERS, RST_STREAM, GOAWAY)
            caller.close()
            assert not here.responder.images
            async with client(here) as other:
                assert (await other.score(item(deadline_ms=5_000))).HasField("row")

    go(test())


@pytest.mark.parametrize("path", [STREAM, SCORE])
def test_half_a_message_holds_nothing_for_long(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("physgauge.gateway.service._READ_S", 0.4)

    async def test() -> None:
        async with running(idle_s=0.4) as here:
            caller = await Http2.connect(here.address)
            await caller.call(path)
            message = b"\x00" + len(REQUEST).to_bytes(4, "big") + REQUEST
            await caller.data(message[:1000])
            # Its trailers say why; a byte now and then does not put them off.
            for at in range(1000, 1020):
                await caller.data(message[at : at + 1])
                await asyncio.sleep(0.05)
            found = await caller.until(HEADERS, RST_STREAM)
            while found and path == STREAM and b"grpc-status" not in found[2]:
                found = await caller.until(HEADERS, RST_STREAM)
            assert found is not None
            assert not here.responder.images
            assert here.number("streams", client="local") == 0
            caller.close()

    go(test())


def test_messages_of_score_are_received_a_few_at_a_time() -> None:
    """Half-sent ones hold up those of their client only: what is half received takes memory."""

    async def test() -> None:
        shares = Shares(streams_per_client=2)
        async with with_tokens(TOKENS, shares=shares) as here:
            caller = await Http2.connect(here.address)
            message = b"\x00" + len(REQUEST).to_bytes(4, "big") + REQUEST
            for stream in (1, 3):
                await caller.call(SCORE, stream, {"authorization": f"Bearer {A}"})
                await caller.data(message[:1000], stream)
            async with client(here, A) as alice, client(here, B) as bob:
                await asyncio.sleep(0.1)
                waiting = asyncio.create_task(alice.score(item("third")))
                assert (await bob.score(item("other's"))).HasField("row")
                await asyncio.sleep(0.1)
                assert here.responder.images == ["other's"]
                for at in range(1000, len(message), 8000):
                    await caller.data(message[at : at + 8000])
                assert (await waiting).HasField("row")
            caller.close()

    go(test())


def test_pings_without_end_are_answered_by_a_goodbye() -> None:
    async def test() -> None:
        async with running() as here:
            caller = await Http2.connect(here.address)
            for _ in range(20):
                caller.writer.write(frame(PING, 0, 0, bytes(8)))
                await asyncio.sleep(0.01)
            found = await caller.until(GOAWAY)
            assert found is None or b"too_many_pings" in found[2]
            caller.close()

    go(test())


def test_connections_are_bounded() -> None:
    async def test() -> None:
        async with running(connections=8) as here:
            callers = []
            for _ in range(12):
                try:
                    callers.append(await Http2.connect(here.address))
                except OSError:
                    continue
            await asyncio.sleep(0.3)
            alive = 0
            for caller in callers:
                try:
                    caller.writer.write(frame(PING, 0, 0, bytes(8)))
                    alive += (await caller.until(PING, within_s=1.0)) is not None
                except (TimeoutError, OSError):
                    pass
            assert 1 <= alive <= 8
            for caller in callers:
                caller.close()

    go(test())


def test_a_connection_that_says_nothing_or_nonsense_hurts_nobody() -> None:
    async def test() -> None:
        async with running() as here:
            host, _, port = here.address.rpartition(":")
            silent = [socket.create_connection((host, int(port))) for _ in range(20)]
            for one in silent[:10]:
                one.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n" + bytes(10_000))
            async with client(here) as other:
                assert (await other.score(item())).HasField("row")
            for one in silent:
                one.close()

    go(test())


_ = DATA
