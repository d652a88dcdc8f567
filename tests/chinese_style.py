"""Checks Chinese text against the style that CONTRIBUTING describes: punctuation, Latin words and terms.

`faults` takes any text. ``python -m tests.chinese_style`` prints the catalogue entries that have faults.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

LATIN: Final = frozenset(
    re.split(
        r"\s+",
        "daoqi-tui Daoqi Go PNG GIF gif png Tromp-Taylor Python Textual Torogo KataGo GNU Sabaki FSRS GoGui Node Ray "
        "RAVE UCT Tromp Taylor Elo shell roff JSON SGF GTP SVG MiB TOML UTF-8 TLS HTTP MIT FF GPU CPU ASCII URL cookie "
        "ONNX onnx pip pipx uv iroh ray Wilson CUDA numba numpy torch Transformer KaTrain katrain textual-serve "
        "goproblems.com GIB NGF UGF UGI Tygem WBaduk PandaNet kitty Ghostty WezTerm Konsole Sensei's Library "
        "import-linter Sixel OpenSSH asyncssh ssh Tailscale ZeroTier WireGuard nginx IPv6 xterm foot tmux screen "
        "Firefox ESR Chromium WebGL JavaScript Debian Ubuntu Linux Windows English CONTRIBUTING.md CHANGELOG.md README "
        "ONNX onnx daoqi-9x9 daoqi-large Glicko-2 SQLite PostgreSQL WebSocket "
        "Ctrl Shift Alt Esc Enter Tab Space Home End Backspace Delete PageUp PageDown",
    )
)
"""Latin words allowed in Chinese text: names, formats, keys."""
TYPED: Final = frozenset(
    re.split(
        r"\s+",
        "TERM X-Forwarded-For COLORTERM HOME LANG NO_COLOR xterm-256color truecolor zh_CN.UTF-8 C.UTF-8 Shift_JIS "
        "fighting territory influence simple STYLE bin.gz txt.gz game.sgf assets person mine level engine net FILE "
        "COMMAND none yes white black None "
        "serve config train help undo save resume quit shift continue pass space left ctrl fill "
        "new open forward variation games komi handicap "
        "display.graphics terminal-features "
        "get set unset look.board doctor play DAOQI_TUI_LOOK_BOARD language local share state cache game "
        "ADDRESS CODE NxS accept dead decline go.example.org guest host join mzxw6ytb-abcd nigiri "
        "put empty turn size date opening openings list make check problems problem guess kind level stop next again "
        "hint all keys.命令名 say wss torus stones superko simple situational positional suicide tromp-taylor "
        "kata-analyze lz-analyze ansi text anywhere direct bot daoqi-9x9 daoqi-large "
        "sqlalchemy sqlite postgresql USER PASSWORD HOST NAME admin accounts account reports report close mute ban "
        "copy link vacation rated webhook http https ban-address find computer code",
    )
)
"""Words typed literally, which the catalogue may contain: variables, files, commands and values."""
TERMS: Final = {
    "停着": "虚着",
    "同形禁着": "禁全同",
    "贴点": "贴目",
    "推演": "模拟",
    "征死": "征子成立",
    "成征点": "补征点",
    "破征点": "引征点",
    "差距": "目差",
    "打谱": "播放",
    "老师": "教师网络",
    "点目": "数子",
    "死活题": "题目",
    "反驳": "破解",
    "基本时间": "保留时间",
    "您": "你",
    "访问次数": "计算量",
    "次访问": "计算量",
    "按访问": "计算量",
    "主人一方": "房主",
    "网络对局": "联网对局",
    "从任何地方": "经互联网",
}
"""Words to avoid, and their replacements."""
_PLACEHOLDER: Final = re.compile(r"\{[^{}]*\}|%\(\w+\)[sr]|%[sr]")
"""A placeholder in a sentence."""
_FILLED: Final = "\ufffc"
"""Stands for a placeholder, whose value may be Chinese."""
_HAN: Final = r"\u3400-\u4dbf\u4e00-\u9fff"
_HALF_WIDTH: Final = re.compile(
    rf"(?<=[{_HAN}{_FILLED}])\s?[,;:!?()]|(?<=[{_HAN}{_FILLED}])\.(?![.\w])"
    # Typed words may have a colon before a placeholder: level:{{level}}.
    rf"|[,;:!?()]\s?(?=[{_HAN}])|(?<![A-Za-z])[,;:!?()]\s?(?={_FILLED})"
)
_LATIN_WORD: Final = re.compile(r"[A-Za-z][\w.'-]*[\w]|[A-Za-z]")
_POINT_OR_NUMBER: Final = re.compile(r"[A-Za-z]{1,2}\d*|\d+[A-Za-z]+")
_PART: Final = re.compile(r"\[/?[a-z #$.-]*\]|https?://\S+|--[a-z-]+|\"[^\"\n]*\"|'[\w\[\]-]+'")
"""Markup, addresses, options, and literal text in straight quotes."""
_PAIR: Final = re.compile(rf"\([\d{_FILLED}]+,\s?[\d{_FILLED}]+\)")
"""Column and row as a pair of numbers."""


def faults(text: str, latin: Iterable[str] = LATIN) -> list[str]:
    """Return the style faults of a Chinese text, in the order of their positions.

    Args:
        text: text for readers, from which code has been removed.
        latin: the allowed Latin words; single letters and names of points such as ``K10`` are always allowed.
    """
    known = frozenset(latin)
    words = _PAIR.sub("0", _PART.sub("0", _PLACEHOLDER.sub(_FILLED, text)))
    found = [
        *((match, f"half-width {match[0].strip()!r}") for match in _HALF_WIDTH.finditer(words)),
        *(
            (match, f"the word {match[0]!r}")
            for match in _LATIN_WORD.finditer(words)
            if match[0] not in known and not _POINT_OR_NUMBER.fullmatch(match[0])
        ),
        *(
            (match, f"{term} instead of {better}")
            for term, better in TERMS.items()
            for match in re.finditer(term, words)
        ),
    ]
    found.sort(key=lambda fault: fault[0].start())
    return [f"{fault} in {_around(words, match)}" for match, fault in found]


def _around(text: str, match: re.Match[str]) -> str:
    return repr(text[max(0, match.start() - 8) : match.end() + 8])


def faults_of_catalogue() -> Iterator[tuple[str, str]]:
    """Yield each fault of the catalogue with the English source text.

    Search words of commands are skipped: they may be pinyin initials, or words that the style avoids.
    """
    from daoqi_tui.commands.screen import COMMANDS
    from daoqi_tui.config import SETTINGS
    from tests.catalogue import read

    searched = {command.words for command in COMMANDS}
    values = {choice for setting in SETTINGS for choice in setting.choices if isinstance(choice, str)}
    for message in read("zh_CN"):
        texts = [message.string] if isinstance(message.string, str) else message.string
        if message.id and message.id not in searched:
            for text in texts:
                yield from ((str(message.id), fault) for fault in faults(text, LATIN | TYPED | values))


def main() -> None:
    """Print the faults of the catalogue and their number."""
    found = list(faults_of_catalogue())
    for message, fault in found:
        print(f"{message!r}: {fault}")  # noqa: T201
    print(f"{len(found)} faults")  # noqa: T201


if __name__ == "__main__":
    main()
