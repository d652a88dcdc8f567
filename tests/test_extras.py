"""The command that the program names for a missing extra: it fits the environment that the program runs in."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import venv
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

from daoqi_tui.extras import install_command, installing
from tests.waiting import HANG

CHECKOUT = Path(__file__).resolve().parents[1]
WANTED = ["textual-serve<1.2,>=1.1.3"]


def words(prefix: Path, python: str = "/env/bin/python") -> list[str]:
    return shlex.split(installing(WANTED, prefix, python))


def test_an_environment_of_pipx_takes_it_by_its_own_name(tmp_path: Path) -> None:
    prefix = tmp_path / "venvs" / "daoqi-tui-old"
    prefix.mkdir(parents=True)
    (prefix / "pipx_metadata.json").write_text("{}")
    assert words(prefix) == ["pipx", "inject", "daoqi-tui-old", *WANTED]


@pytest.mark.parametrize(
    ("requirements", "source"),
    [
        ('{ name = "daoqi-tui" }', ["daoqi-tui"]),
        ('{ name = "daoqi-tui", specifier = "==1.0.0" }', ["daoqi-tui==1.0.0"]),
        ('{ name = "daoqi-tui", extras = ["fast"], directory = "/src/a b" }', ["/src/a b[fast]"]),
        ('{ name = "daoqi-tui", path = "/dist/daoqi_tui-1.0.0.whl" }', ["/dist/daoqi_tui-1.0.0.whl"]),
        ('{ name = "daoqi-tui", editable = "/src" }', ["--editable", "/src"]),
        (
            '{ name = "daoqi-tui", extras = ["fast"], git = "https://go.example.org/d?rev=v1" }',
            ["daoqi-tui[fast] @ git+https://go.example.org/d@v1"],
        ),
        ('{ name = "numba" }, { name = "daoqi-tui" }', ["daoqi-tui", "--with", "numba"]),
        ('{ name = "daoqi-tui" }, { name = "x", editable = "/x" }', ["daoqi-tui", "--with-editable", "/x"]),
        ("", ["daoqi-tui"]),
    ],
)
def test_a_tool_of_uv_is_installed_again_with_all_it_had(tmp_path: Path, requirements: str, source: list[str]) -> None:
    (tmp_path / "uv-receipt.toml").write_text(f"[tool]\nrequirements = [{requirements}]\n", encoding="utf-8")
    assert words(tmp_path) == ["uv", "tool", "install", *source, "--with", *WANTED]


@pytest.mark.parametrize("broken", [b"", b"\xff", b"[tool", b"[tool]\nrequirements = 3", b"tool = []"])
def test_a_receipt_that_cannot_be_read_is_as_none(tmp_path: Path, broken: bytes) -> None:
    (tmp_path / "uv-receipt.toml").write_bytes(broken)
    assert words(tmp_path) == ["uv", "tool", "install", "daoqi-tui", "--with", *WANTED]


def test_an_environment_of_uvx_is_not_kept_so_that_the_next_one_is_made_with_it(tmp_path: Path) -> None:
    [uvx, *options, name] = words(tmp_path / "uv" / "archive-v0" / "abc")
    assert (uvx, options[-2:], name) == ("uvx", ["--with", *WANTED], "daoqi-tui")


@pytest.mark.skipif(find_spec("pip") is None, reason="no pip in this environment")
def test_in_a_venv_its_own_pip_installs_it(tmp_path: Path) -> None:
    (tmp_path / "pyvenv.cfg").write_text("home = /usr/bin\n")
    assert words(tmp_path, "/a b/bin/python") == ["/a b/bin/python", "-m", "pip", "install", *WANTED]


def test_the_bounds_of_the_extra_are_kept() -> None:
    assert "textual-serve" in install_command("web")
    assert "'torch" in install_command("train")
    assert "'ray" in install_command("cluster")


@pytest.mark.parametrize("with_pip", [True, False])
def test_in_a_new_venv_the_command_does_what_it_says(tmp_path: Path, with_pip: bool) -> None:
    pip = find_spec("pip")
    if not with_pip and pip is None:
        pytest.skip("no pip at all")
    environment = tmp_path / "an environment"
    venv.create(environment, with_pip=with_pip and pip is None)
    python = environment / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    if with_pip and pip is not None and pip.origin is not None:
        # The same as installing it, which takes five seconds.
        code = "import sysconfig; print(sysconfig.get_path('purelib'))"
        folder = subprocess.run([python, "-c", code], capture_output=True, text=True, timeout=HANG, check=True).stdout
        shutil.copytree(Path(pip.origin).parent, Path(folder.strip()) / "pip")
    with ZipFile(tmp_path / "daoqi_example-1.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr("daoqi_example.py", "HERE = True\n")
        info = "daoqi_example-1.0.dist-info"
        wheel.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: daoqi-example\nVersion: 1.0\n")
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{info}/RECORD", "")
    own = Path(sys.executable).parent
    settings = {
        **os.environ,
        "PYTHONPATH": str(CHECKOUT),
        "PIP_NO_INDEX": "1",
        "PIP_FIND_LINKS": tmp_path.as_uri(),
        "PATH": f"{own}{os.pathsep}{os.environ['PATH']}",
    }
    code = (
        "import sys; from pathlib import Path; from daoqi_tui.extras import installing; "
        "from daoqi_tui.cli import MissingExtra, main; "
        "error = MissingExtra('{command}', installing(['daoqi-example>=1,<2'], Path(sys.prefix), sys.executable)); "
        "main._offer(error.command)"
    )
    has = [python, "-c", "import daoqi_example"]
    # Without a terminal nobody is asked; on one, the program installs what it names, if one wants.
    for typed, works in ((None, False), ("\n", False), ("y\n", True)):
        leader, follower = os.openpty()
        if typed is not None:
            os.write(leader, typed.encode())
        entered: dict[str, Any] = (
            {"stdin": subprocess.DEVNULL} if typed is None else {"stdin": follower, "stderr": follower}
        )
        subprocess.run([python, "-c", code], env=settings, timeout=HANG, check=True, **entered)
        os.close(follower)
        os.close(leader)
        assert (subprocess.run(has, timeout=HANG, capture_output=True, check=False).returncode == 0) is works
