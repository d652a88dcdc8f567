"""Unexpected exceptions are reported, with exit status 70; expected ones give one sentence and status 1."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from daoqi_tui import __version__
from daoqi_tui.cli import EXPECTED
from daoqi_tui.crash import write_report
from tests.forked import run_python

CHECKOUT = Path(__file__).resolve().parents[1]
GAME = "(;FF[4]GM[1]SZ[5]TO[3]C[a secret];B[cc])"
BROKEN = "def broken(*_, **__): raise KeyError('x')\n"
PATHS = {
    "command": (["show", "-"], "import daoqi_tui.cli.records as m; m.show = broken"),
    "parser": (["score", "--help"], "import daoqi_tui.cli.parsers as m; m.COMMANDS['score'] = m.Command('', broken)"),
    "gtp": (["gtp"], "import daoqi_tui.gtp.engine as m; m.Server.run = broken"),
    "gtp parser": (["gtp"], "import daoqi_tui.cli.parsers as m; m.COMMANDS['gtp'] = m.Command('', broken)"),
    "plain": (["--plain", "--size", "5"], "import daoqi_tui.plain as m; m.execute = broken"),
    "serve": (["serve", "--port", "0"], "import daoqi_tui.web.server as m; m.serve = broken"),
}


def run(
    folder: Path, patch: str, *arguments: str, text: str = GAME, **variables: str
) -> subprocess.CompletedProcess[str]:
    """Run a command with something broken in it; its files are stored in `folder`."""
    return run_code(folder, f"{patch}\nfrom daoqi_tui.cli.main import main; main()", *arguments, text=text, **variables)


def run_code(
    folder: Path, code: str, *arguments: str, text: str = GAME, **variables: str
) -> subprocess.CompletedProcess[str]:
    homes = {f"XDG_{name}_HOME": str(folder / name.lower()) for name in ("STATE", "DATA", "CONFIG")}
    environment = {**os.environ, **homes, "HOME": str(folder), "LC_ALL": "C.UTF-8", **variables}
    return run_python(["-c", BROKEN + code, *arguments], CHECKOUT, environment, text)


def reports(folder: Path) -> list[Path]:
    return sorted((folder / "state" / "daoqi-tui" / "reports").glob("*"))


@pytest.mark.parametrize("path", PATHS)
def test_an_unexpected_exception_is_reported(path: str, tmp_path: Path) -> None:
    if path == "serve":
        pytest.importorskip("textual_serve", reason="the extra web is not installed: pip install -e '.[web]'")
    arguments, patch = PATHS[path]
    done = run(tmp_path, patch, *arguments)
    assert done.returncode == 70, done.stderr
    [report] = reports(tmp_path)
    assert done.stderr == f"daoqi-tui: an unexpected error occurred (KeyError); a report of it is in {report}\n"
    text = report.read_text("utf-8")
    assert f"daoqi-tui {__version__}\n" in text
    assert "Python: " in text
    assert "Platform: " in text
    assert " ".join(arguments) in text
    assert "KeyError: 'x'" in text
    assert "secret" not in text


@pytest.mark.parametrize("path", ["command", "plain"])
def test_debug_prints_the_traceback_instead(path: str, tmp_path: Path) -> None:
    arguments, patch = PATHS[path]
    done = run(tmp_path, patch, *arguments, "--debug")
    assert done.returncode == 70
    assert done.stderr.endswith("KeyError: 'x'\n")
    assert "Traceback (most recent call last)" in done.stderr
    assert not reports(tmp_path)


def test_after_two_hyphens_debug_is_a_file(tmp_path: Path) -> None:
    done = run(tmp_path, "", "show", "--", "--debug")
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert "--debug cannot be read" in done.stderr


def test_a_report_that_cannot_be_written_is_printed(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("a file where the folder should be")
    done = run(tmp_path, PATHS["command"][1], "show", "-")
    assert done.returncode == 70
    assert "KeyError: 'x'\ndaoqi-tui: no report of this could be written: " in done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full, which is a disk without room")
@pytest.mark.parametrize("options", [[], ["--debug"]])
def test_the_status_is_the_same_where_the_sentence_cannot_be_written(tmp_path: Path, options: list[str]) -> None:
    patch = f"{PATHS['command'][1]}; import sys; sys.stderr = open('/dev/full', 'w')"
    assert run(tmp_path, patch, "show", "-", *options).returncode == 70
    assert len(reports(tmp_path)) == (not options)


def test_only_the_latest_reports_are_kept(tmp_path: Path) -> None:
    folder = tmp_path / "state" / "daoqi-tui" / "reports"
    folder.mkdir(parents=True)
    for number in range(25):
        (folder / f"20200101-0000{number:02}.txt").touch()
    run(tmp_path, PATHS["command"][1], "show", "-")
    assert len(reports(tmp_path)) == 20
    assert "KeyError" in reports(tmp_path)[-1].read_text("utf-8")


def test_an_old_report_that_cannot_be_deleted_is_left(tmp_path: Path) -> None:
    folder = tmp_path / "state" / "daoqi-tui" / "reports"
    for number in range(22):
        (folder / f"20200101-0000{number:02}.txt").mkdir(parents=True)
    done = run(tmp_path, PATHS["command"][1], "show", "-")
    assert done.returncode == 70
    assert done.stderr == (
        f"daoqi-tui: an unexpected error occurred (KeyError); a report of it is in {reports(tmp_path)[-1]}\n"
    )


def test_the_sentence_is_translated(tmp_path: Path) -> None:
    done = run(tmp_path, PATHS["command"][1], "--lang", "zh", "show", "-")
    assert done.returncode == 70
    assert done.stderr.startswith("daoqi-tui: 出现意外错误（KeyError）")


BROKEN_NAME = "import daoqi_tui.gtp.engine as m; m.COMMANDS['name'] = m.COMMANDS['name']._replace(run=broken)"
ASKED = "1 name\n2 protocol_version\n"


def test_a_controller_gets_an_answer_and_the_engine_goes_on(tmp_path: Path) -> None:
    done = run(tmp_path, BROKEN_NAME, "gtp", text=ASKED)
    assert done.returncode == 0
    [report] = reports(tmp_path)
    assert done.stdout == f"?1 internal error: KeyError: 'x'\na report of it is in {report}\n\n=2 2\n\n"
    assert done.stderr == f"daoqi-tui: an unexpected error occurred (KeyError); a report of it is in {report}\n"
    assert "KeyError: 'x'" in report.read_text("utf-8")


def test_with_debug_the_engine_writes_tracebacks_to_its_log(tmp_path: Path) -> None:
    done = run(tmp_path, BROKEN_NAME, "gtp", "--debug", text=ASKED)
    assert (done.returncode, done.stdout) == (0, "?1 internal error: KeyError: 'x'\n\n=2 2\n\n")
    assert "Traceback (most recent call last)" in done.stderr
    assert done.stderr.endswith("KeyError: 'x'\n")
    assert not reports(tmp_path)


def test_an_engine_that_cannot_write_a_report_answers_all_the_same(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("a file where the folder should be")
    done = run(tmp_path, BROKEN_NAME, "gtp", text=ASKED)
    assert (done.returncode, done.stdout) == (0, "?1 internal error: KeyError: 'x'\n\n=2 2\n\n")
    assert "KeyError: 'x'\ndaoqi-tui: no report of this could be written: " in done.stderr


@pytest.mark.parametrize(
    ("error", "words"),
    [
        ("FileNotFoundError(2, 'No such file or directory', 'a.sgf')", "a.sgf"),
        ("OSError(28, 'No space left on device')", "No space left on device"),
    ],
)
def test_errors_of_the_system_are_told_in_a_sentence(error: str, words: str, tmp_path: Path) -> None:
    patch = f"import daoqi_tui.cli.records as m\ndef full(*_, **__): raise {error}\nm.show = full"
    done = run(tmp_path, patch, "show", "-")
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert words in done.stderr
    assert not reports(tmp_path)


def test_every_expected_exception_exists() -> None:
    for module, names in EXPECTED.items():
        if module.startswith("daoqi_tui.lab.training"):
            pytest.importorskip("torch", reason="the extra train is not installed: pip install -e '.[train]'")
        for name in names:
            assert issubclass(getattr(import_module(module), name), Exception)


def test_the_log_tells_what_happened(tmp_path: Path) -> None:
    file = tmp_path / "log"
    assert run(tmp_path, "", "score", "-", DAOQI_LOG=str(file)).returncode == 0
    assert run(tmp_path, PATHS["command"][1], "show", "-", DAOQI_LOG=str(file)).returncode == 70
    text = file.read_text("utf-8")
    assert f"daoqi-tui {__version__}: ['score', '-']" in text
    assert "exit status 0\n" in text
    assert "KeyError: 'x'\n" in text
    assert "exit status 70\n" in text


def test_a_log_tells_of_the_computer_player(tmp_path: Path) -> None:
    file = tmp_path / "log"
    run(tmp_path, "", "gtp", "--level", "1", text="genmove b\nquit\n", DAOQI_LOG=str(file))
    text = file.read_text("utf-8")
    assert " INFO computer player " in text
    assert " ended with status 0\n" in text


def test_a_log_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    done = run(tmp_path, "", "score", "-", DAOQI_LOG=str(tmp_path / "none" / "log"))
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert str(tmp_path / "none" / "log") in done.stderr


def test_a_log_in_a_folder_that_is_gone_is_told(tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    patch = f"import os; os.mkdir({str(gone)!r}); os.chdir({str(gone)!r}); os.rmdir({str(gone)!r})"
    done = run(tmp_path, patch, "score", "-", DAOQI_LOG="log", PYTHONPATH=str(CHECKOUT))
    assert (done.returncode, done.stdout, done.stderr) == (1, "", "daoqi-tui: log: No such file or directory\n")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full, which is a disk without room")
@pytest.mark.parametrize("arguments", [["--version"], ["score", "-"]])
def test_a_log_on_a_full_disk_ends_and_no_more_goes_wrong(tmp_path: Path, arguments: list[str]) -> None:
    done = run(tmp_path, "", *arguments, DAOQI_LOG="/dev/full")
    words = "daoqi-tui: the log has ended early: /dev/full: No space left on device\n"
    assert (done.returncode, done.stderr) == (0, words)
    assert done.stdout == run(tmp_path, "", *arguments).stdout


def test_a_report_does_not_have_the_code_of_an_invitation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    invitation = "192.168.1.5:7777#mzxw6ytb-abcdefghijklmnopqrst"
    monkeypatch.setattr(sys, "orig_argv", ["python", "-m", "daoqi_tui", "join", invitation, "--plain"])
    report = write_report("Traceback").read_text()
    assert "Command line: python -m daoqi_tui join '192.168.1.5:7777#mzxw6ytb-…' --plain" in report
