"""The terminal checks of ``doctor``: queries to a fake terminal in a real pty, and the report."""

from __future__ import annotations

import io
import os
import select
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from daoqi_tui.ai.compiled import CacheState
from daoqi_tui.cli.doctor import (
    Terminal,
    ambiguous_width,
    colours_of,
    compiled_finding,
    findings,
    report,
    saving_finding,
    settings_finding,
)
from daoqi_tui.cli.main import main
from daoqi_tui.i18n import use_language
from daoqi_tui.text import cell_width
from tests.forked import in_terminal
from tests.tui.in_terminal import read_output
from tests.waiting import HANG

CHECKOUT = Path(__file__).resolve().parents[1]
ASK = "import sys; from daoqi_tui.cli.doctor import ambiguous_width; print('width', ambiguous_width({timeout}))"
GOOD = Terminal("xterm-256color", 1 << 24, 1, True, (120, 40), "utf-8", "zh_CN.UTF-8", True)


def asked(
    answer: bytes | None, timeout: float = HANG, term: str = "xterm", ask: str = ASK, question: bytes = b"\x1b[6n"
) -> str:
    """Return what is printed in a terminal that gives ``answer`` to a query, by default for the cursor position."""
    process = in_terminal(["-c", ask.format(timeout=timeout)], CHECKOUT, {**os.environ, "TERM": term}, (24, 80))
    read = b""
    deadline = time.monotonic() + HANG
    while time.monotonic() < deadline:
        if not select.select([process.fd], [], [], 0.2)[0]:
            continue
        piece = read_output(process.fd)
        if not piece:
            break
        if answer is not None and question in piece:
            process.write(answer)
        read += piece
    process.close(force=True)
    return read.decode()


@pytest.mark.parametrize(("answer", "width"), [(b"\x1b[7;2R", "1"), (b"\x1b[12;3R", "2"), (b"\x1b[7;40R", "None")])
def test_the_terminal_is_asked(answer: bytes, width: str) -> None:
    printed = asked(answer)
    assert f"width {width}" in printed
    assert "●" in printed
    assert "\r\x1b[K" in printed, "the stone is wiped away"


@pytest.mark.parametrize(
    ("answer", "found"),
    [
        (b"\x1b_Gi=31;OK\x1b\\\x1b[6;20;10t\x1b[?62c", "kitty"),
        (b"\x1b_Gi=31;OK\x1b\\\x1b[?62;4c", "kitty"),
        (b"\x1b[?62c", "none"),
        (b"\x1b_Gi=31;EINVAL\x1b\\\x1b[?62c", "none"),
        (b"\x1b[?63;1;2;4;6c", "sixel"),
        (b"\x1b[?4;6c", "none"),
        (None, "None"),
    ],
)
def test_the_terminal_is_asked_for_graphics(answer: bytes | None, found: str) -> None:
    ask = "from daoqi_tui.cli.doctor import graphics_of; print('graphics', graphics_of({timeout}))"
    timeout = 0.1 if answer is None else HANG
    assert f"graphics {found}" in asked(answer, timeout, "xterm-kitty", ask, b"a=q")


def test_keys_typed_meanwhile_do_not_disturb() -> None:
    assert "width 2" in asked(b"abc\x1b[A\x1b[7;3R")


def test_a_terminal_that_does_not_answer_is_not_waited_for_long() -> None:
    assert "width None" in asked(None, timeout=0.1)


def test_a_dumb_terminal_is_not_asked() -> None:
    assert asked(b"\x1b[7;2R", term="dumb").strip() == "width None"


def test_without_a_terminal_nothing_is_written() -> None:
    out = io.StringIO()
    assert ambiguous_width(lines=io.StringIO("x"), out=out) is None
    assert out.getvalue() == ""


