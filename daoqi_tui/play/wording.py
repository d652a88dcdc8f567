"""Moves, refusals, counts, results, ladders and openings in words.

Keys can be remapped, so no sentence contains a key: it has the command in braces, ``"{undo} undoes your move"``, and
:func:`with_keys` replaces it by its key, or by its name in text mode.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from daoqi_tui.commands.screen import key_of
from daoqi_tui.engine import (
    BLACK,
    DAOQI,
    PASS,
    TROMP_TAYLOR,
    WHITE,
    Area,
    Chain,
    Colour,
    Game,
    GameOver,
    Node,
    NoLiberties,
    Occupied,
    OutOfTime,
    Refusal,
    Repeats,
    Resignation,
    Result,
    Rules,
    Style,
    Suicide,
    Torus,
    opponent,
    points_text,
)
from daoqi_tui.engine.rules import PRESETS, RULE_FIELDS, SIMPLE, colour_message, name_of
from daoqi_tui.i18n import N_, SentenceError, _, language, listed, plural, translate
from daoqi_tui.message import spaced
from daoqi_tui.paths import SLOW
from daoqi_tui.text import cell_width

if TYPE_CHECKING:
    from daoqi_tui.ai.process import PlayerError
    from daoqi_tui.analysis.opening import Opening
    from daoqi_tui.reading.ladder import Ladder, LadderPoints
    from daoqi_tui.reading.symmetry import Symmetry
    from daoqi_tui.record.journal import SaveFailure
    from daoqi_tui.record.sgf.markup import Annotation

_SHOWN: Final = 30
"""The maximum number of moves of a standard form that are listed."""


class Unable(SentenceError):
    """A command that cannot do what it says; the text is the reason, in the user's language.

    A face catches it where it runs commands, and says the reason.
    """


def with_keys(sentence: str, **parts: object) -> str:
    """Fill in a translated sentence: ``parts``, and keys for names of commands in braces."""
    return spaced(sentence, parts).format_map(_Parts(parts))


class _Parts(dict[str, object]):
    def __missing__(self, name: str) -> str:
        return key_of(name)


def sentence(text: str) -> str:
    """End words with a full stop, unless they end already."""
    return text if text.endswith((".", "。", "?", "？")) else _("{words}.").format(words=text)


def two_sentences(first: str, second: str) -> str:
    """Join two sentences that come without a full stop."""
    return _("{first}. {second}").format(first=first, second=second)


def fitting(parts: Iterable[str], room: int) -> str:
    """Join the parts in at most ``room`` cells: if they do not fit, closer together, then without the last ones."""
    parts = [part for part in parts if part]
    for count in range(len(parts), 0, -1):
        for gap in ("  ·  ", " · "):
            line = gap.join(parts[:count])
            if cell_width(line) <= room:
                return line
    return "".join(parts[:1])


def colour_word(colour: Colour) -> str:
    return _("Black") if colour == BLACK else _("White")


def describe_refusal(refusal: Refusal, torus: Torus, style: Style) -> str:
    match refusal:
        case Occupied(point=point):
            return _("{point} is occupied: play on an empty point").format(point=torus.name(point, style))
        case Repeats(point=point, move=0, to_move=to_move):
            return _("{point} would repeat the starting position with {colour} to move").format(
                point=torus.name(point, style), colour=colour_word(to_move)
            )
        case Repeats(point=point, move=move, to_move=to_move):
            return _("{point} would repeat the position after move {move} with {colour} to move").format(
                point=torus.name(point, style), move=move, colour=colour_word(to_move)
            )
        case Suicide(point=point):
            return _("{point} would be suicide, which these rules forbid").format(point=torus.name(point, style))
        case GameOver():
            return with_keys(_("The game is over: {resume} resumes it, {new_game} starts a new one"))
        case NoLiberties():
            return _("A chain stands here without liberties, as recorded: play and score in another position")


def describe_against(refusal: Refusal, rules: Rules) -> str:
    """Say what the rules have against a recorded move."""
    match refusal:
        case Repeats(move=move):
            text = _("This repeats the position after move {move}: the rules ({rules}) forbid it, but it was recorded")
            return text.format(move=move, rules=translate(rules))
        case Occupied():
            return _("This move is on a stone, which it replaces: the rules forbid it, but it was recorded")
    return _("This move is suicide: the rules ({rules}) forbid it, but it was recorded").format(rules=translate(rules))


def describe_mark(refusal: Refusal) -> str:
    """Return the mark, in the list of moves, of a recorded move or setup that :func:`describe_against` describes."""
    match refusal:
        case Repeats(move=move):
            return _("repeats {move}").format(move=move)
        case Occupied():
            return _("on a stone")
        case Suicide():
            return _("suicide")
    return _("no liberties")


ANNOTATION_LABELS: Final[dict[Annotation, str]] = {
    "good move": N_("Good move"),
    "very good move": N_("Very good move"),
    "bad move": N_("Bad move"),
    "very bad move": N_("Very bad move"),
    "doubtful move": N_("Doubtful move"),
    "interesting move": N_("Interesting move"),
    "hotspot": N_("Hotspot"),
    "even": N_("Even position"),
    "good for Black": N_("Good for Black"),
    "good for White": N_("Good for White"),
    "unclear": N_("Unclear position"),
}


def annotation_signs(node: Node) -> str:
    """Return the signs of the annotations of a node, such as ``!? =``; empty without any."""
    if not node.properties:
        return ""
    from daoqi_tui.record.sgf.markup import ANNOTATIONS, annotations_of  # noqa: PLC0415 (few nodes have any)

    return " ".join(ANNOTATIONS[each][2] for each in annotations_of(node))


def describe_notes(node: Node, torus: Torus, style: Style, *, spoken: bool = False) -> Iterator[str]:
    """Word the annotations, and the arrows and lines, of a node; the comment is not repeated.

    Without signs where they are ``spoken``.
    """
    if not node.properties:
        return
    from daoqi_tui.record.sgf.markup import ANNOTATIONS, annotations_of, links  # noqa: PLC0415 (few nodes have any)

    found = [(ANNOTATIONS[each][2], _(ANNOTATION_LABELS[each])) for each in annotations_of(node)]
    if found:
        yield listed(label for _sign, label in found) if spoken else "  ·  ".join(map(" ".join, found))
    drawn = links(node, torus.size)
    for kind, text, sign in (("arrow", _("Arrows: {points}"), "→"), ("line", _("Lines: {points}"), "–")):
        pairs = [(torus.name(link.start, style), torus.name(link.end, style)) for link in drawn if link.kind == kind]
        if pairs:
            to = _("{start} to {end}") if spoken else f"{{start}}{sign}{{end}}"
            yield text.format(points=listed(to.format(start=start, end=end) for start, end in pairs))


def describe_rules(rules: Rules) -> str:
    """Name rules: a preset, or what differs from Daoqi's."""
    if replace(rules, komi=TROMP_TAYLOR.komi) == TROMP_TAYLOR:
        return _("Tromp–Taylor (free passes, draws)")
    if str(rules) in PRESETS:
        return translate(rules)
    cost = _("a pass costs {count} points").format(count=rules.pass_cost) if rules.pass_cost else _("free passes")
    different = {
        "superko": _("simple ko") if rules.superko == SIMPLE else _("positional superko"),
        "suicide": _("no suicide"),
        "pass_cost": cost,
        "tie": _("Black wins a tie") if rules.tie else _("draws"),
    }
    return listed(
        different.get(name, f"{name}={field.word(value)}")
        for name, field in RULE_FIELDS.items()
        if (value := getattr(rules, name)) != getattr(DAOQI, name)
    )


