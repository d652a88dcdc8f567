"""Make a release: ``make release VERSION=1.1.0``.

It writes the version where it is named, gives the changelog's section its number and date, commits and tags. Nothing
leaves this machine: the commands that publish are printed.
"""

import re
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

VERSION = r"\d+\.\d+\.\d+"
NAMED = {
    "daoqi_tui/__init__.py": rf'(?m)^(__version__ = "){VERSION}(")',
    ".github/CITATION.cff": rf'(?m)^(version: "){VERSION}(")',
    ".packaging/package.nix": rf'(?m)^(  version = "){VERSION}(")',
    ".packaging/daoqi-tui.rb": rf"(?m)(/daoqi_tui-){VERSION}(\.tar\.gz)",
}
CHANGELOG = "CHANGELOG.md"


def git(*words: str) -> str:
    return subprocess.run(["git", *words], capture_output=True, text=True, check=True).stdout.strip()


def refusal(version: str) -> str:
    """Return why there cannot be such a release, empty if there can."""
    if not re.fullmatch(VERSION, version):
        return f"{version!r} is not a version such as 1.1.0"
    if git("status", "--porcelain"):
        return "there are changes that are not committed: commit or remove them first"
    if git("tag", "--list", f"v{version}"):
        return f"version {version} is tagged already"
    last = re.search(rf'"({VERSION})"', Path("daoqi_tui/__init__.py").read_text("utf-8"))
    if last and tuple(map(int, version.split("."))) < tuple(map(int, last[1].split("."))):
        return f"{version} is older than {last[1]}, the version of the checkout"
    unreleased = re.search(r"(?ms)^## \[Unreleased\]\n(.*?)(?=^## |\Z)", Path(CHANGELOG).read_text("utf-8"))
    if not unreleased or not unreleased[1].strip():
        return f"{CHANGELOG} says nothing below Unreleased: a release without changes is none"
    return ""


def main(version: str) -> int:
    if problem := refusal(version):
        sys.stderr.write(f"{problem}\n")
        return 1
    for name, pattern in NAMED.items():
        text, found = re.subn(pattern, rf"\g<1>{version}\g<2>", Path(name).read_text("utf-8"))
        if found != 1:
            sys.stderr.write(f"{name} does not name its version once\n")
            return 1
        Path(name).write_text(text, encoding="utf-8", newline="\n")
    text = Path(CHANGELOG).read_text("utf-8")
    dated = f"## [Unreleased]\n\n## [{version}] - {datetime.now(UTC):%Y-%m-%d}\n"
    Path(CHANGELOG).write_text(text.replace("## [Unreleased]\n", dated, 1), encoding="utf-8", newline="\n")
    git("commit", "--quiet", "--message", f"Version {version}", *NAMED, CHANGELOG)
    git("tag", "--annotate", f"v{version}", "--message", f"Version {version}")
    sys.stdout.write(f"Tagged v{version}. To publish it:\n  git push --follow-tags\n  python -m hatchling build\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else ""))
