"""A position set up by hand as a problem: the search for a proof, which can be stopped, and saving the problem."""

from __future__ import annotations

import asyncio
from typing import Any, TypeAlias

from rich.text import Text
from textual import work
from textual.app import App, ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from daoqi_tui.ai.protocol import Layout
from daoqi_tui.ai.protocol import Position as Request
from daoqi_tui.analysis.problems import Position, Problem, Unproved
from daoqi_tui.engine import STANDARD_KOMI, torus_of
from daoqi_tui.i18n import _, translate
from daoqi_tui.message import reason_of
from daoqi_tui.play.looks import Options
from daoqi_tui.play.problem_files import keep, own_file
from daoqi_tui.play.problem_progress import Practice, ProgressFile, progress_file
from daoqi_tui.play.reading import Reader, ReadingFailed
from daoqi_tui.play.wording import sentence
from daoqi_tui.record.files import InUse
from daoqi_tui.record.text import SgfError
from daoqi_tui.tui.features.problems.screen import ProblemScreen
from daoqi_tui.tui.screens.dialogs import Dialog, Question

Found: TypeAlias = Problem | Unproved | ReadingFailed
"""A problem with its answer, the reason why there is none, or the reason why the search failed."""


class Proving(Dialog[Found | None]):
    """A dialog during the search for a proof in a child process; Esc stops it."""

    BINDINGS = [Binding("escape,q", "stop", show=False)]  # noqa: RUF012 (Textual's form)

    def __init__(self, position: Position, target: int) -> None:
        """Search for the fate of the chain at ``target``."""
        super().__init__()
        self._position, self._target = position, target

    def compose(self) -> ComposeResult:
        """Lay out the message."""
        with Vertical(classes="dialog") as dialog:
            dialog.border_subtitle = Content(_("Esc: stop")).stylize("@click=screen.stop")
            yield Static(Text(_("Looking for the answer to every move…")), classes="question")

    def on_mount(self) -> None:
        """Start the search."""
        self._prove()

    @work
    async def _prove(self) -> None:
        position, reader = self._position, Reader()
        torus = torus_of(position.size)
        stones = Layout(torus.points_in(position.black), torus.points_in(position.white), (), position.to_move)
        found: Found
        try:
            found = await reader.problem(Request(position.size, STANDARD_KOMI, (stones,)), self._target)
        except ReadingFailed as error:
            found = error
        finally:
            await reader.close()
        self.dismiss(found)

    def action_stop(self) -> None:
        """Stop without a result."""
        self.dismiss(None)


async def solve_and_keep(app: App[Any], problem: Problem, options: Options, *, keeps: bool) -> str:
    """Have the user solve a problem, and ask whether to save it; return the message to show.

    Args:
        app: the app.
        problem: the proved problem.
        options: the look of the board and the names of points.
        keeps: whether the problem and the user's progress may be saved in files.
    """
    practice = Practice([problem], ProgressFile(progress_file() if keeps else None))
    await app.push_screen_wait(ProblemScreen(practice, options))
    question = _("The answer is proved. Keep the problem in your own collection?")
    if not keeps or not await app.push_screen_wait(Question(question, _("Keep it"), _("No"))):
        return ""
    path = own_file()
    try:
        is_new = await asyncio.to_thread(keep, problem, path)
    except (SgfError, InUse) as error:
        return sentence(translate(error))
    except OSError as error:
        reason = translate(reason_of(error))
        return _("{file} cannot be written: {reason}").format(file=path, reason=reason)
    words = _("The problem is in {file}") if is_new else _("The problem was in {file} already")
    return words.format(file=path)