_ADDRESS: Final = r"(?:https?://|www\.)\S+|[\w-]+(?:\.[\w-]+)+/\S*"


def is_address(text: str) -> bool:
    """Return whether a text is the address of a web page."""
    return re.fullmatch(_ADDRESS, text.strip(), re.IGNORECASE) is not None


def describe_address() -> str:
    return _("Web pages are not opened: save the SGF file there and drop it here, or paste its text")


def describe_no_library(error: OSError) -> str:
    return _("The game could not be saved in the library: {reason}").format(reason=translate(error))


def describe_no_rating(error: OSError) -> str:
    """Say why the result of a rated game does not count yet."""
    text = _("The rating could not be saved, which is tried again after the next game: {reason}")
    return text.format(reason=translate(error))


def describe_not_evaluated(problem: PlayerError) -> str:
    return _("Teach mode cannot evaluate this move: {reason}").format(reason=translate(problem))


def describe_move(node: Node, torus: Torus, style: Style) -> str:
    """Name the move of a node: ``K9``, ``pass``, ``setup`` or ``start``."""
    if node.move is None:
        return _("start") if node.parent is None else _("setup")
    return _("pass") if node.move.is_pass else torus.name(node.move.point, style)


def move_name(move: int, torus: Torus, style: Style) -> str:
    return _("pass") if move == PASS else torus.name(move, style)


