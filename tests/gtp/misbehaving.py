"""A GTP engine that misbehaves in one way, named by its argument."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

MODE = sys.argv[-1]


def say(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


def answer(number: str, text: str = "", sign: str = "=") -> None:
    say(f"{sign}{number} {text}\n\n")


def genmove(number: str) -> None:
    match MODE:
        case "silent":
            sys.stderr.write("thinking\n")
            sys.stderr.flush()
            time.sleep(3600)
        case _ if MODE.startswith("waits for "):
            while not Path(MODE.removeprefix("waits for ")).exists():
                time.sleep(0.01)
            answer(number, "pass")
        case "crash":
            sys.stderr.write("out of luck\n")
            sys.exit(3)
        case "occupied":
            answer(number, "E5")
        case "nowhere":
            answer(number, "Z99")
        case "refuses":
            answer(number, "I would rather not", "?")
        case "endless line":
            while True:
                say("x" * 65536)
        case "endless answer":
            say(f"={number}\n")
            while True:
                say("x" * 1000 + "\n")
        case "chatter":
            while True:
                say("thinking\n")
        case "silence, line by line":
            while True:
                say("\n" * 1000)
        case "resigns":
            answer(number, "resign")
        case _:
            answer(number, "pass")


def main() -> None:
    child = None
    if MODE.startswith("child"):
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(3600)"])
        sys.stderr.write(f"child {child.pid}\n")
    if MODE == "dies at once":
        sys.exit("no network file")
    if MODE == "mute":
        time.sleep(3600)
    while MODE.startswith("starts after ") and not Path(MODE.removeprefix("starts after ")).exists():
        time.sleep(0.01)
    if MODE == "deaf":
        # Neither the end of its input nor SIGTERM ends it.
        import signal

        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if MODE == "noisy":
        sys.stderr.write("".join(f"line {number} {'y' * 2000}\n" for number in range(5000)))
        sys.stderr.write("\x1b[31mlast\n")
    say("Welcome to this engine\n\n")
    for line in sys.stdin:
        number, *words = line.split() or ["0", "none"]
        name = words[0] if words else ""
        if MODE == "no id":
            number = ""
        if MODE == "late":
            answer("999", "an answer to something else")
        match name:
            case "name" | "version" if MODE == "long name":
                answer(number, "x" * 300_000)
            case "name":
                answer(number, f"Misbehaving\t{MODE}")
            case "list_commands":
                more = {
                    "endless reports": "\nlz-genmove_analyze",
                    "sees no hope": "\nlz-genmove_analyze",
                    "half a clock": "\ntime_settings",
                }.get(MODE, "")
                answer(number, f"name\nplay\ngenmove\nkata-set-rules{more}")
            case "lz-genmove_analyze" if MODE == "sees no hope":
                answer(number, "\ninfo move E5 visits 1 winrate 1 prior 1 order 0 pv E5\nplay E5")
            case "lz-genmove_analyze":
                say(f"={number}\n")
                while True:
                    say("info move E5 visits 1 winrate 5000 order 0 pv E5\n")
            case "genmove":
                genmove(number)
                if MODE == "child that stays":
                    break
            case "play" if MODE == "bordered":
                answer(number, "illegal move", "?")
            case "kata-set-rules" if MODE == "knows other rules" and words[1:] == ["daoqi"]:
                answer(number, "unknown rules", "?")
            case "time_left" if MODE == "half a clock":
                answer(number, "unknown command", "?")
            case "version":
                answer(number, "unknown command", "?")
            case _ if number == "quit":
                break
            case _:
                answer(number)
    while MODE == "deaf":
        time.sleep(3600)


if __name__ == "__main__":
    main()
