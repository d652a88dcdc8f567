"""Commands of text mode about whole games: new ones, files, unfinished ones, and stepping through the moves."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from daoqi_tui.engine import parse_rules, points_text
from daoqi_tui.i18n import _, listed
from daoqi_tui.message import Message
from daoqi_tui.paths import is_there, typed_path
from daoqi_tui.plain.game import AtBoard, PlainGame
from daoqi_tui.play.editing import INFORMATION, Edit, Editor, describe_copied
from daoqi_tui.play.keeper import check_target, must_ask, save_as
from daoqi_tui.play.session import PERSON, Computer, EngineSeat, GameSetup, Seat, Session
from daoqi_tui.play.wording import (
    ANNOTATION_LABELS,
    Unable,
    brief_result,
    colour_word,
    describe_move,
    describe_notes,
    describe_rules,
    describe_turn,
    is_address,
    sentence,
)
from daoqi_tui.record.files import read_record
from daoqi_tui.record.sgf.info import read_result, result_of
from daoqi_tui.record.sgf.markup import comment, set_comment, toggle_annotation
from daoqi_tui.record.text import SgfError
from daoqi_tui.text import plain, plain_line
from daoqi_tui.typed import (
    STRONGEST,
    WEAKEST,
    checked_style,
    level_number,
    read_handicap,
    read_komi,
    read_size,
    whole_number,
)

_FARTHEST: Final = 999_999_999


# Another game


def new(person: PlainGame, rest: str) -> Iterator[str]:
    """Begin another game; settings that are not typed are kept, except for the handicap."""
    with Unable.instead_of(ValueError):
        setup = read_setup(rest, person.session.setup)
        black, white = (at_my_level(person, seat, setup.size) for seat in (setup.black_seat, setup.white_seat))
        session = Session(setup._replace(black_seat=black, white_seat=white))
    person.check_left("new")
    yield from _go_over(person, session)


_OPTION: Final = re.compile(r"--(torus|flat|game +([1-9]\d{0,5}))(?: +|$)", re.ASCII)


def open_file(person: PlainGame, rest: str) -> Iterator[str]:
    """Open a file instead of the game."""
    torus, number = None, 1
    while found := _OPTION.match(rest):
        rest = rest[found.end() :]
        if found[2]:
            number = int(found[2])
        else:
            torus = found[1] == "torus"
    if not rest:
        raise Unable(_("Name a file: open game.sgf."))
    path = typed_path(rest)
    if rest.startswith("--") and not is_there(path):
        raise Unable(
            _("open takes --torus or --flat, and --game 2 for the second game of a file, but not {option}."),
            option=" ".join(rest.split()[: 1 + rest.startswith("--game ")]),
        )
    if is_address(rest) and not is_there(path):
        raise Unable(_("Web pages are not opened: save the SGF file there, and open that."))
    with Unable.instead_of(SgfError):
        session = Session.opened(read_record(path, open_files=False), torus, path, index=number - 1)
    person.check_left("open")
    yield from _go_over(person, session)


def continue_game(person: PlainGame, rest: str) -> Iterator[str]:
    """Resume an unfinished game."""
    if person.keeper is None:
        raise Unable(_("There is no unfinished game."))
    number = whole_number(rest or "1", 0, _FARTHEST)
    if number is None:
        raise Unable(_("Name a game by its number: continue 1."))
    path = person.keeper.path_of(number)
    person.check_left("continue")
    session, told = person.keeper.take_up(path, saved=person.is_saved)
    yield from told
    person.begin(session)
    game = person.game
    yield _("Game resumed: {size} by {size}, komi {komi}.").format(size=game.torus.size, komi=f"{game.komi:g}")
    yield from person.describe_game()


def unfinished(person: PlainGame, _rest: str) -> Iterator[str]:
    offers = list(person.keeper.offers()) if person.keeper is not None else []
    yield from offers or [_("There is no unfinished game.")]


def save(person: PlainGame, rest: str) -> Iterator[str]:
    if not rest:
        raise Unable(_("Name a file: save game.sgf."))
    path, file = typed_path(rest), plain_line(rest)
    check_target(path)
    if must_ask(person.session, path) and path != person.replaces:
        person.replaces = path
        raise Unable(
            _("{file} already exists. Type save {file} again to replace it, or choose another name."), file=file
        )
    with Unable.writing(file, (OSError, ValueError)):
        person.saved = save_as(person.session, path)
    yield _("Saved as {file}.").format(file=file)


def quit_game(person: PlainGame, _rest: str) -> Iterator[str]:
    """Quit; if the game would be lost, only when typed a second time."""
    person.check_left("quit")
    yield from person.leave()


def _go_over(person: PlainGame, session: Session) -> Iterator[str]:
    """Leave the game for another, and describe that."""
    if person.keeper is not None:
        yield from person.keeper.go_over(session, saved=person.is_saved)
    person.begin(session)
    game = person.game
    yield _("A game of {size} by {size}, komi {komi}.").format(size=game.torus.size, komi=f"{game.komi:g}")
    yield from person.describe_game()


def read_setup(text: str, before: GameSetup) -> GameSetup:
    """Read the settings of a new game, such as ``9 komi 3.5 handicap 2 white 5``.

    Args:
        text: a size, and names of settings, each followed by its value.
        before: the settings of the previous game, as defaults.

    Raises:
        ValueError: it cannot be read.

    >>> setup = read_setup("9 komi 3.5 white 5", GameSetup())
    >>> setup.size, setup.komi, setup.white_seat
    (9, 3.5, Computer(level=5, seconds=None, style=''))
    """
    setup = before._replace(handicap=0, black="", white="", time=None)
    words = text.split()
    if words and words[0].isdecimal():
        words.insert(0, "size")
    while words:
        name = words.pop(0).lower()
        read = _SETTINGS.get(name)
        if read is None:
            raise ValueError(_unknown(name))
        if not words:
            raise ValueError(Message("{name} needs a value: new 9 komi 4 handicap 2 white 5", name=name))
        # The rest is the command line of an engine.
        count = len(words) if read is read_seat and words[0] == "engine" else 1
        value, words = " ".join(words[:count]), words[count:]
        setup = setup._replace(**{_FIELDS.get(name, name): read(value)})
    return setup


def _unknown(name: str) -> Message:
    return Message(
        "unknown setting {name}: use {settings}",
        name=repr(plain_line(name)[:40]),
        settings=listed(_SETTINGS),
    )


def at_my_level(person: PlainGame, seat: Seat, size: int) -> Seat:
    """Return the seat, with the level by the user's rating if requested."""
    if not isinstance(seat, Computer) or not seat.mine or person.keeper is None:
        return seat
    return replace(seat, level=person.keeper.keeper.ratings.level(size, seat.level))