def test_the_terminal_is_left_as_it_was() -> None:
    import pty
    import termios

    ours, theirs = pty.openpty()
    try:
        before = termios.tcgetattr(theirs)
        with os.fdopen(os.dup(theirs), "r") as lines, os.fdopen(os.dup(theirs), "w") as out:
            thread = threading.Thread(target=lambda: os.read(ours, 100))
            thread.start()
            # The pty is not this process's terminal, so the process is in the background there and must not query it.
            assert ambiguous_width(0.05, lines, out) is None
            out.write("x")
            out.flush()
            thread.join()
        assert termios.tcgetattr(theirs) == before
    finally:
        os.close(ours)
        os.close(theirs)


@pytest.mark.parametrize(
    ("environment", "colours"),
    [
        ({}, 0),
        ({"TERM": "dumb"}, 0),
        ({"TERM": "xterm"}, 16),
        ({"TERM": "linux"}, 16),
        ({"TERM": "xterm-256color"}, 256),
        ({"TERM": "xterm-256color", "COLORTERM": "truecolor"}, 1 << 24),
        ({"TERM": "xterm-direct"}, 1 << 24),
        ({"TERM": "xterm-256color", "COLORTERM": "truecolor", "NO_COLOR": "1"}, 0),
        ({"TERM": "xterm-256color", "NO_COLOR": ""}, 256),
    ],
)
def test_colours_as_the_environment_promises(environment: dict[str, str], colours: int) -> None:
    assert colours_of(environment) == colours


def test_a_good_terminal_needs_no_advice() -> None:
    assert [finding.name for finding in findings(GOOD) if finding.advice] == []
    assert report(findings(GOOD)).splitlines()[-1] == "No problems found."
    assert "!" not in report(findings(GOOD))


@pytest.mark.parametrize(
    ("change", "name", "advice", "is_problem"),
    [
        ({"is_terminal": False}, "Terminal", "--plain", True),
        ({"name": "dumb"}, "Terminal", "TERM", True),
        ({"name": ""}, "Terminal", "TERM", True),
        ({"colours": 0}, "Colours", "NO_COLOR", False),
        ({"colours": 16}, "Colours", "TERM=xterm-256color", False),
        ({"colours": 256}, "Colours", "COLORTERM=truecolor", False),
        ({"width": 2, "locale": "en_GB.UTF-8"}, "Width of ●", "ASCII", True),
        ({"width": 2, "locale": "zh_CN.UTF-8"}, "Width of ●", "ASCII", False),
        ({"width": None}, "Width of ●", "ASCII", False),
        ({"mouse": False}, "Mouse", "keys", False),
        ({"mouse": None}, "Mouse", "keys", False),
        ({"size": (39, 40)}, "Size", "40 columns and 14 rows", True),
        ({"size": (80, 24)}, "Size", "100×34", False),
        ({"encoding": "ascii"}, "Text", "UTF-8", True),
    ],
)
def test_what_looks_wrong_comes_with_what_to_set(
    change: dict[str, object], name: str, advice: str, is_problem: bool
) -> None:
    terminal = replace(GOOD, **change)  # type: ignore[arg-type]
    (found,) = [finding for finding in findings(terminal) if finding.advice]
    assert (found.name, found.is_problem) == (name, is_problem)
    assert advice in found.advice
    lines = report(findings(terminal)).splitlines()
    assert len(lines) == len(findings(GOOD)) + 3
    assert [line[0] for line in lines if line.startswith(("!", "-"))] == ["!" if is_problem else "-"]
    assert lines[-1] == ("1 problem found." if is_problem else "No problems found.")


def test_mistakes_in_the_settings_are_a_problem(tmp_path: Path) -> None:
    assert settings_finding(tmp_path, []).is_problem is False
    found = settings_finding(tmp_path, ["one", "two"])
    assert (found.is_problem, found.advice) == (True, "one\ntwo")