def describe_line(line: tuple[int, ...], torus: Torus, style: Style) -> str:
    return " ".join(move_name(move, torus, style) for move in line)


def describe_made(game: Game, node: Node, removed: Iterable[int], style: Style) -> Iterator[str]:
    """Word the move of ``node``, just made, with the stones it removed."""
    move = node.move
    if move is None:
        return
    gone = [game.torus.name(point, style) for point in removed]
    colour = colour_word(move.colour)
    own = "" if move.is_pass else game.torus.name(move.point, style)
    text = _("{colour} passes").format(colour=colour) if move.is_pass else f"{colour} {own}"
    if node.captured:
        taken = plural("captures {count} stone", "captures {count} stones", node.captured)
        text += _(", {what}: {points}").format(what=taken, points=listed(gone))
    elif node.lost:
        lost = plural("suicide, {count} stone lost", "suicide, {count} stones lost", node.lost)
        text += _(", {what}: {points}").format(what=lost, points=listed([*gone, own]))
    yield sentence(text)
    if node.against:
        yield sentence(describe_against(node.against, game.rules))


def describe_waiting(count: int) -> str:
    return plural("{count} game waits for your move", "{count} games wait for your move", count)


def describe_failing(failing: SaveFailure | None) -> str:
    """Say that saving fails and why, or that it works again."""
    if failing is None:
        return _("Saving works again: nothing was lost")
    text = _("The game cannot be saved: {why}. You can play on; saving in {file} will be tried again")
    return text.format(file=failing.file, why=translate(failing.cause))


def describe_unsaved(failing: SaveFailure | None, waited: float) -> tuple[str, str] | None:
    """Return the mark shown while moves are not on disk, with the reason; None if they are, or soon will be.

    Args:
        failing: why a change cannot be saved now.
        waited: the seconds for which the oldest change has been waiting for the disk.
    """
    if failing is not None:
        return describe_not_saved(failing)
    return (_("NOT SAVED YET"), _("slow disk, {seconds} s").format(seconds=int(waited))) if waited >= SLOW else None


def describe_not_saved(failing: SaveFailure) -> tuple[str, str]:
    """Return the mark shown while saving fails, with the reason, short enough for a narrow pane."""
    why = {
        "full": _("disk full"),
        "read-only": _("read-only disk"),
        "forbidden": _("no permission"),
        "other": translate(failing.reason),
    }[failing.why]
    return _("NOT SAVED"), why


def describe_no_ladder(chain: Chain, name: str) -> str:
    """Say that a chain, called by one of its points, has too many liberties for a ladder."""
    text = _("{chain} has {count} liberties: no ladder")
    return text.format(chain=f"{colour_word(chain.colour)} {name}", count=len(chain.liberties))


def describe_chain(chain: Chain) -> str:
    stones = plural("{count} stone", "{count} stones", len(chain.stones))
    return stones + " · " + plural("{count} liberty", "{count} liberties", len(chain.liberties))


