"""The distributions built from the checkout contain what they need, and nothing else."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from configparser import ConfigParser
from email import message_from_bytes
from email.message import Message
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from daoqi_tui import __version__
from daoqi_tui.cli.parsers import parser_for
from daoqi_tui.cli.program import completion, manual_page
from daoqi_tui.paths import assets_folder

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "daoqi_tui"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel and the source archive; return their folder."""
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


@pytest.fixture(scope="module")
def metadata(wheel: zipfile.ZipFile) -> Message:
    """Return the metadata of the wheel, as a package index shows it."""
    return message_from_bytes(wheel.read(f"daoqi_tui-{__version__}.dist-info/METADATA"))


def _files_below(folder: Path, prefix: str) -> set[str]:
    return {
        f"{prefix}/{path.relative_to(folder).as_posix()}"
        for path in folder.rglob("*")
        if path.is_file() and path.suffix != ".pyc"
    }


def test_wheel_holds_the_package_and_the_assets_without_sources_of_translations(wheel: zipfile.ZipFile) -> None:
    names = {name for name in wheel.namelist() if not name.startswith(f"daoqi_tui-{__version__}.")}
    files = _files_below(PACKAGE, "daoqi_tui") | _files_below(ROOT / "assets", "daoqi_tui/assets")
    assert names == {name for name in files if not name.endswith((".po", ".pot"))}
    assert {
        "daoqi_tui/py.typed",
        "daoqi_tui/tui/app.tcss",
        "daoqi_tui/tui/nocolor.tcss",
        "daoqi_tui/tui/states.tcss",
        "daoqi_tui/locale/zh_CN/LC_MESSAGES/daoqi_tui.mo",
        "daoqi_tui/assets/daoqi.npz",
        "daoqi_tui/assets/daoqi-9x9.npz",
        "daoqi_tui/assets/daoqi-large.npz",
    } <= names


def test_wheel_is_small_beside_the_networks(built: Path, wheel: zipfile.ZipFile) -> None:
    [path] = built.glob("*.whl")
    networks = sum(member.compress_size for member in wheel.infolist() if member.filename.endswith((".npz", ".bin.gz")))
    assert path.stat().st_size - networks < 2_000_000


def test_description_needs_nothing_outside_the_package(metadata: Message) -> None:
    assert metadata["Description-Content-Type"] == "text/markdown"
    text = metadata.get_payload(decode=True)
    assert isinstance(text, bytes)
    description = text.decode("utf-8")
    assert re.findall(r"^## .*", description, re.MULTILINE) == [
        "## Install",
        "## First steps",
        "## More ways to play",
        "## Licence",
    ]
    assert re.findall(r"!\[|\]\((?!https?:)|<!--", description) == []


def test_metadata_names_who_and_for_which_python(metadata: Message) -> None:
    assert (metadata["Version"], metadata["Author"]) == (__version__, "The daoqi-tui authors")
    # The project has no e-mail address or website, so none may be listed.
    assert (metadata["Author-email"], metadata["Home-page"], metadata["Project-URL"]) == (None, None, None)
    versions = [
        classifier.rpartition(" :: ")[2]
        for classifier in metadata.get_all("Classifier", [])
        if re.fullmatch(r"Programming Language :: Python :: 3\.\d+", classifier)
    ]
    assert versions == ["3.11", "3.12", "3.13"]
    assert metadata["Requires-Python"] == f">={versions[0]}"


def test_what_users_install_is_bounded_on_both_sides() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = project["optional-dependencies"]
    needed = [
        *project["dependencies"],
        *(name for extra in sorted(extras.keys() - {"all", "dev", "site"}) for name in extras[extra]),
    ]
    assert [name for name in needed if not re.fullmatch(r"[\w-]+>=[\d.]+,<[\d.]+", name)] == []


def test_changelog_begins_with_this_version() -> None:
    text = (ROOT / "CHANGELOG.md").read_text("utf-8")
    releases = re.findall(r"^## \[(.+?)\](.*)", text, re.MULTILINE)
    [(version, date), *_older] = [release for release in releases if release[0] != "Unreleased"]
    assert version == __version__
    assert re.fullmatch(r" - \d{4}-\d\d-\d\d", date)
    kinds = set(re.findall(r"^### (.*)", text, re.MULTILINE))
    assert kinds <= {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}


def test_wheel_tells_its_licence_and_command(wheel: zipfile.ZipFile) -> None:
    info = f"daoqi_tui-{__version__}.dist-info"
    assert "daoqi-tui = daoqi_tui.__main__:main" in wheel.read(f"{info}/entry_points.txt").decode()
    assert f"{info}/licenses/LICENSE" in wheel.namelist()


