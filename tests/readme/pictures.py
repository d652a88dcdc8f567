"""The screenshots in the README: ``python -m tests.readme.pictures`` regenerates them.

The program opens the sample game in a headless window, and is drawn after some keys are pressed.
Needs the fonts that :mod:`tests.readme.cells` names.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Final, NamedTuple

from PIL import Image

from daoqi_tui.engine import Game
from daoqi_tui.i18n import use_language
from daoqi_tui.play.analyst import REVIEW
from daoqi_tui.play.looks import Options
from daoqi_tui.play.match import Changed
from daoqi_tui.play.review import review
from daoqi_tui.play.session import Session
from daoqi_tui.record import load
from daoqi_tui.tui.panes.torus import TorusView
from tests.readme.cells import many_colours, picture
from tests.readme.pages import DOCS, ROOT
from tests.tui.driving import playing, until

IMAGES: Final = DOCS / "images"
GAME: Final = ROOT / "assets" / "sample.sgf"
SUFFIXES: Final = {"en": "", "zh": ".zh-CN"}
"""File name suffixes, by language."""


class Scene(NamedTuple):
    """What one screenshot shows.

    Attributes:
        name: its file name, without suffix and extension.
        moves: how many moves of the sample game are played.
        keys: the keys pressed after that.
        board: the board theme.
        estimated: whether to wait until the computer has estimated the score.
        reviewed: whether the game is reviewed first.
    """

    name: str
    moves: int
    keys: Sequence[str]
    board: str = "kaya"
    estimated: bool = False
    reviewed: bool = False


SCENES: Final = (
    Scene("game", 115, ("c",), reviewed=True),
    Scene("estimate", 90, ("c", "tab", "tab", "tab", "e"), "slate", estimated=True, reviewed=True),
    Scene("torus", 115, ("3",), "jade"),
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


async def draw(scene: Scene, language: str) -> None:
    """Open the game of a scene in a language, press the keys, and draw the window."""
    use_language(language)
    game = sample_game(scene.moves)
    async with playing((120, 40), options=Options(board=scene.board)) as person:
        person.screen.begin(Session(game=game))
        person.screen.cursor_point = game.node.move.point if game.node.move else 0
        if scene.reviewed:
            players = person.screen.match.players
            line = game.node.path()
            await review(players, game, line, person.screen.match.evaluations, REVIEW)
            person.screen.show_panes(Changed.EVALUATION)
        await person.pilot.press(*scene.keys)
        if scene.estimated:
            await until(person, lambda: person.screen.estimate._by_computer is not None)
        await until(person, lambda: not any(torus.bending for torus in person.app.screen.query(TorusView)))
        await person.pilot.pause(0.5)
        # Not Textual's own SVG screenshot, which has gaps between block characters.
        rows = person.app.screen._compositor.render_strips(person.app.size)
        image = picture(rows, person.app.size.width)
    path = IMAGES / f"{scene.name}{SUFFIXES[language]}.png"
    image.quantize(128, dither=Image.Dither.NONE).save(path, optimize=True)
    print(f"{path.name}: {image.width} × {image.height}, {path.stat().st_size / 1024:.0f} KB")  # noqa: T201


async def draw_all() -> None:
    """Draw every scene in every language."""
    for scene in SCENES:
        for language in SUFFIXES:
            await draw(scene, language)


if __name__ == "__main__":
    many_colours()
    asyncio.run(draw_all())
