"""The functions of the commands of text mode, by name; the commands themselves are in :mod:`daoqi_tui.commands.text`.

A function gets the game and the text typed after the command's name, and yields lines to print.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

from daoqi_tui.ai import Position
from daoqi_tui.commands.text import BY_NAME, TEXT_COMMANDS
from daoqi_tui.engine import BLACK, EMPTY, PASS, WHITE, Colour, GameOver, Refusal
from daoqi_tui.i18n import _, listed, plural, with_suggestion
from daoqi_tui.paths import library_folder
from daoqi_tui.pictures.text import text_picture
from daoqi_tui.plain import analysis, games
from daoqi_tui.plain.analysis import spoken
from daoqi_tui.plain.game import AtBoard, PlainGame
from daoqi_tui.plain.problems import answered, guess, guessed, problem
from daoqi_tui.play.analyst import TEACH_FROM, describe_difference, describe_teaching
from daoqi_tui.play.background import Wait
from daoqi_tui.play.editing import Editor
from daoqi_tui.play.events import WHY_DECLINED, Declined
from daoqi_tui.play.position import PositionEditor
from daoqi_tui.play.reading import Reader
from daoqi_tui.play.wording import (
    Unable,
    colour_word,
    describe_chain,
    describe_move,
    describe_no_ladder,
    describe_refusal,
    describe_score,
    describe_turn,
    ladder_text,
    opening_text,
    sentence,
    two_sentences,
)
from daoqi_tui.reading.ladder import ladder_points, read_ladder
from daoqi_tui.record.formats import ENDINGS, is_record
from daoqi_tui.text import half_width, plain_line
from daoqi_tui.typed import whole_number

if TYPE_CHECKING:
    from daoqi_tui.analysis.opening_records import SearchResult

# Playing


def play_at(person: PlainGame, typed: str) -> Iterator[str]:
    """Play on a typed point."""
    game = person.game
    try:
        point = game.torus.parse(half_width(typed).rstrip("."), person.style)
    except ValueError:
        # A pasted game, or a file dropped onto the window.
        if is_record(typed) or typed.rstrip("'\" ").lower().endswith(ENDINGS):
            raise Unable(_("Records are opened from files: open game.sgf.")) from None
        first, last = person.name(game.torus.points - game.torus.size), person.name(game.torus.size - 1)
        problem = _("{typed} is neither a point from {first} to {last} nor a command").format(
            typed=plain_line(typed)[:40], first=first, last=last
        )
        suggested = with_suggestion(problem, typed.split(maxsplit=1)[0], BY_NAME)
        text = suggested if suggested != problem else sentence(two_sentences(problem, _("Type help for a list")))
        raise Unable(text) from None
    yield from _answered(person, point) or _made(person, person.match.play(point))


def _answered(person: PlainGame, move: int) -> Iterator[str] | None:
    """Answer the guess or the problem that waits for one; None while a game is played."""
    if person.guessing is not None:
        return guessed(person, person.guessing, move)
    return None if person.practice is None else answered(person, person.practice, move)


def _pass(person: PlainGame, _rest: str) -> Iterator[str]:
    return _answered(person, PASS) or _made(person, person.match.pass_turn())


def _made(person: PlainGame, refusal: Refusal | Declined | None) -> Iterator[str]:
    """Word a move and whose turn is next, or why it was refused."""
    if isinstance(refusal, GameOver):
        raise _over()
    if isinstance(refusal, Declined):
        # No computer thinks while a line is answered, but teach mode may be waiting for an answer.
        raise Unable(_("Type undo to choose another move, or go to keep this one."))
    if refusal is not None:
        raise Unable(describe_refusal(refusal, person.game.torus, person.style))
    yield from person.news.lines()
    if not person.game.is_over:
        yield from person.next_turn()


def _over() -> Unable:
    return Unable(_("The game is over. Type resume to play on, undo, save FILE, or quit."))


def _undo(person: PlainGame, _rest: str) -> Iterator[str]:
    """Undo the last move, with a computer's answer."""
    game, match = person.game, person.match
    before, ended = game.node, game.node.ending is not None
    if len(person.session.persons) == 1:
        # Ctrl+C stopped only one thought; the next move is answered again.
        match.unpause()
    undone = match.undo()
    if isinstance(undone, Declined):
        raise Unable(_(WHY_DECLINED[undone]))
    if undone is not None:
        yield _("Undone: {move}.").format(move=undone.label)
        return
    if ended:
        yield _("The end of the game is undone.")
    taken, node = [], before
    while node is not game.node and node.parent is not None:
        taken.append(describe_move(node, game.torus, person.style))
        node = node.parent
    if taken:
        yield _("Undone: {move}.").format(move=listed(taken))
    yield describe_turn(game)


