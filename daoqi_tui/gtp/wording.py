"""What engines say and how they end, made fit for a sentence."""

from __future__ import annotations

import signal


def shown_line(text: str) -> str:
    """The first line of what an engine wrote, shortened, without control characters."""
    line = one_line(text)
    return line if len(line) <= 200 else line[:200] + "…"


def one_line(text: str) -> str:
    """The first line with anything in it, without control characters."""
    line = next((line for line in text.splitlines() if line.strip()), "")
    return " ".join("".join(sign if sign.isprintable() else " " for sign in line).split())


def signal_name(number: int) -> str:
    """The name of a signal, ``SIGKILL``."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
