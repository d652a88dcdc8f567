"""Analysis and notes: ladders, hints, the estimate, the review and openings; comments, marks, letters, move numbers."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from daoqi_tui.i18n import _
from daoqi_tui.play.words import with_keys
from daoqi_tui.tui.commands.handlers import Handlers, question
from daoqi_tui.tui.commands.navigation import reset_view
from daoqi_tui.tui.commands.playing import hurry

if TYPE_CHECKING:
    from daoqi_tui.engine import Game
    from daoqi_tui.play.evaluation import Evaluation
    from daoqi_tui.tui.game.screen import GameScreen


def ladder(screen: GameScreen) -> None:
    """Read the ladder of the chain under the pointer, replacing a hint or the analysis."""
    screen.ladder.read()


def clear(screen: GameScreen) -> None:
    """Clear the overlays, the topmost first, or have the thinking computer move at once."""
    if not any(overlay.clear() for overlay in reversed(screen.overlays)):
        hurry(screen)


def hint(screen: GameScreen) -> None:
    """Give a hint; asked again, show more."""
    screen.analysis.hint()


def analysis(screen: GameScreen) -> None:
    """Analyse the viewed position, or stop."""
    screen.analysis.toggle()


def step_moves(screen: GameScreen, step: int) -> None:
    """Move the cursor to the next or previous best move."""
    screen.analysis.step(step)


def go_to_mistake(screen: GameScreen, step: int) -> None:
    """Go to the next or the previous mistake of the line of play shown."""
    from daoqi_tui.play.review import next_mistake  # noqa: PLC0415 (needed only after a search)

    game = screen.session.game
    judged = screen.judged()
    found = next_mistake(judged, game.node.number, step)
    if found is None and screen.review.on and step > 0:
        screen.say(_("No mistake is found after this move yet: the review goes on"))
        return
    if not judged:
        screen.say(with_keys(_("No move is evaluated yet: {review} reviews the game")))
        return
    if found is None:
        screen.say(_("There is no mistake after this move") if step > 0 else _("There is no mistake before this move"))
        return
    screen.replay.stop()
    screen.match.goto(found.node)


async def show_summary(screen: GameScreen) -> None:
    """Show how both sides played."""
    from daoqi_tui.play.review import summary_lines  # noqa: PLC0415
    from daoqi_tui.tui.screens.dialogs import TextPage  # noqa: PLC0415

    lines = summary_lines(screen.judged(), screen.session.game.torus, screen.options.names)
    if not lines:
        screen.say(with_keys(_("No move is evaluated yet: {review} reviews the game")))
        return
    await screen.app.push_screen(TextPage(_("Summary"), "\n".join(lines)))


def estimate(screen: GameScreen) -> None:
    """Show or hide the estimated territory."""
    screen.estimate.toggle()


def review(screen: GameScreen) -> None:
    """Review the line of play shown, or stop reviewing."""
    screen.review.toggle()


def turn_to_standard(screen: GameScreen) -> None:
    """Turn and pan the view to the standard form of the opening, or back."""
    if screen.opening.turn_back():
        screen.say(_("View turned back"))
    elif screen.board.viewport.orientation.upright:
        screen.opening.turn_to_standard()
    else:
        reset_view(screen)
        screen.say(_("View reset"))


@question
async def list_openings(screen: GameScreen) -> None:
    """Show all openings of two moves, with data on the moves from each."""
    from daoqi_tui.play.analyst import OPENING, analyse  # noqa: PLC0415
    from daoqi_tui.play.opening_browser import OpeningBrowser  # noqa: PLC0415 (numpy costs 100 ms)
    from daoqi_tui.tui.screens.openings import OpeningsScreen  # noqa: PLC0415

    async def search(game: Game) -> Evaluation | None:
        # The current game may have reached this position.
        screen.match.note_help()
        return await analyse(screen.match.players, game, game.node, OPENING)

    kind = screen.opening.view.opening.kind
    browser = OpeningBrowser(screen.session.game.torus.size, screen.opening.index)
    page = OpeningsScreen(browser, kind.number if kind else None, search, screen.options.names, screen.board.palette)
    file = await screen.questions.answer_to(page)
    if file is not None:
        await screen.records.open_file(file)


@question
async def edit_comment(screen: GameScreen) -> None:
    """Write or change the comment on this move."""
    from daoqi_tui.record.sgf.markup import comment, set_comment  # noqa: PLC0415
    from daoqi_tui.tui.screens.dialogs import CommentScreen  # noqa: PLC0415 (an editor costs a start 30 ms)

    node = screen.session.game.node
    written = await screen.questions.answer_to(CommentScreen(comment(node)))
    if written is not None and written != comment(node):
        set_comment(node, written)
        screen.match.note(node)


def mark(screen: GameScreen) -> None:
    """Put the next kind of mark on the point under the cursor."""
    from daoqi_tui.pictures.picture import SIGNS  # noqa: PLC0415
    from daoqi_tui.record.sgf.markup import next_mark  # noqa: PLC0415

    node = screen.session.game.node
    kind = next_mark(node, screen.cursor.point, screen.session.game.torus.size)
    screen.match.note(node)
    screen.say(_("Mark: {mark}").format(mark=SIGNS[kind] if kind else _("none")))


def letter(screen: GameScreen) -> None:
    """Put the next letter on the point under the cursor, or remove it."""
    from daoqi_tui.record.sgf.markup import toggle_letter  # noqa: PLC0415

    node = screen.session.game.node
    written = toggle_letter(node, screen.cursor.point, screen.session.game.torus.size)
    screen.match.note(node)
    screen.say(_("Letter: {letter}").format(letter=written or _("none")))


def number_moves(screen: GameScreen) -> None:
    """Show or hide the numbers of the moves."""
    screen.labels.toggle_numbers()


HANDLERS: Final[Handlers] = {
    "ladder": ladder,
    "clear": clear,
    "analysis": analysis,
    "next_move": partial(step_moves, step=1),
    "previous_move": partial(step_moves, step=-1),
    "hint": hint,
    "estimate": estimate,
    "review": review,
    "next_mistake": partial(go_to_mistake, step=1),
    "previous_mistake": partial(go_to_mistake, step=-1),
    "summary": show_summary,
    "standard": turn_to_standard,
    "openings": list_openings,
    "comment": edit_comment,
    "mark": mark,
    "letter": letter,
    "numbers": number_moves,
}
