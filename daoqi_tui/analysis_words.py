"""Ladders and openings told in lines of text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from daoqi_tui.i18n import _, plural

if TYPE_CHECKING:
    from daoqi_tui.analysis.ladder import Ladder, LadderPoints
    from daoqi_tui.analysis.opening_class import Opening
    from daoqi_tui.analysis.symmetry import Symmetry
    from daoqi_tui.engine import Style, Torus

_SHOWN: Final = 30
"""Moves of a standard form that are told."""


def ladder_text(ladder: Ladder, points: LadderPoints | None, torus: Torus, style: Style) -> str:
    """Whether a chain is captured, the moves that show it, and where one more stone would change that."""
    from daoqi_tui.engine import PASS, opponent  # noqa: PLC0415
    from daoqi_tui.engine.colour import name_of  # noqa: PLC0415

    results = {"captured": _("captured"), "escapes": _("escapes"), "undecided": _("undecided")}
    target = ladder.target
    names = " ".join(torus.name(stone, style) for stone in target.stones)
    liberties = len(target.liberties)
    whose, first = (_(name_of(colour).capitalize()) for colour in (target.colour, ladder.to_move))
    room = plural("{count} liberty", "{count} liberties", liberties)
    head = _("{whose} {names}, {liberties}, {first} to play: {result}").format(
        whose=whose, names=names, liberties=room, first=first, result=results[ladder.result]
    )
    if ladder.line:
        head += plural(" in {count} ply", " in {count} plies", ladder.plies)
    lines = [head]
    moves = []
    for number, point in enumerate(ladder.line, 1):
        colour = ladder.to_move if number % 2 else opponent(ladder.to_move)
        moves.append(
            f"{number}.{name_of(colour)[0].upper()} {_('pass') if point == PASS else torus.name(point, style)}"
        )
    lines += ["  " + "  ".join(moves[start : start + 8]) for start in range(0, len(moves), 8)]
    if points is not None:
        breaks = ladder.result == "captured"
        for black, found in ((True, points.black), (False, points.white)):
            where = " ".join(torus.name(point, style) for point in found) or _("nowhere")
            if breaks and black:
                words = _("One more black stone breaks it on {count} points: {where}")
            elif breaks:
                words = _("One more white stone breaks it on {count} points: {where}")
            elif black:
                words = _("One more black stone makes it work on {count} points: {where}")
            else:
                words = _("One more white stone makes it work on {count} points: {where}")
            lines.append(words.format(count=len(found), where=where))
        if points.undecided:
            lines.append(
                plural("{count} question stayed undecided", "{count} questions stayed undecided", len(points.undecided))
            )
    return "\n".join(lines) + "\n"


def opening_text(opening: Opening, torus: Torus, style: Style) -> str:
    """The opening's number and name, its moves in standard form, and how they were turned into it."""
    from daoqi_tui.analysis.opening_class import class_count  # noqa: PLC0415
    from daoqi_tui.engine import PASS  # noqa: PLC0415

    kind = opening.kind
    if kind is None:
        head = _("No class: the game does not begin with a black and a white play on the empty board")
    else:
        name = f"{kind.name.english} · {kind.name.chinese}"
        head = _("Opening {number} of {count}").format(number=kind.number, count=class_count(torus.size)) + f": {name}"
    moves = [_("pass") if move == PASS else torus.name(move, style) for move in opening.moves[:_SHOWN]]
    more = " …" if len(opening.moves) > _SHOWN else ""
    standard = _("Standard moves: {moves}").format(moves=(" ".join(moves) or _("none")) + more)
    symmetry = _("Symmetry: {symmetry}").format(symmetry=_symmetry_words(opening.symmetry))
    return f"{head}\n{standard}\n{symmetry}\n"


def _symmetry_words(symmetry: Symmetry) -> str:
    steps = []
    if symmetry.transposed:
        steps.append(_("rows and columns swapped"))
    if symmetry.turns:
        steps.append(plural("{count} quarter turn clockwise", "{count} quarter turns clockwise", symmetry.turns))
    if symmetry.down or symmetry.right:
        steps.append(_("shifted {down} down and {right} right").format(down=symmetry.down, right=symmetry.right))
    return _(", then ").join(steps) or _("none needed")
