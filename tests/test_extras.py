"""The command that the program names for a missing extra: it fits the environment that the program runs in."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import venv
from ast import literal_eval
from importlib.util import find_spec
from pathlib import Path
from typing import Any, get_args
from zipfile import ZipFile

import pytest

from daoqi_tui.extras import Extra, _requirements, install_command, installing
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


def new_venv(folder: Path, *, with_pip: bool) -> Path:
    """Make a virtual environment; return its interpreter."""
    pip = find_spec("pip")
    venv.create(folder, with_pip=with_pip and pip is None)
    python = folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    if with_pip and pip is not None and pip.origin is not None:
        # The same as installing it, which takes five seconds.
        code = "import sysconfig; print(sysconfig.get_path('purelib'))"
        found = subprocess.run([python, "-c", code], capture_output=True, text=True, timeout=HANG, check=True).stdout
        shutil.copytree(Path(pip.origin).parent, Path(found.strip()) / "pip")
    return python


def write_wheel(folder: Path, name: str, version: str) -> None:
    """Write the wheel of a package of one empty module."""
    with ZipFile(folder / f"{name}-{version}-py3-none-any.whl", "w") as wheel:
        wheel.writestr(f"{name}.py", "HERE = True\n")
        info = f"{name}-{version}.dist-info"
        wheel.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{info}/RECORD", "")


def with_wheels_of(folder: Path) -> dict[str, str]:
    """Return variables with which pip knows no index but a folder, and is found."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return {**os.environ, "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": folder.as_uri(), "PATH": path}


@pytest.mark.skipif(find_spec("pip") is None, reason="no pip in this environment")
def test_the_command_for_every_extra_installs_what_the_extra_needs(tmp_path: Path) -> None:
    """With empty packages of the same names in place of the index: torch alone has gigabytes."""
    python = new_venv(tmp_path / "venv", with_pip=True)
    code = "import sys; from importlib.metadata import distributions as d; print(sorted(x.name for x in d()))"
    names, wanted = set[str](), list[str]()
    for extra in get_args(Extra):
        command = installing(_requirements(extra), tmp_path / "venv", str(python))
        assert command.endswith(install_command(extra).partition(" install ")[2]), "the program says the same"
        found = re.findall(r"([a-z-]+)(?:<[\d.]+,)?>=([\d.]+)", command)
        assert found, command
        for name, version in found:
            write_wheel(tmp_path, name.replace("-", "_"), version)
            names.add(name.replace("-", "_"))
        words = shlex.split(command)
        assert words[:4] == [str(python), "-m", "pip", "install"], command
        wanted += words[4:]
    # All at once: each start of pip takes a second.
    done = subprocess.run(
        [python, "-m", "pip", "install", *wanted],
        env=with_wheels_of(tmp_path),
        capture_output=True,
        text=True,
        timeout=HANG,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    told = subprocess.run([python, "-c", code], capture_output=True, text=True, timeout=HANG, check=True).stdout
    assert names <= {name.replace("-", "_") for name in literal_eval(told)}


@pytest.mark.parametrize("with_pip", [True, False])
def test_in_a_new_venv_the_command_does_what_it_says(tmp_path: Path, with_pip: bool) -> None:
    pip = find_spec("pip")
    if not with_pip and pip is None:
        pytest.skip("no pip at all")
    python = new_venv(tmp_path / "an environment", with_pip=with_pip)
    write_wheel(tmp_path, "daoqi_example", "1.0")
    settings = {**with_wheels_of(tmp_path), "PYTHONPATH": str(CHECKOUT)}
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