def test_a_folder_that_cannot_be_made_is_a_problem(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert saving_finding([tmp_path / "new" / "games", tmp_path]).is_problem is False
    found = saving_finding([tmp_path, tmp_path / "file" / "games"])
    assert found.is_problem
    assert str(tmp_path / "file" / "games") in found.advice


def test_a_full_disk_is_a_problem(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    room = {tmp_path: 10**9, tmp_path / "full": 4096}
    (tmp_path / "full").mkdir()
    monkeypatch.setattr("shutil.disk_usage", lambda place: SimpleNamespace(free=room[place]))
    assert saving_finding([tmp_path / "games"]).is_problem is False
    found = saving_finding([tmp_path / "games", tmp_path / "full" / "games"])
    assert found.is_problem
    assert found.advice == f"the disk of {tmp_path / 'full' / 'games'} is full: make room"


@pytest.mark.parametrize(
    ("trial", "status"),
    [
        (({}, ""), 0),
        (({"colours": 0, "mouse": None, "size": (80, 24)}, ""), 0),
        (({"size": (20, 10)}, ""), 1),
        (({}, "[look]\nboard = 'oak'\n"), 1),
    ],
)
def test_the_status_tells_of_problems_alone(
    trial: tuple[dict[str, object], str],
    status: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    change, text = trial
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    (tmp_path / "daoqi-tui").mkdir()
    (tmp_path / "daoqi-tui" / "config.toml").write_text(text)
    monkeypatch.setattr("daoqi_tui.cli.doctor.examine", lambda: replace(GOOD, **change))  # type: ignore[arg-type]
    with pytest.raises(SystemExit) as end:
        main(["--lang", "en", "doctor"])
    output, errors = capsys.readouterr()
    assert (end.value.code, errors) == (status, "")
    assert output.endswith(("No problems found.\n", "1 problem found.\n")[status])


def test_the_command_reports_also_where_there_is_no_terminal() -> None:
    import subprocess

    done = subprocess.run(
        [sys.executable, "-m", "daoqi_tui", "doctor"],
        cwd=CHECKOUT,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (1, "")
    assert "daoqi-tui --plain" in done.stdout


@pytest.mark.parametrize("language", ["en", "zh"])
def test_advice_is_wrapped_below_its_beginning(language: str) -> None:
    use_language(language)
    found = [compiled_finding("missing", Path("/cache"))]
    whole, narrow = report(found).splitlines(), report(found, 50).splitlines()
    assert len(whole) < len(narrow)
    assert max(map(cell_width, narrow)) <= 50
    advice = narrow[1 : len(narrow) - len(whole) + 2]
    assert len({len(line) - len(line.lstrip()) for line in advice}) == 1
    assert "".join(advice).replace(" ", "") == whole[1].replace(" ", "")


def test_a_value_is_wrapped_as_advice_is() -> None:
    path = Path("/home/somebody/with a long name/and folders/in folders/config.toml")
    whole, narrow = (report([settings_finding(path, ())], columns).splitlines() for columns in (0, 40))
    assert max(map(cell_width, narrow)) <= 40
    assert "".join(narrow).replace(" ", "") == "".join(whole).replace(" ", "")


def test_it_wraps_as_wide_as_its_terminal() -> None:
    environment = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES")}
    command = ["-m", "daoqi_tui", "--lang", "en", "doctor"]
    process = in_terminal(command, CHECKOUT, {**environment, "TERM": "dumb"}, (24, 60))
    read = b""
    while piece := read_output(process.fd):
        read += piece
    process.close(force=True)
    lines = read.decode().splitlines()
    assert any(line.startswith("   ") for line in lines)
    assert max(map(cell_width, lines)) <= 60


@pytest.mark.parametrize(
    ("state", "words"),
    [
        ("cached", "starts at once"),
        ("missing", "about a minute, and once after an update"),
        ("impossible", "about a minute at every start: make /cache writable"),
        ("no compiler", "numba"),
    ],
)
def test_it_says_whether_the_computer_has_to_compile(state: CacheState, words: str) -> None:
    finding = compiled_finding(state, Path("/cache"))
    assert words in f"{finding.value} {finding.advice}"
    assert not finding.is_problem


def test_the_report_says_that_nothing_is_compiled_yet(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("numba", reason="numba is not installed")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    with pytest.raises(SystemExit):
        main(["--lang", "en", "doctor"])
    assert "Compiled code" in (shown := capsys.readouterr().out)
    assert "not yet" in shown
    assert not list(tmp_path.iterdir()), "it only looks"
