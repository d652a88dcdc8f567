"""What is built from the checkout holds what it needs, and no more."""

from __future__ import annotations

import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from daoqi_tui import __version__
from daoqi_tui.assets import assets_folder

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "daoqi_tui"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the wheel and the source archive."""
    folder = tmp_path_factory.mktemp("built")
    done = subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-d", str(folder)],
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


@pytest.fixture(scope="module")
def wheel(built: Path) -> zipfile.ZipFile:
    [path] = built.glob("*.whl")
    return zipfile.ZipFile(path)


def _files_below(folder: Path, prefix: str) -> set[str]:
    return {
        f"{prefix}/{path.relative_to(folder).as_posix()}"
        for path in folder.rglob("*")
        if path.is_file() and path.suffix != ".pyc"
    }


def test_wheel_holds_the_package_and_the_assets(wheel: zipfile.ZipFile) -> None:
    names = {name for name in wheel.namelist() if not name.startswith(f"daoqi_tui-{__version__}.dist-info/")}
    assert names == _files_below(PACKAGE, "daoqi_tui") | _files_below(ROOT / "assets", "daoqi_tui/assets")
    assert {"daoqi_tui/py.typed", "daoqi_tui/tui/app.tcss"} <= names


def test_wheel_tells_its_licence_and_command(wheel: zipfile.ZipFile) -> None:
    info = f"daoqi_tui-{__version__}.dist-info"
    assert "daoqi-tui = daoqi_tui.cli:main" in wheel.read(f"{info}/entry_points.txt").decode()
    assert f"{info}/licenses/LICENSE" in wheel.namelist()


def test_unpacked_wheel_finds_its_files(wheel: zipfile.ZipFile, tmp_path: Path) -> None:
    wheel.extractall(tmp_path)
    program = """
        import sys
        sys.path.insert(0, sys.argv[1])
        from daoqi_tui.assets import assets_folder
        from daoqi_tui.tui import app
        print(assets_folder())
        print(len((assets_folder() / "sample.sgf").read_bytes()))
        print((__import__("pathlib").Path(app.__file__).parent / app.DaoqiApp.CSS_PATH).is_file())
    """
    done = subprocess.run(
        [sys.executable, "-c", "\n".join(line.strip() for line in program.splitlines()), str(tmp_path)],
        cwd=tmp_path,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
    sample = (ROOT / "assets" / "sample.sgf").stat().st_size
    assert done.stdout.split() == [str(tmp_path / "daoqi_tui" / "assets"), str(sample), "True"]


def test_source_archive_can_be_built_and_tested_but_holds_no_clutter(built: Path) -> None:
    [path] = built.glob("*.tar.gz")
    with tarfile.open(path) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"pyproject.toml", "README.md", "LICENSE", "tests/shared_data.py", "daoqi_tui/py.typed", ".ci/run"} <= names
    tops = {name.partition("/")[0] for name in names}
    known = {
        "daoqi_tui",
        "assets",
        "tests",
        "pyproject.toml",
        "README.md",
        "README.zh-CN.md",
        "LICENSE",
        "CHANGELOG.md",
        "CONTRIBUTING.md",
    }
    assert tops <= known | {"PKG-INFO", ".ci", ".gitignore"}
    assert not [name for name in names if "__pycache__" in name or name.endswith(".pyc")]


def test_checkout_finds_its_assets() -> None:
    assert (assets_folder() / "sample.sgf").samefile(ROOT / "assets" / "sample.sgf")