def rating(person: PlainGame, _rest: str) -> Iterator[str]:
    """Show the user's rating on boards of this size."""
    size = person.game.torus.size
    found = person.keeper.keeper.ratings.of(size) if person.keeper is not None else None
    if found is None:
        yield _("No game on {size} by {size} is rated yet.").format(size=size)
    else:
        yield sentence(found.describe())


def read_seat(text: str) -> Seat:
    """Parse a player: ``5``, ``mine`` for the level by the rating, ``person`` or ``engine COMMAND``.

    A style may follow a level: ``5:fighting``.

    Raises:
        ValueError: it is not a player, or the command cannot be parsed.
    """
    word, _space, command = text.partition(" ")
    if word == "engine" and command.strip():
        return EngineSeat(command.strip())
    if text == "person":
        return PERSON
    word, colon, style = text.partition(":")
    if colon:
        checked_style(style)
    if word == "mine":
        return Computer(style=style, mine=True)
    level = level_number(word)
    if level is None:
        raise ValueError(
            Message(
                "invalid player {text}: use a level from {weakest} to {strongest}, such as 4.5, mine, person, or "
                "engine COMMAND",
                text=repr(plain_line(text)[:40]),
                weakest=WEAKEST,
                strongest=STRONGEST,
            )
        )
    return Computer(level, style=style)


_SETTINGS: Final[Mapping[str, Callable[[str], Any]]] = {
    "size": read_size,
    "komi": read_komi,
    "handicap": read_handicap,
    "rules": parse_rules,
    "black": read_seat,
    "white": read_seat,
}
_FIELDS: Final = {"black": "black_seat", "white": "white_seat"}
"""The fields of :class:`GameSetup` for settings with a different name."""


# Stepping through the moves


def back(person: PlainGame, rest: str) -> Iterator[str]:
    """Go back some moves, without undoing them."""
    if not person.match.back(_steps("back", rest)):
        raise Unable(_("This is the start."))
    yield from _viewed(person)


