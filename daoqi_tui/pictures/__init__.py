"""Pictures of boards: colours, positions as text, SVG, PNG and GIF, and the torus in space.

:data:`EXPORTS` is the table of the files that a game is exported to. The dialog of the screen, the command line, the
check before a file is replaced, help and docs read it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias, cast

from daoqi_tui.i18n import N_, translate
from daoqi_tui.paths import SGF, FileKind

if TYPE_CHECKING:
    from daoqi_tui.engine import Game
    from daoqi_tui.pictures.picture import Drawing, Progress
    from daoqi_tui.pictures.pixels import Animation
    from daoqi_tui.record.sgf.info import Info

Subject: TypeAlias = Literal["board", "game", "pan", "torus", "unrolled"]
SUBJECTS: Final[Mapping[Subject, str]] = {
    "board": N_("the board"),
    "game": N_("the game"),
    "pan": N_("a pan around the torus"),
    "torus": N_("the turning torus"),
    "unrolled": N_("the game unrolled, 2×2 boards"),
}
"""What a file can show, with a description: the position at the cursor, the line through it move by move, and so on."""
_UNROLLED: Final = 2
Writer: TypeAlias = "Callable[[Game, Info, Subject, Drawing, Progress], bytes]"
"""Draws a subject of a game, whose cursor is restored; raises a ValueError, a message, if that is not possible."""


class Export(NamedTuple):
    """A kind of file that a game is exported to.

    Attributes:
        ending: the ending of its name.
        kind: its name, and how such a file begins.
        media_type: its name in the web.
        subjects: what it can show; the first one, unless another is asked for.
        write: makes the file.
    """

    ending: str
    kind: FileKind
    media_type: str
    subjects: tuple[Subject, ...]
    write: Writer

    @property
    def label(self) -> str:
        return SUBJECTS[self.subjects[0]]

    @property
    def is_picture(self) -> bool:
        return self.media_type.startswith("image/")


# Numpy, Pillow and the writers are loaded only for a file that needs them.


def _still(form: str) -> Writer:
    def write(game: Game, _info: Info, _subject: Subject, drawing: Drawing, _progress: Progress) -> bytes:
        from daoqi_tui.pictures.pixels import still_of  # noqa: PLC0415

        return still_of(game, drawing, form)

    return write


def _gif(game: Game, _info: Info, subject: Subject, drawing: Drawing, progress: Progress) -> bytes:
    from daoqi_tui.pictures.pixels import gif_of  # noqa: PLC0415

    return gif_of(game, cast("Animation", subject), drawing, progress)


def _svg(game: Game, info: Info, subject: Subject, drawing: Drawing, _progress: Progress) -> bytes:
    from daoqi_tui.pictures.text import animated_svg, svg_picture, title_of  # noqa: PLC0415

    title = title_of(game, info, translate, drawing.names)
    draw = animated_svg if subject == "game" else svg_picture
    return draw(game, drawing, title).encode()


def _sgf(game: Game, info: Info, _subject: Subject, _drawing: Drawing, _progress: Progress) -> bytes:
    from daoqi_tui.record.sgf.write import dump_unrolled  # noqa: PLC0415

    return dump_unrolled(game, info, _UNROLLED)


_PNG: Final = FileKind("PNG", rb"\x89PNG\r\n\x1a\n")
_GIF: Final = FileKind("GIF", rb"GIF8[79]a")
_SVG: Final = FileKind(
    "SVG",
    rb"(?s)\s*(?:<\?xml\b.*?\?>\s*)?(?:<!--.*?-->\s*|<!DOCTYPE\s+svg\b.*?>\s*)*<svg[\s>]",
)
EXPORTS: Final[Mapping[str, Export]] = {
    export.ending: export
    for export in (
        Export(".png", _PNG, "image/png", ("board",), _still("PNG")),
        Export(".gif", _GIF, "image/gif", ("game", "pan", "torus"), _gif),
        Export(".svg", _SVG, "image/svg+xml", ("board", "game"), _svg),
        Export(".sgf", SGF, "application/x-go-sgf", ("unrolled",), _sgf),
    )
}
"""The kinds of files by their endings; the first one is suggested."""