def _redo(person: PlainGame, _rest: str) -> Iterator[str]:
    redone = person.match.redo()
    if isinstance(redone, Declined):
        raise Unable(_("There is nothing to redo."))
    yield from _made(person, None) if redone is None else [sentence(redone.describe())]


def _resign(person: PlainGame, _rest: str) -> Iterator[str]:
    if person.match.resign() is not None:
        raise _over()
    yield from person.news.lines()


def _dead(person: PlainGame, rest: str) -> Iterator[str]:
    """Mark a chain as dead, or alive again; without a point, mark the stones that a computer considers dead."""
    if not rest:
        yield from analysis.propose_dead(person)
        return
    point = _chain_point(person, "dead", rest)
    if person.match.mark_dead(point) is not None:
        raise Unable(_("Dead stones are marked when two passes have ended the game."))
    dead = point in person.game.dead
    text = _("The chain at {point} is dead.") if dead else _("The chain at {point} is alive.")
    yield text.format(point=person.name(point))
    yield describe_turn(person.game)
    yield from map(sentence, describe_difference(person.game))


def _resume(person: PlainGame, _rest: str) -> Iterator[str]:
    declined = person.match.resume()
    if declined is not None:
        raise Unable(_(WHY_DECLINED[declined]))
    yield _("The game goes on.")
    yield describe_turn(person.game)


# Computers


def _take_seat(person: PlainGame, rest: str, colour: Colour) -> Iterator[str]:
    """Change the player of a side from here on."""
    if not rest:
        raise Unable(
            _(
                "Name a player: {side} 5 for the computer at level 5, {side} person for a human, "
                "{side} engine COMMAND for a GTP engine."
            ),
            side="black" if colour == BLACK else "white",
        )
    with Unable.instead_of(ValueError):
        seat = games.at_my_level(person, games.read_seat(rest), person.game.torus.size)
    person.waiting.run(person.match.seat(*((seat, None) if colour == BLACK else (None, seat))))
    yield person.describe_seat(colour)
    yield from person.next_turn()


def _go(person: PlainGame, _rest: str) -> Iterable[str]:
    """Have a computer move here, whoever plays this side; unpause the computers."""
    if person.game.is_over:
        raise _over()
    if person.match.turns.questioned is not None:
        person.match.turns.keep_move()
    else:
        person.match.unpause()
        person.match.move_now()
    return ()


def _teach(person: PlainGame, rest: str) -> Iterator[str]:
    """Turn teach mode on or off."""
    points = 0 if rest == "off" else whole_number(rest or str(TEACH_FROM), 1, 100)
    if points is None:
        raise Unable(
            _("Give the loss in points from which to warn, 1 to 100: {command} 3, or {command} off."), command="teach"
        )
    person.teach = points
    yield sentence(spoken(describe_teaching(points)) if points else _("Teach mode off"))


# Reading the board


def _board(person: PlainGame, _rest: str) -> Iterator[str]:
    yield from text_picture(person.game, person.style, corner=person.corner).splitlines()


def _shift(person: PlainGame, rest: str) -> Iterator[str]:
    steps = read_shift(rest)
    if steps is None:
        raise Unable(_("Give a direction and a distance: shift r3, or shift l2 u1."))
    down, right = person.corner[0] + steps[0], person.corner[1] + steps[1]
    torus = person.game.torus
    person.corner = down % torus.size, right % torus.size
    yield _("{point} is now at the top left.").format(point=person.name(torus.point(down, right)))
    yield from _board(person, "")


_STEP: Final = re.compile(r"([lrud])\s*(\d{0,3})[\s,]*")
_WAYS: Final = {"l": (0, -1), "r": (0, 1), "u": (-1, 0), "d": (1, 0)}
_MOVES_A_LINE: Final = 10


def read_shift(text: str) -> tuple[int, int] | None:
    """Parse a shift such as ``r3`` or ``l2 u1`` as ``(down, right)``; None if it is not one.

    >>> read_shift("r3"), read_shift("L2 u"), read_shift("north")
    ((0, 3), (-1, -2), None)
    """
    text = text.lower()
    if not re.fullmatch(f"(?:{_STEP.pattern})+", text):
        return None
    down = right = 0
    for way, number in _STEP.findall(text):
        count = int(number or 1)
        down, right = down + _WAYS[way][0] * count, right + _WAYS[way][1] * count
    return down, right