def describe_margin(area: Area) -> str:
    """Say who is ahead and by how much, with the tie rule."""
    if not area.winner:
        return _("Equal: the game is drawn")
    if area.tie and area.winner == BLACK:
        return _("Equal: Black wins a tie")
    if area.tie:
        return _("Equal: White wins a tie")
    return _("{colour} by {points}").format(colour=colour_word(area.winner), points=points_text(abs(area.margin)))


def describe_sum(area: Area, colour: Colour) -> str:
    """Write out one player's score: ``12 + 30 − 1 = 41``."""
    side = area.player(colour)
    text = f"{side.stones} + {side.territory} − {side.passes}"
    if side.komi:
        text += f" + {signed(side.komi)}"
    return f"{text} = {signed(side.total)}"


def describe_points(lost: float) -> str:
    rounded = f"{lost:.1f}"
    return _("1 point") if rounded == "1.0" else _("{points} points").format(points=rounded)


def describe_loss(move: str, lost: float) -> str:
    """Say what a move loses, by its name."""
    if f"{lost:.1f}" == "0.0":
        return _("{move} loses nothing").format(move=move)
    return _("{move} loses {lost}").format(move=move, lost=describe_points(lost))


def signed(points: float) -> str:
    """Format points with a minus sign as wide as a plus sign."""
    return points_text(points).replace("-", "−")


def describe_now(area: Area, pass_cost: int) -> str:
    """Word a score in one line: ``Black 88 − 2 passes = 86, White 90 + 4 = 94``.

    Args:
        area: the score.
        pass_cost: the points that a pass costs; ``− 3 × 2 passes`` if it is not one.
    """
    return _(", ").join(_describe_side(area, colour, pass_cost) for colour in (BLACK, WHITE))


