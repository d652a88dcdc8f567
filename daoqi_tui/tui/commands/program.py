"""The game and the program: records, new games, panes, options, help, and quitting."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final, cast

from daoqi_tui.i18n import _, words_of
from daoqi_tui.tui.commands.handlers import Handlers, question
from daoqi_tui.tui.commands.online import ask_for_online

if TYPE_CHECKING:
    from daoqi_tui.analysis.problems import Problem
    from daoqi_tui.engine import Node
    from daoqi_tui.play.looks import Options
    from daoqi_tui.play.position import PositionEditor
    from daoqi_tui.play.session import GameSetup
    from daoqi_tui.tui.app import DaoqiApp
    from daoqi_tui.tui.game.screen import GameScreen


@question
async def open_library(screen: GameScreen) -> None:
    """Choose a game to view or continue."""
    await _choose_record(screen)


async def _choose_record(screen: GameScreen) -> None:
    from daoqi_tui.tui.screens.library import LibraryScreen  # noqa: PLC0415

    keeper = screen.keeper
    if keeper is None:
        screen.say(_("Games are not saved in this window"))
        return
    path = await screen.questions.answer_to(LibraryScreen(keeper.library(), screen.match.is_open, screen.match.renamed))
    if path is not None:
        await screen.records.open_file(path)


def list_unfinished(screen: GameScreen) -> None:
    """Choose an unfinished game to resume."""
    screen.records.offer_unfinished(asked=True)


@question
async def save(screen: GameScreen) -> None:
    """Save the game as an SGF file."""
    await screen.records.save()


@question
async def export_picture(screen: GameScreen) -> None:
    """Write a picture of the board, or an animation of the game."""
    await screen.records.export()


def copy_position(screen: GameScreen) -> None:
    """Copy the board as text."""
    from daoqi_tui.pictures.text import text_picture  # noqa: PLC0415

    screen.app.copy_to_clipboard(text_picture(screen.session.game, screen.options.names) + "\n")
    screen.say(_("Board copied to the clipboard as text"))


def copy_game(screen: GameScreen) -> None:
    """Copy the game as SGF."""
    screen.app.copy_to_clipboard(screen.session.record().decode())
    screen.say(_("Game copied to the clipboard as SGF"))


@question
async def begin_game(screen: GameScreen) -> None:
    """Ask what to play, and begin it."""
    from daoqi_tui.play.session import Session  # noqa: PLC0415 (the table of commands is read without a game)
    from daoqi_tui.tui.screens.setup import SetupScreen  # noqa: PLC0415 (forms cost 20 ms)

    ratings = screen.keeper.ratings if screen.keeper is not None else None
    form = SetupScreen(_proposed(screen), ratings, _app(screen).habits.level)
    setup = await screen.questions.answer_to(form)
    if setup == "network":
        await ask_for_online(screen)
    elif setup is not None:
        await screen.records.open_session(Session(setup))


def _proposed(screen: GameScreen) -> GameSetup:
    """Return the defaults of a new game: as the last one, with the computer as White unless both players are named."""
    from daoqi_tui.play.seats import PERSON, Computer  # noqa: PLC0415

    setup = screen.session.setup
    if setup.black_seat == setup.white_seat == PERSON and not setup.white:
        return setup._replace(white_seat=Computer(_app(screen).habits.level))
    return setup


@question
async def welcome(screen: GameScreen) -> None:
    """Show the welcome screen."""
    await _welcome(screen)


@question
async def welcome_first(screen: GameScreen) -> None:
    """Show the welcome screen at the very first start."""
    from daoqi_tui.play.habits import is_first_start  # noqa: PLC0415

    if is_first_start():
        await _welcome(screen)


async def _welcome(screen: GameScreen) -> None:
    from daoqi_tui.play.session import (  # noqa: PLC0415 (the table of commands is read without a game)
        GameSetup,
        Session,
    )
    from daoqi_tui.tui.screens.welcome import WelcomeScreen  # noqa: PLC0415 (few see it)

    before = screen.session.setup
    match await screen.questions.answer_to(WelcomeScreen(before.size, _app(screen).habits.level)):
        case "tour":
            await begin_lesson(screen)
        case "open":
            await _choose_record(screen)
        case "network":
            await ask_for_online(screen)
        case GameSetup() as chosen:
            setup = before._replace(
                size=chosen.size,
                handicap=0,
                black="",
                white="",
                black_seat=chosen.black_seat,
                white_seat=chosen.white_seat,
            )
            await screen.records.open_session(Session(setup))


async def turn_side(screen: GameScreen, step: int) -> None:
    """Show the next or the previous of the panes at the side."""
    from daoqi_tui.tui.panes.side import SIDE_PANES  # noqa: PLC0415 (the table of commands is read without a screen)

    # The selected pane may be a permanent one now: panes are fitted to a larger window only after a refresh.
    chosen, place = screen.panes.chosen, SIDE_PANES.index(screen.panes.side)
    ring = (SIDE_PANES[(place + turn * step) % len(SIDE_PANES)] for turn in range(1, len(SIDE_PANES) + 1))
    await screen.panes.show_side(next(pane for pane in ring if pane in chosen))


def focus(screen: GameScreen) -> None:
    """Show the board alone, or everything again."""
    screen.set_focus_mode(on=not screen.has_class("-focus"))


@question
async def choose_board(screen: GameScreen) -> None:
    """Choose a board theme."""
    from daoqi_tui.tui.screens.options import BoardsScreen  # noqa: PLC0415 (lists cost 10 ms)

    before = screen.options
    _take(screen, before, await screen.questions.answer_to(BoardsScreen(before, _app(screen).apply_options)))


@question
async def choose_options(screen: GameScreen) -> None:
    """Ask for the options of the board and of play."""
    from daoqi_tui.tui.screens.options import OptionsScreen  # noqa: PLC0415 (forms cost 20 ms)

    before, app = screen.options, _app(screen)
    form = OptionsScreen(before, screen.session.game.torus.size, app.apply_options, app.set_language)
    _take(screen, before, await screen.questions.answer_to(form))


def _app(screen: GameScreen) -> DaoqiApp:
    return cast("DaoqiApp", screen.app)


def _take(screen: GameScreen, before: Options, after: Options | None) -> None:
    """Apply the chosen options, and save them."""
    if after is None:
        return
    _app(screen).apply_options(after)
    _app(screen).keep(before, after)
    screen.tree_changed()
    screen.show_position()


@question
async def set_up(screen: GameScreen) -> None:
    """Set up a position, for a new game or in the current one."""
    from daoqi_tui.play.position import PositionEditor  # noqa: PLC0415 (few need it)
    from daoqi_tui.tui.screens.position import PositionScreen  # noqa: PLC0415

    screen.replay.stop()
    session = screen.session
    game = session.game
    node, ended = game.node, screen.match.resigning is None
    made = await screen.questions.answer_to(
        PositionScreen(
            PositionEditor.of(game), screen.options, insertable=not game.is_over, keeps=screen.keeper is not None
        )
    )
    if made is None or session is not screen.session:
        return
    if made.purpose == "here":
        if screen.match.resigning is None and not ended:
            screen.say(_("The game ended while you were editing: the position was not inserted"))
        else:
            _insert(screen, made.editor, node)
        return
    from daoqi_tui.play.session import Session  # noqa: PLC0415

    begun = Session.opened(made.editor.record())
    if made.purpose == "game":
        begun.sit(session.setup.black_seat, session.setup.white_seat)
    if await screen.records.open_session(begun) and made.purpose == "analysis" and not screen.analysis.on:
        screen.analysis.toggle()


def _insert(screen: GameScreen, editor: PositionEditor, node: Node) -> None:
    """Set up a position after the node it was made from, since computers may have moved meanwhile."""
    match = screen.match
    if match.game.node is not node:
        try:
            match.goto(node)
        except ValueError:
            screen.say(_("The move you started from was deleted: the position was not inserted"))
            return
    match.set_up(editor)


async def begin_lesson(screen: GameScreen) -> None:
    """Begin the first lesson."""
    from daoqi_tui.tui.screens.lesson import LessonScreen  # noqa: PLC0415 (few need it)

    await screen.app.push_screen(LessonScreen(screen.options))


@question
async def solve_problems(screen: GameScreen) -> None:
    """Open the problems screen, until it is left."""
    from datetime import date  # noqa: PLC0415 (few need it)

    from daoqi_tui.play.problem_files import shipped  # noqa: PLC0415
    from daoqi_tui.play.problem_progress import Practice, ProgressFile, groups, progress_file  # noqa: PLC0415
    from daoqi_tui.record.text import SgfError  # noqa: PLC0415
    from daoqi_tui.tui.access import local_access  # noqa: PLC0415
    from daoqi_tui.tui.screens.problems import ProblemList, ProblemScreen, own_collection  # noqa: PLC0415

    try:
        problems = shipped()
    except (FileNotFoundError, SgfError) as error:
        screen.say(words_of(error))
        return
    keeps = screen.keeper is not None
    file = ProgressFile(progress_file() if keeps else None)
    access = local_access(screen.app) if keeps else None
    last: tuple[Problem, ...] = ()
    while True:
        listed = groups(problems, file.progress, date.today())
        trouble = words_of(file.trouble or "")
        chosen = await screen.questions.answer_to(ProblemList(listed, trouble, opens=access is not None, last=last))
        if isinstance(chosen, str):
            chosen = () if access is None else await own_collection(screen.app, access)
            if not chosen:
                # A cancelled prompt for a file leads back to the list.
                continue
        if not chosen:
            return
        last = chosen
        practice = Practice(chosen, file)
        await screen.questions.answer_to(ProblemScreen(practice, screen.options))


async def show_help(screen: GameScreen) -> None:
    """List every key."""
    from daoqi_tui.tui.screens.commands import HelpScreen  # noqa: PLC0415 (a table costs a start 10 ms)

    await screen.app.push_screen(HelpScreen())


def open_menu(screen: GameScreen) -> None:
    """Open the menu of all commands."""
    screen.app.action_command_palette()


@question
async def leave(screen: GameScreen) -> None:
    """Leave the program, or an online game for the one below it; ask first if a game is in progress."""
    if screen.online is not None:
        if await screen.online.agreed_to_leave():
            # Later, since this question belongs to the closing screen.
            screen.app.call_later(_app(screen).leave_game)
        return
    if await screen.records.agreed_to_leave(
        lost=_("The current game will be lost. Quit?"),
        unsaved=_("The moves played since then will be lost. Quit?"),
        kept=_("The current game is saved: you can resume it at the next start. Quit?"),
        leave=_("Quit"),
    ):
        await screen.records.leave_game()
        screen.app.exit()


HANDLERS: Final[Handlers] = {
    "library": open_library,
    "unfinished": list_unfinished,
    "save": save,
    "export": export_picture,
    "copy_position": copy_position,
    "copy_game": copy_game,
    "new_game": begin_game,
    "next_pane": partial(turn_side, step=1),
    "previous_pane": partial(turn_side, step=-1),
    "focus": focus,
    "boards": choose_board,
    "settings": choose_options,
    "set_up": set_up,
    "lesson": begin_lesson,
    "problems": solve_problems,
    "welcome": welcome,
    "help": show_help,
    "palette": open_menu,
    "quit": leave,
}
