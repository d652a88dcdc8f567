"""Playing: stones, passes, resignation, scoring, the end of the game, and the computer players."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from daoqi_tui.engine import BLACK, WHITE, GameOver
from daoqi_tui.i18n import _
from daoqi_tui.play.events import Declined
from daoqi_tui.play.words import colour_word, margin_words, refusal_words, sum_words, with_keys
from daoqi_tui.tui.commands.handlers import Handlers, question

if TYPE_CHECKING:
    from daoqi_tui.play.evaluation import JudgedMove
    from daoqi_tui.tui.game.screen import GameScreen


def play(screen: GameScreen) -> None:
    """Play at the cursor."""
    play_at(screen, screen.cursor.point)


def play_at(screen: GameScreen, point: int) -> None:
    """Play at a point, or mark its chain dead while dead stones are being chosen."""
    if screen.counting.marking_dead:
        screen.counting.toggle_dead(point)
        return
    refusal = screen.match.play(point)
    if isinstance(refusal, Declined):
        _say_declined(screen, refusal)
    elif refusal is not None:
        screen.refuse(point, refusal_words(refusal, screen.session.game.torus, screen.options.names))


def pass_turn(screen: GameScreen) -> None:
    """Pass, unless a computer is to move."""
    if screen.match.thinking is not None or screen.match.questioned is not None:
        _say_thinking(screen)
    else:
        _pass(screen)


def _say_declined(screen: GameScreen, reason: Declined) -> None:
    if screen.online is not None:
        screen.online.decline(reason)
    else:
        _say_thinking(screen)


def _say_thinking(screen: GameScreen) -> None:
    thought, questioned = screen.match.thinking, screen.match.questioned
    if questioned is not None:
        screen.questions.run(partial(ask_about_move, screen, questioned))
    elif thought is not None:
        words = _("{name} is thinking: {clear} makes it move now, {undo} undoes your move")
        screen.say(with_keys(words, name=thought.name))


@question
async def _pass(screen: GameScreen) -> None:
    """Pass; ask first when that would end the game."""
    game = screen.session.game
    if game.is_over:
        _say_over(screen)
        return
    node = game.node
    if screen.match.awaits_person and node.passes_in_row == 1 and not node.resumed and not await _agreed_to_end(screen):
        return
    if game.node is node and not game.is_over:
        declined = screen.match.pass_turn()
        if isinstance(declined, Declined):
            _say_declined(screen, declined)


async def _agreed_to_end(screen: GameScreen) -> bool:
    """Ask whether to end the game with its current score, including this pass."""
    game = screen.session.game
    game.board.pass_turn()
    area = game.area()
    game.board.undo()
    text = "\n".join(
        (
            _("Passing again ends the game with this score:"),
            "",
            f"● {sum_words(area, BLACK)}",
            f"○ {sum_words(area, WHITE)}",
            margin_words(area),
            "",
            _("(stones + territory − passes; all stones on the board count as alive)"),
        )
    )
    return await screen.questions.ask(text, _("Pass and end"), _("Keep playing"))


def _say_over(screen: GameScreen) -> None:
    if screen.online is not None:
        screen.online.decline(Declined.NOT_NOW)
        return
    screen.say(with_keys(_("The game is over: {resume} resumes it, {new_game} starts a new one")))


@question
async def type_move(screen: GameScreen) -> None:
    """Ask for a move by name and play it."""
    from daoqi_tui.tui.screens.dialogs import Prompt  # noqa: PLC0415 (dialogs cost a start 10 ms)

    torus, style = screen.session.game.torus, screen.options.names
    example = torus.name(torus.point(torus.size // 2, torus.size // 2), style)
    hint = _("{point}, or pass").format(point=example)
    typed = await screen.questions.answer_to(Prompt(_("Move: "), hint, lambda typed: _wrong_with(screen, typed)))
    if typed is None:
        return
    if typed.strip().lower() == "pass":
        pass_turn(screen)
    else:
        screen.cursor.point = torus.parse(typed, style)
        screen.board.set_viewport(screen.board.viewport.showing(*torus.position(screen.cursor.point)))
        play_at(screen, screen.cursor.point)


def _wrong_with(screen: GameScreen, typed: str) -> str | None:
    """Return the error of a typed move, None if it can be played."""
    game, style = screen.session.game, screen.options.names
    if typed.strip().lower() == "pass":
        return None
    torus = game.torus
    try:
        point = torus.parse(typed, style)
    except ValueError:
        first, last = torus.name(torus.points - torus.size, style), torus.name(torus.size - 1, style)
        return _("That is not a point: type a name from {first} to {last}, or pass").format(first=first, last=last)
    if screen.counting.marking_dead:
        # The point marks a chain; ``play_at`` reports if there is none.
        return None
    refusal = game.refusal(point)
    return None if refusal is None else refusal_words(refusal, torus, style)


def undo(screen: GameScreen) -> None:
    """Undo the last move, with a computer's answer, or a resignation."""
    if screen.ladder.step(-1):
        return
    screen.replay.stop()
    declined = screen.match.undo()
    if screen.online is not None:
        if declined is not None:
            screen.online.decline(declined)
        return
    if declined is Declined.NO_MOVE_OF_YOURS:
        screen.say(_("You have no move to undo"))
    elif declined is Declined.AT_START:
        screen.say(_("This is the start: there is nothing to undo"))
    elif not screen.match.persons:
        _say_waiting(screen)


def redo(screen: GameScreen) -> None:
    """Redo a human's undone move, with a computer's answer."""
    if screen.ladder.step(1):
        return
    screen.replay.stop()
    if screen.match.redo() is not None:
        screen.say(_("There are no more moves"))


