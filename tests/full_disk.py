"""A full disk, without a disk: no file may grow beyond a size, as the system's limits for a process allow."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

import pytest

needs_limits = pytest.mark.skipif(sys.platform == "win32", reason="there are no limits for a process")


def fail_as_full(*_given: object) -> NoReturn:
    """Fail as a call of the system does on a full disk, in place of one."""
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@contextmanager
def full_disk(room: int = 0) -> Iterator[None]:
    """Have this process, with all its threads, write no file beyond ``room`` bytes; more fails with EFBIG.

    Output that pytest captures is in a file too: nothing may be printed in the block.
    """
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