def test_a_wheel_brings_manual_completions_and_a_desktop_entry_to_their_places(wheel: zipfile.ZipFile) -> None:
    prefix = f"daoqi_tui-{__version__}.data/data/share/"
    shared = {name.removeprefix(prefix): wheel.read(name).decode() for name in wheel.namelist() if ".data/" in name}
    made = {
        "man/man1/daoqi-tui.1": manual_page(parser_for()),
        "bash-completion/completions/daoqi-tui": completion("bash", parser_for()),
        "zsh/site-functions/_daoqi-tui": completion("zsh", parser_for()),
        "fish/vendor_completions.d/daoqi-tui.fish": completion("fish", parser_for()),
    }
    assert {name: text for name, text in shared.items() if name in made} == made
    entry = ConfigParser(interpolation=None, strict=True)
    entry.optionxform = str  # type: ignore[assignment, method-assign]
    entry.read_string(shared.pop("applications/daoqi-tui.desktop"))
    told = dict(entry["Desktop Entry"])
    # What the specification requires, and what a program in a terminal needs.
    assert {"Type", "Name", "Exec", "Terminal"} <= told.keys()
    assert (told["Type"], told["Terminal"]) == ("Application", "true")
    assert told["Exec"].split()[0] == "daoqi-tui"
    assert all(told[name].endswith(";") for name in ("Categories", "Keywords", "MimeType"))
    icon = ET.fromstring(shared.pop(f"icons/hicolor/scalable/apps/{told['Icon']}.svg"))
    assert icon.tag == "{http://www.w3.org/2000/svg}svg"
    assert shared.keys() == made.keys()


def test_the_same_sources_make_the_same_files(built: Path, tmp_path: Path) -> None:
    """Also in another place, at another time and for somebody who reads Chinese."""
    environment = {**os.environ, "LANG": "zh_CN.UTF-8", "LANGUAGE": "zh_CN", "TZ": "Asia/Shanghai"}
    command = [sys.executable, "-m", "hatchling", "build", "-d", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, env=environment, stdin=subprocess.DEVNULL, capture_output=True, check=True)
    for file in built.iterdir():
        assert file.read_bytes() == (tmp_path / file.name).read_bytes()


def test_unpacked_wheel_finds_its_files(wheel: zipfile.ZipFile, tmp_path: Path) -> None:
    wheel.extractall(tmp_path)
    program = """
        import sys
        sys.path.insert(0, sys.argv[1])
        from daoqi_tui.paths import assets_folder
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
    assert {
        "pyproject.toml",
        "README.md",
        "LICENSE",
        "tests/shared_data.py",
        "daoqi_tui/py.typed",
        ".ci/run",
        "Makefile",
    } <= names
    assert {"daoqi_tui/locale/daoqi_tui.pot", "docs/images/moving.svg"} <= names
    tops = {name.partition("/")[0] for name in names}
    known = {
        "daoqi_tui",
        "assets",
        "docs",
        "tests",
        "pyproject.toml",
        "README.md",
        "README.zh-CN.md",
        "LICENSE",
        "CHANGELOG.md",
        "CONTRIBUTING.md",
        "Makefile",
        "uv.lock",
    }
    assert tops <= known | {"PKG-INFO", ".ci", ".github", ".packaging", ".gitignore", ".pre-commit-config.yaml"}
    assert not [name for name in names if "__pycache__" in name or name.endswith(".pyc")]


def test_checkout_finds_its_assets() -> None:
    assert (assets_folder() / "sample.sgf").samefile(ROOT / "assets" / "sample.sgf")


_RECIPES = ROOT / ".packaging"


def test_recipes_are_for_this_version_and_its_libraries() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    nix, brew = ((_RECIPES / name).read_text("utf-8") for name in ("package.nix", "daoqi-tui.rb"))
    assert f'version = "{__version__}"' in nix
    assert f"daoqi_tui-{__version__}.tar.gz" in brew
    needed = {re.split(r"[<>=]", each)[0] for each in project["dependencies"]}
    assert set(nix.partition("dependencies = with python3Packages; [")[2].partition("]")[0].split()) == needed


def test_the_container_starts_a_server_with_extras_that_there_are() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    text = (_RECIPES / "Containerfile").read_text("utf-8")
    [extras] = re.findall(r"/src\[([\w,]+)\]", text)
    assert set(extras.split(",")) <= set(project["optional-dependencies"])
    [words] = re.findall(r"^ENTRYPOINT (.*)", text, re.MULTILINE)
    program, *arguments = json.loads(words)
    assert program in project["scripts"]
    options = parser_for("serve").parse_args(arguments)
    assert (options.lobby, options.host) == (True, "0.0.0.0")
    assert re.findall(r"^EXPOSE (.*)", text, re.MULTILINE) == [str(options.port), str(options.ssh)]
    assert text.index("\nUSER ") < text.index("\nENTRYPOINT "), "the server has no rights"