def _describe_side(area: Area, colour: Colour, pass_cost: int) -> str:
    side = area.player(colour)
    text = f"{colour_word(colour)} {side.stones + side.territory}"
    if side.passes:
        text += " − " + (f"{pass_cost} × " if pass_cost > 1 else "")
        text += plural("{count} pass", "{count} passes", side.passes // pass_cost)
    if side.komi:
        text += f" {'+' if side.komi > 0 else '−'} {points_text(abs(side.komi))}"
    return f"{text} = {signed(side.total)}" if side.passes or side.komi else text


def describe_score(game: Game) -> Iterator[str]:
    """Write out the score, a sentence for each player and one for who is ahead."""
    if refusal := game.board.no_liberties():
        yield sentence(describe_refusal(refusal, game.torus, "daoqi"))
        return
    yield from describe_sides(game)
    yield sentence(describe_margin(game.area(game.dead)))


def describe_sides(game: Game) -> Iterator[str]:
    """Write out the score of each player in a sentence, without the passes and the komi of a player who has none."""
    area = game.area(game.dead)
    for colour in (BLACK, WHITE):
        side = area.player(colour)
        parts = [_("stones {count}").format(count=side.stones), _("territory {count}").format(count=side.territory)]
        if side.passes:
            parts.append(_("minus {points} for passes").format(points=side.passes))
        if side.komi:
            parts.append(_("komi {komi}").format(komi=points_text(side.komi)))
        yield _("{colour}, {total} in all: {parts}.").format(
            colour=colour_word(colour), total=points_text(side.total), parts=listed(parts)
        )


def describe_turn(game: Game) -> str:
    result = game.result
    if result is not None:
        return _("The game is over. {result}.").format(result=describe_result(result))
    return _("Move {number}, {colour} to move.").format(number=game.node.number + 1, colour=colour_word(game.to_move))


def describe_result(result: Result) -> str:
    if not result.winner:
        return _("Equal: the game is drawn")
    winner = colour_word(result.winner)
    match result.ending:
        case Resignation(loser=loser):
            return _("{loser} resigns: {winner} wins").format(loser=colour_word(loser), winner=winner)
        case OutOfTime(loser=loser):
            return _("{loser} ran out of time: {winner} wins").format(loser=colour_word(loser), winner=winner)
    if not result.margin:
        return _("Equal: Black wins a tie") if result.winner == BLACK else _("Equal: White wins a tie")
    return _("{winner} wins by {points}").format(winner=winner, points=points_text(result.margin))


def brief_result(result: str) -> str:
    """Word a result in the form of SGF for a list of games; any other text stays as it is."""
    from daoqi_tui.record.sgf.info import result_message  # noqa: PLC0415 (a first paint reads no record)

    return translate(result_message(result))


def ladder_text(ladder: Ladder, points: LadderPoints | None, torus: Torus, style: Style) -> str:
    """Describe a ladder: whether the chain is captured, the moves, and where one more stone would change that."""
    results = {"captured": _("captured"), "escapes": _("escapes"), "undecided": _("undecided")}
    target = ladder.target
    names = " ".join(torus.name(stone, style) for stone in target.stones)
    liberties = len(target.liberties)
    whose, first = (translate(colour_message(colour)) for colour in (target.colour, ladder.to_move))
    room = plural("{count} liberty", "{count} liberties", liberties)
    head = _("{whose} {names}, {liberties}, {first} to play: {result}").format(
        whose=whose, names=names, liberties=room, first=first, result=results[ladder.result]
    )
    if ladder.line:
        head += plural(" in {count} move", " in {count} moves", ladder.plies)
    lines = [head]
    moves = []
    for number, point in enumerate(ladder.line, 1):
        colour = ladder.to_move if number % 2 else opponent(ladder.to_move)
        moves.append(
            f"{number}.{name_of(colour)[0].upper()} {_('pass') if point == PASS else torus.name(point, style)}"
        )
    lines += ["  " + "  ".join(moves[start : start + 8]) for start in range(0, len(moves), 8)]
    if points is not None and points.result != "undecided":
        breaks = ladder.result == "captured"
        for black, found in ((True, points.black), (False, points.white)):
            where = " ".join(torus.name(point, style) for point in found) or _("nowhere")
            if breaks and black:
                text = _("One more black stone breaks it at {count} points: {where}")
            elif breaks:
                text = _("One more white stone breaks it at {count} points: {where}")
            elif black:
                text = _("One more black stone makes it work at {count} points: {where}")
            else:
                text = _("One more white stone makes it work at {count} points: {where}")
            lines.append(text.format(count=len(found), where=where))
    if points is not None and points.undecided:
        lines.append(plural("{count} point is undecided", "{count} points are undecided", points.undecided_points))
    return "\n".join(lines) + "\n"


def opening_text(opening: Opening, torus: Torus, style: Style) -> str:
    """Describe an opening: its number and name, its moves in standard form, and the symmetry applied."""
    from daoqi_tui.analysis.opening import class_count  # noqa: PLC0415

    kind = opening.kind
    if kind is None:
        head = _("No opening: the game does not begin with a black and a white move on the empty board")
    else:
        opening_number = _("Opening {number} of {count}").format(number=kind.number, count=class_count(torus.size))
        head = _("{opening}: {name}").format(opening=opening_number, name=kind.name.in_language(language()))
    moves = [move_name(move, torus, style) for move in opening.moves[:_SHOWN]]
    more = " …" if len(opening.moves) > _SHOWN else ""
    standard = _("Standard moves: {moves}").format(moves=(" ".join(moves) or _("none")) + more)
    symmetry = _("Symmetry: {symmetry}").format(symmetry=_describe_symmetry(opening.symmetry))
    return f"{head}\n{standard}\n{symmetry}\n"


def _describe_symmetry(symmetry: Symmetry) -> str:
    steps = []
    if symmetry.transposed:
        steps.append(_("rows and columns swapped"))
    if symmetry.turns:
        steps.append(plural("{count} quarter turn clockwise", "{count} quarter turns clockwise", symmetry.turns))
    if symmetry.down or symmetry.right:
        steps.append(_("shifted {down} down and {right} right").format(down=symmetry.down, right=symmetry.right))
    return _(", then ").join(steps) or _("none needed")


def describe_days(seconds: float) -> str:
    """Write a time of a day or more: ``2 d 5 h``."""
    days, hours = divmod(int(seconds / 3600), 24)
    return _("{days} d {hours} h").format(days=days, hours=hours)
