"""Advice in lines of text: the best moves, the margin to be expected, ladders and openings."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar

from daoqi_tui.i18n import _
from daoqi_tui.lower_words import said
from daoqi_tui.plain.sentences import sentence
from daoqi_tui.plain.turns import PlainTurns
from daoqi_tui.tui.words import no_ladder_words

T = TypeVar("T")


class PlainAdvice(PlainTurns):
    """A game in lines of text in which a person may ask."""

    def _hint(self, _rest: str) -> Iterator[str]:
        from daoqi_tui.tui.thinking import evaluations, line_words, move_name  # noqa: PLC0415

        game, style = self.game, self._style
        if game.is_over:
            yield self._over_words()
            return
        if game.board.empty == game.torus.full and game.node.number == 0:
            yield sentence(
                _("Every first move is as good as any other: this board has no corner, no edge and no middle")
            )
            return
        found = _asked(lambda: self.computers.hint(game))
        if isinstance(found, str):
            yield found
            return
        if not found.lines:
            yield _("There is nothing to advise here.")
            return
        moves = ", ".join(f"{move_name(line.move, game.torus, style)} {line.win:.0%}" for line in found.lines)
        yield _("Best moves, with the chance to win: {moves}.").format(moves=moves)
        yield _("Expected: {moves}.").format(moves=line_words(found.lines[0].line, game.torus, style))
        yield sentence(evaluations(found))

    def _estimate(self, _rest: str) -> Iterator[str]:
        from daoqi_tui.tui.judging import expected_words  # noqa: PLC0415

        found = _asked(lambda: self.computers.estimate(self.game))
        yield found if isinstance(found, str) else sentence(expected_words(found))

    def _ladder(self, rest: str) -> Iterator[str]:
        from daoqi_tui.analysis.ladder import ladder_points, read_ladder  # noqa: PLC0415
        from daoqi_tui.analysis_words import ladder_text  # noqa: PLC0415

        game = self.game
        point = self._chain_point("ladder", rest)
        if isinstance(point, str):
            yield point
            return
        try:
            ladder = read_ladder(game.board, point)
            target = ladder.target
            if len(target.liberties) > 2:
                yield sentence(no_ladder_words(target, self._name(point)))
                return
            found = ladder_points(game.board, point)
        except KeyboardInterrupt:
            yield _("Stopped.")
            return
        yield from ladder_text(ladder, found, game.torus, self._style).splitlines()

    def _opening(self, _rest: str) -> Iterator[str]:
        from daoqi_tui.analysis.opening_class import opening_of  # noqa: PLC0415
        from daoqi_tui.analysis_words import opening_text  # noqa: PLC0415

        yield from opening_text(opening_of(self.game), self.game.torus, self._style).splitlines()

    def _chain_point(self, command: str, rest: str) -> int | str:
        """The point of a stone that a person named, or what is wrong with it."""
        torus = self.game.torus
        try:
            point = torus.parse(rest, self._style)
        except ValueError:
            return _("Name a point: {command} {point}.").format(command=command, point=self._name(self._middle()))
        if self.game.chain_at(point) is None:
            return _("No stone stands on {point}.").format(point=self._name(point))
        return point


def _asked(ask: Callable[[], T]) -> T | str:
    """What an adviser answers, or the sentence that tells why it does not."""
    from daoqi_tui.ai.player import PlayerError  # noqa: PLC0415 (most games are played without)

    try:
        return ask()
    except PlayerError as error:
        return sentence(said(error))
    except KeyboardInterrupt:
        return _("Stopped.")
