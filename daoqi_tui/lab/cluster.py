"""Independent tasks on the machines of a Ray cluster, as an executor of the standard library.

It needs the extra ``cluster``. The arguments and results of a task are sent to its machine, where this package must be
installed, and back. Ray reruns a task whose process or machine was lost.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import Any, Final
from urllib.parse import urlsplit

from daoqi_tui.message import Message, reason_of

AUTO: Final = "auto"
"""The address of the cluster that runs on this machine, or of one that is started here."""
_LOST: Final = 10
"""The maximum number of reruns of a task whose worker was lost."""


_PATIENCE: Final = 10.0
"""Seconds until an address counts as unreachable."""


class ClusterError(Exception):
    """Ray cannot be used; the text is one sentence."""


class Cluster(Executor):
    """A Ray cluster.

    Args:
        address: as ``ray.init`` takes it, ``HOST:PORT`` or ``ray://HOST:PORT``, or :data:`AUTO`.

    Raises:
        ClusterError: Ray is not installed, or there is no cluster at that address.
    """

    def __init__(self, address: str) -> None:
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        try:
            import ray  # noqa: PLC0415 - an extra, and slow to import
        except ImportError as error:
            from daoqi_tui.extras import install_command  # noqa: PLC0415

            needs = Message("--ray needs Ray: {command} installs it", command=install_command("cluster"))
            raise ClusterError(needs) from error
        self._ray: Final = ray
        self._remote: Final[dict[Callable[..., Any], Any]] = {}
        self._begun = not ray.is_initialized()
        if self._begun:
            try:
                if address != AUTO:
                    _reach(address)
                ray.init(address=None if address == AUTO else address, log_to_driver=False, logging_level="error")
            except (OSError, RuntimeError, ValueError) as error:
                raise ClusterError(
                    Message(
                        "there is no Ray cluster at {address}: {reason}", address=address, reason=_first_line(error)
                    )
                ) from error

    @property
    def processors(self) -> int:
        """The processors of the cluster; each task takes one."""
        return max(1, int(self._ray.cluster_resources().get("CPU", 1)))

    def share(self, value: object) -> Any:  # noqa: ANN401 - Ray's reference
        """Return a reference to a value used by many tasks, so that it is sent to each machine only once."""
        return self._ray.put(value)

    def submit(self, fn: Callable[..., Any], /, *arguments: object, **named: object) -> Future[Any]:
        """Run a function of a module on some machine; references among its arguments become their values.

        If the future is cancelled, the task is cancelled, even if it is running.
        """
        if fn not in self._remote:
            self._remote[fn] = self._ray.remote(num_cpus=1, max_retries=_LOST)(fn)
        task = self._remote[fn].remote(*arguments, **named)
        # Our own future, since a Ray client cannot handle one that was cancelled meanwhile.
        future: Future[Any] = Future()

        def take(found: Future[Any]) -> None:
            if not future.set_running_or_notify_cancel():
                return
            if (error := found.exception()) is not None:
                future.set_exception(error)
            else:
                future.set_result(found.result())

        def end(_: Future[Any]) -> None:
            if future.cancelled():
                self._ray.cancel(task)

        future.add_done_callback(end)
        task.future().add_done_callback(take)
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: ARG002 - its form
        """Leave the cluster; running tasks are ended."""
        if self._begun:
            self._ray.shutdown()


def _reach(address: str) -> None:
    """Raise an error if nothing listens at an address; Ray itself would try for minutes.

    Raises:
        OSError: nothing does.
        ValueError: it is not an address.
    """
    place = urlsplit(address if "://" in address else f"//{address}")
    if not place.hostname or place.port is None:
        raise ValueError(Message("an address is like 192.0.2.7:6379 or ray://192.0.2.7:10001"))
    socket.create_connection((place.hostname, place.port), _PATIENCE).close()


def _first_line(error: Exception) -> str:
    return str(reason_of(error)).strip().partition("\n")[0]
