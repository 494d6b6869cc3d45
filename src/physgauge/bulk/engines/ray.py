"""The engine `ray`: worker processes on the machines of a Ray cluster, through Ray Data (docs/ray.md).

    driver: coordinator <-> desk (an actor) <-> actors of Ray Data: worker process -> run folder
            dataset of turns -----------------> (autoscaled, restarted and retried by Ray)

The only file that imports Ray.
"""

from __future__ import annotations

import logging
import os
import signal
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any, Final

import msgspec

from physgauge.bulk.engines.desk import (
    Desk,
    Exchange,
    unpack_task,
)
from physgauge.bulk.engines.ray_actor import Bay, Place
from physgauge.bulk.engines.ray_driver import START_S, drive, in_words
from physgauge.bulk.engines.ray_nodes import Look, clean, disagreements, look
from physgauge.bulk.engines.ray_settings import RaySettings
from physgauge.bulk.work import Drain, Setup, Work
from physgauge.errors import ConfigError, EnvironmentProblem

AT_A_TIME: Final = 2
"""Turns of one actor at a time: the next unit flows into its pipeline before the last one has ended."""
MOST_TURNS: Final = 20_000
"""Of one dataset; then another one begins, and actors load their models again."""
SPARE_TURNS: Final = 64
"""For tasks that come back after a crash, and turns that find no task."""
TAKE_S: Final = 20.0
"""How long a turn waits for a task."""
NODE_S: Final = 600.0
"""How long a machine may take to say what it sees; it hashes the models that the profile names."""

CLEAN_S: Final = 20.0
STORE_BYTES: Final = 200 << 20
"""Of the object store of a cluster that is started here: turns and events are all that goes through."""


class RayEngine:
    """See Engine.

    Args:
        settings: of the cluster and the actors.
        parts: the fingerprint.
        stall_s: without any sign of life for so long, a worker process is taken for stuck.
        warn: told what the user should know.
    """

    def __init__(
        self,
        settings: RaySettings,
        parts: Mapping[str, str],
        stall_s: float,
        warn: Callable[[str], None],
    ) -> None:
        self._settings, self._parts, self._stall_s = settings, dict(parts), stall_s
        self._warn = warn

    def fingerprint(self) -> dict[str, str]:
        """See Engine."""
        return dict(self._parts)

    @property
    def gpus(self) -> float | None:
        """That a session holds; None: Ray decides how many."""
        settings = self._settings
        return settings.gpus * settings.top if settings.least == settings.top else None

    def run(self, work: Work) -> None:
        """See Engine.

        Raises:
            ConfigError: a machine of the cluster that does not see what this one sees.
            EnvironmentProblem: no Ray, no cluster, or none with room for an actor.
        """
        with _connected(self._settings) as ray:
            place = Place(
                folder=os.getcwd(),
                scratch=f"/tmp/physgauge-{work.setup.session or os.getpid()}",
                stall_s=self._stall_s,
            )
            self._check_nodes(ray, work.setup, place)
            self._check_room(ray)
            try:
                self._work(ray, work, place)
            finally:
                with suppress(EnvironmentProblem):
                    _on_nodes(ray, clean, place.scratch, within_s=CLEAN_S)

    def _check_nodes(self, ray: Any, setup: Setup, place: Place) -> None:
        data = msgspec.msgpack.encode(setup)
        others = {
            name: msgspec.msgpack.decode(seen, type=Look)
            for name, seen in _on_nodes(ray, _look, data, place.folder).items()
        }
        wrong = disagreements(look(setup, place.folder), others, setup.output, self._parts)
        if wrong:
            raise ConfigError("--engine ray: " + "\n".join(wrong))

    def _check_room(self, ray: Any) -> None:
        """Says so where no machine has room for an actor now (the cluster may grow, or not), and where
        GPUs would be shared unasked."""
        needs = {"GPU": self._settings.gpus, "CPU": self._settings.cpus}
        nodes = [node["Resources"] for node in ray.nodes() if node["Alive"]]
        if not any(all(has.get(k, 0.0) >= v for k, v in needs.items()) for has in nodes):
            has = "; ".join(
                f"{one.get('GPU', 0):g} GPU, {one.get('CPU', 0):g} CPU" for one in nodes
            )
            self._warn(
                f"--engine ray: expected a machine with {needs['GPU']:g} GPU and {needs['CPU']:g} CPU "
                f"for an actor, got {has}; waiting up to {START_S:.0f} s for the cluster to grow"
            )
        elif not needs["GPU"] and any(one.get("GPU") for one in nodes):
            self._warn(
                "--ray-gpus-per-actor: this cluster has GPUs, and 0 are asked for: actors whose profile "
                "uses a GPU share the first one of their machine"
            )

    def _work(self, ray: Any, work: Work, place: Place) -> None:
        """One dataset of turns after the other, until all is done."""
        here = ray.util.scheduling_strategies.NodeAffinitySchedulingStrategy(
            ray.get_runtime_context().get_node_id(), soft=False
        )
        desk = ray.remote(num_cpus=0, scheduling_strategy=here)(Desk).remote()
        first = 0

        def exchange(tasks: list[bytes], over: bool, drain: Drain) -> Exchange:
            last: Exchange = ray.get(desk.exchange.remote(tasks, over, drain))
            return last

        try:
            while work.drain == "no" and not work.over():
                turns = min(MOST_TURNS, work.left + SPARE_TURNS)
                dataset = self._dataset(ray, desk, work.setup, place, range(first, first + turns))
                drive(work, exchange, partial(_exhaust, dataset))
                first += turns
        finally:
            ray.kill(desk)  # whoever still waits at it ends

    def _dataset(self, ray: Any, desk: Any, setup: Setup, place: Place, turns: range) -> Any:
        settings = self._settings
        items = ray.data.from_items(
            [{"turn": turn} for turn in turns], override_num_blocks=len(turns)
        )
        return items.map_batches(
            _Actor,
            fn_constructor_args=(desk, msgspec.msgpack.encode(setup), place),
            batch_size=1,
            num_cpus=settings.cpus,
            num_gpus=settings.gpus,
            compute=ray.data.ActorPoolStrategy(
                min_size=settings.least,
                max_size=settings.top,
                max_concurrent_calls_per_actor=AT_A_TIME,
                enable_true_multi_threading=True,
            ),
        )


