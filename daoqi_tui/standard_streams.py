"""What goes wrong with standard input and output, in one sentence."""

from __future__ import annotations

import os
import sys


class StreamError(Exception):
    """A standard stream cannot be used; the text is one sentence, in English as those of the lower rooms."""


def output_error(error: OSError) -> StreamError:
    """Standard output cannot be written."""
    return StreamError(f"standard output cannot be written: {error.strerror or error}")


def input_error(error: OSError) -> StreamError:
    """Standard input cannot be read."""
    return StreamError(f"standard input cannot be read: {error.strerror or error}")


def check_input() -> None:
    """Look whether standard input can be read, without reading: the end of the input would look the same later.

    Raises:
        StreamError: it cannot.
        io.UnsupportedOperation: it is no stream of the system's.
    """
    number = sys.stdin.fileno()
    try:
        os.read(number, 0)
    except OSError as error:
        raise input_error(error) from error
