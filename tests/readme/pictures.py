"""The screenshots in the README: ``python -m tests.readme.pictures`` regenerates them.

The program opens a reviewed game in a real kitty (:mod:`tests.readme.kitty`), and its window is taken after some keys
are pressed. Chinese needs the font Noto Sans CJK.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from PIL import Image

from daoqi_tui.engine import Game
from daoqi_tui.record import dump, load
from tests.readme.kitty import Kitty, missing
from tests.readme.pages import DOCS, ROOT

IMAGES: Final = DOCS / "images"
GAME: Final = ROOT / "assets" / "sample.sgf"
SUFFIXES: Final = {"en": "", "zh": ".zh-CN"}
"""File name suffixes, by language."""
_WINDOW: Final = 1200, 800
_MOVES: Final = 115
_VISITS: Final = 16
"""Visits of the review for each position."""
_MOST_COLOURS: Final = 256


class Scene(NamedTuple):
    """What one screenshot shows.

    Attributes:
        name: its file name, without suffix and extension.
        keys: the keys pressed at the end of the game.
        board: the board theme.
        shown: what the text of the window fulfils then.
    """

    name: str
    keys: Sequence[str]
    board: str
    shown: Callable[[str], bool]


SCENES: Final = (
    Scene("game", "c", "kaya", lambda text: "A10 · 6" in text),
    Scene("estimate", (*"[" * 25, "c", *["Tab"] * 3, "e"), "slate", lambda text: "±" in text),
    Scene("torus", "3", "jade", lambda text: "▶" not in text and "A10" in text),
)


def sample_game(moves: int) -> Game:
    """Return a game with the first moves of the sample game."""
    game = Game()
    for node in load(GAME.read_bytes()).game.root.line()[:moves]:
        assert node.move is not None
        if node.move.is_pass:
            game.pass_turn()
        else:
            game.play(node.move.point)
    return game


def reviewed_game(folder: Path) -> Path:
    """Write the beginning of the sample game into a folder, reviewed."""
    games, settings = folder / "games", folder / "config" / "daoqi-tui" / "config.toml"
    for each in (games, settings.parent):
        each.mkdir(parents=True)
    settings.write_text(f"[analysis]\nreview_visits = {_VISITS}\nreview_seconds = 60\n", encoding="utf-8")
    file = games / "game.sgf"
    file.write_bytes(dump(sample_game(_MOVES)))
    homes = {f"XDG_{name.upper()}_HOME": str(folder / name) for name in ("state", "data", "config", "cache")}
    subprocess.run([sys.executable, "-m", "daoqi_tui", "review", str(games)], env={**os.environ, **homes}, check=True)
    return file


def draw(scene: Scene, language: str, game: Path) -> None:
    """Open a game in a language, press the keys of a scene, and take the window."""
    with Kitty([str(game), "--board", scene.board, "--lang", language], _WINDOW) as kitty:
        kitty.until(lambda text: "▶" in text)
        kitty.press("End", *scene.keys)
        kitty.until(scene.shown)
        image = kitty.at_rest()
    path = IMAGES / f"{scene.name}{SUFFIXES[language]}.png"
    image.quantize(_MOST_COLOURS, dither=Image.Dither.NONE).save(path, optimize=True)
    print(f"{path.name}: {image.width} × {image.height}, {path.stat().st_size / 1024:.0f} KB")  # noqa: T201


def main() -> None:
    """Draw every scene in every language."""
    if reason := missing():
        print(reason)  # noqa: T201
        return
    with tempfile.TemporaryDirectory() as folder:
        game = reviewed_game(Path(folder))
        for scene in SCENES:
            for language in SUFFIXES:
                draw(scene, language, game)


if __name__ == "__main__":
    main()