def _moves(person: AtBoard, _rest: str) -> Iterator[str]:
    """List the moves, ten to a line."""
    game = person.game
    made = [node for node in game.node.path() if node.move is not None]
    if not made:
        yield _("No move has been made.")
    for first in range(0, len(made), _MOVES_A_LINE):
        tens = made[first : first + _MOVES_A_LINE]
        words = [
            f"{colour_word(node.move.colour)} {describe_move(node, game.torus, person.style)}"
            for node in tens
            if node.move
        ]
        yield _("From move {number}: {moves}.").format(number=first + 1, moves=listed(words))


def _stones(person: AtBoard, _rest: str) -> Iterator[str]:
    """Name all stones, from the top row down."""
    colours = person.game.board.colours
    for colour in (BLACK, WHITE):
        points = [person.name(point) for point in range(person.game.torus.points) if colours[point] == colour]
        count = plural("{count} stone", "{count} stones", len(points))
        named = _("{count}: {points}").format(count=count, points=listed(points)) if points else count
        yield sentence(_("{colour}, {chain}").format(colour=colour_word(colour), chain=named))


def _around(person: AtBoard, rest: str) -> Iterator[str]:
    """Describe a point and its four neighbours; at a border of the drawing they are on the other side."""
    torus, colours = person.game.torus, person.game.board.colours
    point = _named_point(person, "around", rest)

    def said(place: int) -> str:
        return _("{point} {stone}").format(
            point=person.name(place), stone=colour_word(colours[place]) if colours[place] else _("empty")
        )

    # Not `torus.neighbours`, which lists a point only once if it is the neighbour on two sides, as on 2 by 2.
    yield sentence(said(point))
    yield _("Above: {up}; to the right: {right}; below: {down}; to the left: {left}.").format(
        up=said(torus.shift(point, -1, 0)),
        right=said(torus.shift(point, 0, 1)),
        down=said(torus.shift(point, 1, 0)),
        left=said(torus.shift(point, 0, -1)),
    )


def _chain(person: AtBoard, rest: str) -> Iterator[str]:
    point = _chain_point(person, "chain", rest)
    chain = person.game.chain_at(point)
    assert chain is not None
    yield sentence(_("{colour}, {chain}").format(colour=colour_word(chain.colour), chain=spoken(describe_chain(chain))))
    yield _("Stones: {points}.").format(points=listed(map(person.name, chain.stones)))
    yield _("Liberties: {points}.").format(points=listed(map(person.name, chain.liberties)))


def _named_point(person: AtBoard, command: str, rest: str) -> int:
    """Return the point that the user named; raises Unable if it is none."""
    try:
        return person.game.torus.parse(rest, person.style)
    except ValueError:
        text = _("Name a point: {command} {point}.").format(command=command, point=person.example())
        raise Unable(text) from None


def _chain_point(person: AtBoard, command: str, rest: str) -> int:
    """Return the point of a stone that the user named; raises Unable if there is none."""
    point = _named_point(person, command, rest)
    if person.game.chain_at(point) is None:
        raise Unable(_("There is no stone at {point}."), point=person.name(point))
    return point


def _ladder(person: PlainGame, rest: str) -> Iterator[str]:
    game = person.game
    point = _chain_point(person, "ladder", rest)
    if refusal := game.board.no_liberties():
        raise Unable(describe_refusal(refusal, game.torus, person.style))
    try:
        ladder = read_ladder(game.board, point)
        target = ladder.target
        if len(target.liberties) > 2:
            raise Unable(spoken(describe_no_ladder(target, person.name(point))))
        found = ladder_points(game.board, point)
    except KeyboardInterrupt:
        raise Unable(_("Stopped.")) from None
    yield from ladder_text(ladder, found, game.torus, person.style).splitlines()


def _opening(person: PlainGame, _rest: str) -> Iterator[str]:
    from daoqi_tui.analysis.opening import opening_of  # noqa: PLC0415

    lines = opening_text(opening_of(person.game), person.game.torus, person.style).splitlines()
    yield from (sentence(spoken(line)) for line in lines)