def forward(person: PlainGame, rest: str) -> Iterator[str]:
    """Go forward some moves, along the line that was viewed last."""
    if not person.match.forward(_steps("forward", rest)):
        raise Unable(_("This is the last move."))
    yield from _viewed(person)


def variation(person: PlainGame, _rest: str) -> Iterator[str]:
    person.match.next_variation()
    yield from _viewed(person)


def _steps(command: str, text: str) -> int:
    steps = whole_number(text or "1", 1, _FARTHEST)
    if steps is None:
        raise Unable(_("Name a number of moves: {command} 5."), command=command)
    return steps


def _viewed(person: PlainGame) -> Iterator[str]:
    yield from person.news.lines()
    yield from describe_position(person)


def describe_position(person: AtBoard) -> Iterator[str]:
    """Describe the last move, the turn, the comment, and the variations."""
    game = person.game
    node = game.node
    if node.move is not None:
        move = describe_move(node, game.torus, person.style)
        yield _("The last move: {colour} {move}.").format(colour=colour_word(node.move.colour), move=move)
    yield describe_turn(game)
    yield from map(sentence, describe_notes(node, game.torus, person.style, spoken=True))
    text = comment(node)
    if text:
        yield _("Comment: {text}").format(text=plain(text).strip())
    others = [child for child in node.children if child.move is not None]
    if len(others) > 1:
        moves = listed(describe_move(child, game.torus, person.style) for child in others)
        yield _("Moves played from here: {moves}. Type variation at one of them for the next.").format(moves=moves)


def write_comment(person: PlainGame, rest: str) -> Iterator[str]:
    """Show the comment on this move, or write one."""
    node = person.game.node
    if rest:
        person.match.annotate(node, lambda: set_comment(node, "" if rest == "-" else rest))
    text = comment(node)
    yield _("Comment: {text}").format(text=plain(text).strip()) if text else _("There is no comment on this move.")


# Editing the record


def edit(operation: Callable[[Editor], Edit], person: PlainGame, _rest: str = "") -> Iterator[str]:
    """Edit the record, and say what was done."""
    done = person.match.edit(operation)
    yield sentence(done.describe())
    if done.children:
        yield from describe_position(person)


def copy(person: PlainGame, _rest: str) -> Iterator[str]:
    yield sentence(describe_copied(person.match.editor.copy()))


def flatten(person: PlainGame, _rest: str) -> Iterator[str]:
    return edit(lambda editor: editor.flatten(person.match.variations.line), person)


def annotate(person: PlainGame, rest: str) -> Iterator[str]:
    """Add or remove an annotation, named in English or in the language of the user."""
    names = {word.lower(): kind for kind, label in ANNOTATION_LABELS.items() for word in (kind, _(label))}
    kind, node = names.get(rest.lower()), person.game.node
    if kind is None:
        known = listed(map(_, ANNOTATION_LABELS.values()))
        raise Unable(_("Name an annotation: {annotations}."), annotations=known)
    person.match.annotate(node, lambda: toggle_annotation(node, kind))
    yield sentence(next(describe_notes(node, person.game.torus, person.style, spoken=True), _("No annotation")))


def describe_game(person: PlainGame, rest: str) -> Iterator[str]:
    """Show the game information, or change a part of it."""
    session, game = person.session, person.game
    name, _space, text = rest.partition(" ")
    text = "" if text.strip() == "-" else text.strip()
    info, komi, rules = session.described(), game.komi, game.rules
    if not rest:
        for field, label in INFORMATION.items():
            said = getattr(info, field)
            if field == "result":
                said = brief_result(result_of(game) if said is None else said)
            if said:
                yield _("{label}: {value}.").format(label=_(label), value=plain_line(said))
        yield _("{label}: {value}.").format(label=_("Komi"), value=points_text(komi))
        yield _("{label}: {value}.").format(label=_("Rules"), value=describe_rules(rules))
        return
    with Unable.instead_of(ValueError):
        if name == "komi":
            komi = read_komi(text)
        elif name == "rules":
            rules = parse_rules(text)
        elif name in INFORMATION:
            changed: dict[str, Any] = {name: read_result(text) if name == "result" else text}
            info = replace(info, **changed)
        else:
            raise Unable(_("Name one of {fields}."), fields=listed((*INFORMATION, "komi", "rules")))
    yield from edit(lambda editor: editor.describe(info, komi, rules), person)