class _Actor:
    """What Ray Data makes an actor of; it restarts one that dies, and hands its turns out again."""

    def __init__(self, desk: Any, setup: bytes, place: Place) -> None:
        import ray

        self._ray, self._desk = ray, desk
        name = f"ray-{(ray.get_runtime_context().get_actor_id() or '')[:8]}"
        self._bay = Bay(name, msgspec.msgpack.decode(setup, type=Setup), place, self)

    def tell(self, said: bytes) -> Drain:
        """See DeskLine."""
        drain: Drain = self._ray.get(self._desk.tell.remote(said))
        return drain

    def __call__(self, batch: dict[str, Any]) -> dict[str, list[int]]:
        """One turn: which unit it was about; -1: none."""
        turn = int(batch["turn"][0])
        data = self._ray.get(self._desk.take.remote(turn, TAKE_S))
        unit = -1
        if data is not None:
            task = unpack_task(data)
            unit = task.unit.number
            self._ray.get(self._desk.done.remote(turn, self._bay.do(task)))
        return {"turn": [turn], "unit": [unit]}


def _exhaust(dataset: Any) -> None:
    for _ in dataset.iter_batches(batch_size=None, prefetch_batches=0):
        pass


def _look(setup: bytes, folder: str) -> bytes:
    return msgspec.msgpack.encode(look(msgspec.msgpack.decode(setup, type=Setup), folder))


def _name(node: dict[str, Any]) -> str:
    return (
        f"{node['NodeManagerHostname']} ({node['NodeManagerAddress']}, node {node['NodeID'][:8]})"
    )


def _on_nodes(
    ray: Any, what: Callable[..., Any], *given: Any, within_s: float = NODE_S
) -> dict[str, Any]:
    """What a function returns on each machine of the cluster, by its name.

    Raises:
        EnvironmentProblem: a machine on which it fails, or does not end.
    """
    strategy = ray.util.scheduling_strategies.NodeAffinitySchedulingStrategy
    task = ray.remote(num_cpus=0, max_retries=2)(what)
    asked = {
        _name(node): task.options(scheduling_strategy=strategy(node["NodeID"], soft=False)).remote(
            *given
        )
        for node in ray.nodes()
        if node["Alive"]
    }
    try:
        return dict(zip(asked, ray.get(list(asked.values()), timeout=within_s), strict=True))
    except Exception as error:
        raise EnvironmentProblem(
            f"--engine ray: expected physgauge to work on all of {', '.join(asked)}, got "
            f"{in_words(error)}"
        ) from None


@contextmanager
def _connected(settings: RaySettings) -> Iterator[Any]:
    """Ray, connected to the cluster; one that this process is connected to already is taken."""
    os.environ.setdefault("RAY_BACKEND_LOG_LEVEL", "fatal")  # its warnings are about itself
    try:
        import ray
        import ray.data
        import ray.util.scheduling_strategies
    except ImportError:
        raise EnvironmentProblem(
            "--engine ray: expected Ray, got none: pip install 'physgauge[ray]'"
        ) from None
    mine = not ray.is_initialized()
    if mine:
        _connect(ray, settings.address)
    context = ray.data.DataContext.get_current()
    context.enable_progress_bars = False  # ours says more
    context.print_on_execution_start = False
    logging.getLogger("ray.data").setLevel(logging.ERROR)
    try:
        yield ray
    finally:
        if mine:
            ray.shutdown()


def _connect(ray: Any, address: str) -> None:
    quiet = {"logging_level": logging.ERROR, "log_to_driver": False}
    local = {"include_dashboard": False, "object_store_memory": STORE_BYTES}
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        if address == "local":
            ray.init("local", **quiet, **local)
        elif address != "auto":
            ray.init(address, **quiet)
        else:
            try:
                ray.init("auto", **quiet)
            except ConnectionError:
                if os.environ.get("RAY_ADDRESS"):
                    raise
                ray.init("local", **quiet, **local)
    except Exception as error:
        ray.shutdown()
        what = f"expected a Ray cluster at {address!r}, got {in_words(error)}"
        raise EnvironmentProblem(f"--ray-address: {what}") from None
    finally:
        if threading.current_thread() is threading.main_thread():
            for number, handler in handlers.items():  # Ray's own would end us without a drain
                signal.signal(number, handler)