def _find(person: PlainGame, rest: str) -> Iterator[str]:
    """List the games of the library with this position, or with a rectangle of it."""
    from daoqi_tui.play.openings import search_lines, shape_between  # noqa: PLC0415 (few search)

    game, style = person.game, person.style
    with Unable.instead_of(ValueError):
        shape = shape_between(game, rest, style) if rest else None
    # The next moves of other games are advice.
    person.match.note_help()
    position = Position.of(game)

    wait = Wait(_("Searching the library; Ctrl+C stops."))

    def say(share: float) -> None:
        wait.done = _("Indexing the library: {share}").format(share=f"{share:.0%}") if share < 1 else ""

    async def search() -> SearchResult:
        reader = Reader()
        try:
            return await reader.search(library_folder(), position, shape, say)
        finally:
            await reader.close()

    found = analysis.answer(person, search(), wait)
    if not found.hits:
        raise Unable(_("No game in your library has it"))
    shown = replace(found, hits=found.hits[:_GAMES_TOLD])
    yield from (sentence(spoken(line.strip())) for line in search_lines(shown, game.torus, style))
    if found.statistics.tally.games > _GAMES_TOLD:
        yield _("These are the first {count} games.").format(count=_GAMES_TOLD)


_GAMES_TOLD: Final = 20
"""The number of games that a search lists."""


# Help


def _help(person: PlainGame, _rest: str) -> Iterator[str]:
    point = _("a point, such as {point}").format(point=person.example())
    heading = ""
    for command in TEXT_COMMANDS:
        if command.group != heading:
            heading = command.group
            yield _("{heading}:").format(heading=_(heading))
            if command is TEXT_COMMANDS[0]:
                yield _("{typed}: {deed}.").format(typed=point, deed=_("play there"))
        yield _("{typed}: {deed}.").format(typed=listed(command.examples(person.example())), deed=command.deed)


def _put(person: PlainGame, rest: str) -> Iterator[str]:
    """Set up or remove stones, or set the side to move."""
    what, *points = rest.split() or [""]
    sides = {"black": BLACK, "white": WHITE, "empty": EMPTY}
    turn = sides.get(points[0]) if what == "turn" and len(points) == 1 else None
    if not turn and (what not in sides or not points):
        raise Unable(
            _("Name what to put and where: put black {point}, put empty {point}, put turn white."),
            point=person.example(),
        )
    editor = PositionEditor.of(person.game)
    if turn:
        editor.to_move = turn
    else:
        for typed in points:
            try:
                editor.stones[person.game.torus.parse(typed, person.style)] = sides[what]
            except ValueError:
                raise Unable(
                    _("{typed} is not a point of this board; nothing was changed."), typed=plain_line(typed)[:40]
                ) from None
    stone = editor.stifled()
    if stone is not None:
        raise Unable(_("The chain at {point} would have no liberty; nothing was changed."), point=person.name(stone))
    if person.match.set_up(editor) is not None:
        raise _over()
    yield _("Set up.")
    yield from _stones(person, "")
    yield describe_turn(person.game)


READING: Final[Mapping[str, Callable[[AtBoard, str], Iterable[str]]]] = {
    "turn": lambda person, _rest: games.describe_position(person),
    "moves": _moves,
    "stones": _stones,
    "around": _around,
    "chain": _chain,
}
"""The commands that describe a board, in an online game as well."""
HANDLERS: Final[Mapping[str, Callable[[PlainGame, str], Iterable[str]]]] = {
    "pass": _pass,
    "undo": _undo,
    "redo": _redo,
    "resign": _resign,
    "dead": _dead,
    "resume": _resume,
    "put": _put,
    "black": partial(_take_seat, colour=BLACK),
    "white": partial(_take_seat, colour=WHITE),
    "rating": games.rating,
    "teach": _teach,
    "go": _go,
    "back": games.back,
    "forward": games.forward,
    "variation": games.variation,
    "comment": games.write_comment,
    "annotate": games.annotate,
    "delete": partial(games.edit, Editor.delete),
    "cut": partial(games.edit, Editor.cut),
    "copy": games.copy,
    "paste": partial(games.edit, Editor.paste),
    "promote": partial(games.edit, Editor.promote),
    "flatten": games.flatten,
    "info": games.describe_game,
    **READING,
    "board": _board,
    "shift": _shift,
    "score": lambda person, _rest: describe_score(person.game),
    "ladder": _ladder,
    "opening": _opening,
    "find": _find,
    "hint": analysis.hint,
    "analyse": analysis.analyse,
    "estimate": analysis.estimate,
    "mistakes": analysis.mistakes,
    "summary": analysis.summary,
    "new": games.new,
    "problem": problem,
    "guess": guess,
    "open": games.open_file,
    "save": games.save,
    "games": games.unfinished,
    "continue": games.continue_game,
    "help": _help,
    "quit": games.quit_game,
}
