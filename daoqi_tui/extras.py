"""The command that installs an extra of the program where it runs: with pipx, as a tool of uv, or in a venv."""

from __future__ import annotations

import re
import shlex
import sys
import sysconfig
import tomllib
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution, requires
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

Extra: TypeAlias = Literal["anywhere", "cluster", "fast", "katrain", "onnx", "server", "ssh", "train", "web"]
_NAME: Final = "daoqi-tui"
_UVX: Final = ("archive-v0", "environments-v2")
"""The folders of uv's cache with the environments of ``uvx``, which are not kept."""


@dataclass(frozen=True, slots=True)
class _DirectUrl:
    """What pip writes about a package that is not from an index (PEP 610)."""

    url: str


def install_command(extra: Extra) -> str:
    """Return the command line that adds an extra to the environment of this program, for a shell."""
    return installing(_requirements(extra), Path(sys.prefix), sys.executable)


def installing(requirements: list[str], prefix: Path, python: str) -> str:
    """Return the command line that adds requirements to an environment.

    Args:
        requirements: as pip takes them.
        prefix: the folder of the environment.
        python: its interpreter.
    """
    if (prefix / "pipx_metadata.json").is_file():
        # The name of the environment: that of the package, and the suffix with which it was installed.
        return _line("pipx", "inject", prefix.name, *requirements)
    added = [word for requirement in requirements for word in ("--with", requirement)]
    if (prefix / "uv-receipt.toml").is_file():
        tool, others = _receipt(prefix / "uv-receipt.toml")
        return _line("uv", "tool", "install", *tool, *others, *added)
    if any(part in _UVX for part in prefix.parts):
        return _line("uvx", *_origin(), *added, _NAME)
    if _of_uv(prefix):
        return _line("uv", "pip", "install", "--python", python, *requirements)
    if find_spec("pip") is None:
        return _line("pip", "--python", python, "install", *requirements)
    forced = ["--break-system-packages"] if _is_systems(prefix) else []
    return _line(python, "-m", "pip", "install", *forced, *requirements)


def _requirements(extra: Extra) -> list[str]:
    try:
        given = requires(_NAME) or []
    except PackageNotFoundError:
        given = []
    marked = (requirement.partition(";") for requirement in given)
    found = [wanted.strip() for wanted, _semicolon, marker in marked if re.search(rf"extra == .{extra}.", marker)]
    return found or [f"{_NAME}[{extra}]"]


def _origin() -> tuple[str, ...]:
    """Return the option of ``uvx`` for the place the program comes from, if that is not an index."""
    from daoqi_tui.codec import JsonError, decode  # noqa: PLC0415 (pip is asked where nothing else is installed)

    try:
        return "--from", decode(distribution(_NAME).read_text("direct_url.json") or "", _DirectUrl).url
    except (PackageNotFoundError, OSError, JsonError):
        return ()


def _receipt(file: Path) -> tuple[list[str], list[str]]:
    """Return what a tool of uv was installed from, and the options for what was installed with it."""
    try:
        tool = tomllib.loads(file.read_text(encoding="utf-8"))["tool"]
        wanted = {each["name"]: each for each in tool["requirements"]}
        own = wanted.pop(_NAME)
        others = [word for each in wanted.values() for word in _with(each)]
        words = ["--editable", _source(own)] if "editable" in own else [_source(own)]
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return [_NAME], []
    return words, others


def _with(requirement: dict[str, Any]) -> tuple[str, str]:
    return "--with-editable" if "editable" in requirement else "--with", _source(requirement)


def _source(requirement: dict[str, Any]) -> str:
    """Return a requirement in a receipt of uv's as its command line takes it."""
    extras = ",".join(requirement.get("extras", ()))
    marked = f"[{extras}]" if extras else ""
    for kind in ("directory", "editable", "path"):
        if kind in requirement:
            return f"{requirement[kind]}{marked}"
    name = f"{requirement['name']}{marked}"
    if "git" in requirement:
        # The receipt has the revision as a query.
        url, _question, revision = requirement["git"].partition("?rev=")
        return f"{name} @ git+{url}@{revision}" if revision else f"{name} @ git+{url}"
    if "url" in requirement:
        return f"{name} @ {requirement['url']}"
    return f"{name}{requirement.get('specifier', '')}"


def _of_uv(prefix: Path) -> bool:
    """Return whether uv made an environment, without pip in it."""
    try:
        made = (prefix / "pyvenv.cfg").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False
    return bool(re.search(r"^uv *=", made, re.MULTILINE)) and find_spec("pip") is None


def _is_systems(prefix: Path) -> bool:
    """Return whether the environment is the system's own, in which pip installs only by force."""
    return prefix == Path(sys.base_prefix) and (Path(sysconfig.get_path("stdlib")) / "EXTERNALLY-MANAGED").is_file()


def _line(*text: str) -> str:
    """Join words to a command line for the shell of this system."""
    if sys.platform == "win32":
        return " ".join(word if re.fullmatch(r"[\w:./\\\[\]~@,=-]+", word) else f'"{word}"' for word in text)
    return shlex.join(text)
