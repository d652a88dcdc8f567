"""The questions asked over a game: one at a time, each handled before the next."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterator
from typing import Any, Final, TypeAlias, TypeVar

from textual.screen import Screen
from textual.worker import Worker, get_current_worker

Asking: TypeAlias = Callable[[], Coroutine[Any, Any, Any]]
"""Asks the user a question with :meth:`Questions.answer_to`, and acts on the answer."""
Answer = TypeVar("Answer")

_QUESTION: Final = "question"
_ANSWERED: Final = "answered"


class Questions:
    """The questions of a game screen, and those that wait for their turn.

    Args:
        screen: the screen.
        in_view: returns whether the game is shown without a dialog over it.
    """

    def __init__(self, screen: Screen[Any], in_view: Callable[[], bool]) -> None:
        self._screen = screen
        self._in_view = in_view
        self._waiting: list[Asking] = []
        """The waiting questions that were not triggered by a key."""
        self._next: Asking | None = None
        """The question triggered by a key while an answer was handled."""

    def run(self, asking: Asking) -> None:
        """Ask in the background, replacing an unanswered question.

        The handling of an answer is completed first: otherwise a game could be left without switching to another, and
        would continue unsaved.
        """
        screen = self._screen
        if any(worker.node is screen and worker.group == _ANSWERED for worker in self._under_way()):
            self._next = asking
        else:
            self._next = None
            screen.run_worker(asking, group=_QUESTION, exclusive=True)

    def run_in_turn(self, asking: Asking) -> None:
        """Ask a question not triggered by a key once no question or dialog is open, so that no typed input is lost."""
        self._waiting.append(asking)
        self.run_next()

    def run_next(self) -> None:
        """Ask the next waiting question, if possible."""
        app = self._screen.app
        if not (self._next or self._waiting) or not app.is_running or any(self._under_way()):
            return
        if self._next is not None:
            asking, self._next = self._next, None
            # If the answer led elsewhere, the key was not meant for this game.
            if app.screen is self._screen:
                self.run(asking)
                return
        if self._waiting and self._in_view():
            self.run(self._waiting.pop(0))

    def worker_changed(self, worker: Worker[Any]) -> None:
        if worker.group in (_QUESTION, _ANSWERED) and worker.is_finished:
            self.run_next()

    def _under_way(self) -> Iterator[Worker[Any]]:
        """Return the workers that are asking a question or handling an answer."""
        workers = self._screen.workers
        return (worker for worker in workers if worker.group in (_QUESTION, _ANSWERED) and not worker.is_finished)

    async def answer_to(self, dialog: Screen[Answer]) -> Answer:
        """Show a dialog and return its answer; to be called only in a worker of :meth:`run`.

        Another question replaces an unanswered one, but nothing interrupts the handling of an answer.
        """
        answer = await self._screen.app.push_screen_wait(dialog)
        get_current_worker().group = _ANSWERED
        return answer

    async def ask(self, question: str, yes: str, no: str) -> bool:
        """Ask a yes-or-no question; to be called only in a worker of :meth:`run`."""
        from daoqi_tui.tui.screens.dialogs import Question  # noqa: PLC0415 (dialogs cost a start 10 ms)

        return await self.answer_to(Question(question, yes, no))