def count(screen: GameScreen) -> None:
    """Show or hide the area of both sides."""
    screen.counting.toggle()


@question
async def resign(screen: GameScreen) -> None:
    """Resign for the human player, whoever is to move."""
    loser = screen.match.resigning
    if loser is None:
        _say_over(screen)
        return
    text = _("Resign as {colour}?").format(colour=colour_word(loser))
    if await screen.questions.ask(text, _("Resign"), _("Keep playing")):
        screen.match.resign(loser)


async def show_card(screen: GameScreen) -> None:
    """Show how the game ended."""
    from daoqi_tui.play.summary import summary  # noqa: PLC0415 (a game has to end first)
    from daoqi_tui.tui.screens.result import ResultScreen  # noqa: PLC0415

    game, end = screen.session.game, screen.session.front or screen.match.variations.last_node()
    if not end.is_over:
        end = game.node
    found = summary(screen.session, end, screen.evaluations, screen.options.names, screen.match.rated)
    if found is None:
        screen.say(with_keys(_("The game is not over yet: {count} shows the score as it stands")))
        return
    online = screen.online is not None
    card = ResultScreen(found, game, end, screen.evaluations, screen.board.palette, online=online)
    command = await screen.questions.answer_to(card)
    if command is not None:
        # Later, since other questions wait until this one has been handled.
        screen.call_later(screen.action_command, command)


show_result = question(show_card)


async def ask_about_move(screen: GameScreen, judged: JudgedMove) -> None:
    """Ask whether to undo a move that lost much, next to the board, which shows the better line."""
    from daoqi_tui.play.review import why_words  # noqa: PLC0415 (most games are played without)
    from daoqi_tui.tui.screens.dialogs import SideQuestion  # noqa: PLC0415

    match = screen.match
    if match.questioned is not judged:
        return
    screen.show_board()
    screen.status.show()
    words = why_words(judged, screen.session.game.torus, screen.options.names)
    answers = ("u", _("Undo"), True), ("k", _("Keep the move"), False)
    back = await screen.questions.answer_to(SideQuestion(words, answers, left=False))
    if match.questioned is not judged:
        return
    if back:
        match.undo()
    else:
        match.keep_move()
        screen.show_board()


def teach(screen: GameScreen) -> None:
    """Turn teach mode on or off."""
    from daoqi_tui.play.analyst import TEACH_FROM  # noqa: PLC0415 (most games are played without)

    if screen.online is not None:
        screen.say(_("There is no teach mode in online games"))
        return
    before = screen.options
    after = before._replace(teach=0 if before.teach else TEACH_FROM)
    screen.daoqi.apply_options(after)
    screen.daoqi.keep(before, after)
    if after.teach:
        words = _("Teach mode: warns when a move against the computer loses {points} points or more")
        screen.say(words.format(points=after.teach))
    else:
        screen.say(_("Teach mode off"))


def mark_dead(screen: GameScreen) -> None:
    """Begin or end choosing dead stones."""
    screen.counting.toggle_marking()


def resume(screen: GameScreen) -> None:
    """Resume the game after its end."""
    declined = screen.match.resume()
    if declined is not None and screen.online is not None:
        screen.online.decline(declined)
    elif declined is not None:
        screen.say(_("The game is not over: play on"))


@question
async def choose_players(screen: GameScreen) -> None:
    """Choose who plays each side from here on."""
    from daoqi_tui.tui.screens.setup import PlayersChoice, PlayersScreen  # noqa: PLC0415 (forms cost 20 ms)

    session = screen.session
    chosen = await screen.questions.answer_to(PlayersScreen(PlayersChoice.of(session)))
    if chosen is None or session is not screen.session:
        return
    await screen.match.seat(chosen.black, chosen.white, resigns=chosen.resigns)
    screen.note_players()


def pause(screen: GameScreen) -> None:
    """Pause or resume the computers."""
    match = screen.match
    if screen.online is not None:
        screen.online.pause()
    elif len(match.persons) == 2:
        screen.say(with_keys(_("Two humans play: {players} adds a computer")))
    elif match.paused:
        match.unpause()
        screen.show_position()
    else:
        match.pause()
        _say_waiting(screen)


def _say_waiting(screen: GameScreen) -> None:
    screen.say(with_keys(_("The computers are paused: {pause} resumes them, {step} makes one move")))


def step(screen: GameScreen) -> None:
    """Have a computer make one move for the side to move, whoever plays it."""
    if isinstance(screen.match.move_now(), GameOver):
        _say_over(screen)


def hurry(screen: GameScreen) -> None:
    """Have the thinking computer move at once, or stop waiting for a GTP engine."""
    screen.match.hurry()


async def show_engine_log(screen: GameScreen) -> None:
    """Show the standard error of GTP engines."""
    from daoqi_tui.tui.screens.dialogs import EngineLog  # noqa: PLC0415

    match = screen.match
    said = match.players.engine_log() if match.turns.has_players else ()
    if said:
        await screen.app.push_screen(EngineLog(said))
    else:
        screen.say(_("No GTP engine has played here yet"))


HANDLERS: Final[Handlers] = {
    "play": play,
    "pass": pass_turn,
    "type_move": type_move,
    "undo": undo,
    "redo": redo,
    "count": count,
    "resign": resign,
    "result": show_result,
    "dead": mark_dead,
    "resume": resume,
    "players": choose_players,
    "teach": teach,
    "pause": pause,
    "step": step,
    "engine_log": show_engine_log,
}
