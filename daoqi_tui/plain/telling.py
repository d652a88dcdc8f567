"""What is told of moves and counts."""

from __future__ import annotations

from collections.abc import Iterator

from daoqi_tui.engine import BLACK, WHITE, Node, TwoPasses, points_text
from daoqi_tui.i18n import _, plural
from daoqi_tui.plain.records import PlainRecords
from daoqi_tui.plain.sentences import sentence
from daoqi_tui.tui.words import colour_word, margin_words


class PlainTelling(PlainRecords):
    """A game in lines of text that tells what happens on its board."""

    def _told(self, node: Node, before: bytes) -> Iterator[str]:
        """Tell a move just made, what it took, and the count where it ends the game."""
        move = node.move
        assert move is not None
        gone = [self._name(p) for p, colour in enumerate(before) if colour and not self.game.board.colours[p]]
        colour = colour_word(move.colour)
        words = _("{colour} passes").format(colour=colour) if move.is_pass else f"{colour} {self._name(move.point)}"
        if node.captured:
            taken = plural("captures {count} stone", "captures {count} stones", node.captured)
            words += _(", {what}: {points}").format(what=taken, points=", ".join(gone))
        elif node.lost:
            lost = plural("suicide, {count} stone lost", "suicide, {count} stones lost", node.lost)
            words += _(", {what}: {points}").format(what=lost, points=", ".join([*gone, self._name(move.point)]))
        yield sentence(words)
        if self.game.is_over:
            yield self.turn()
            yield from self._score("")

    def _score(self, _rest: str) -> Iterator[str]:
        ending = self.game.ending
        area = self.game.area(ending.dead if isinstance(ending, TwoPasses) else ())
        for colour in (BLACK, WHITE):
            side = area.player(colour)
            yield _("{colour}: stones {stones}, territory {territory}, passes {passes}, komi {komi}: {total}.").format(
                colour=colour_word(colour),
                stones=side.stones,
                territory=side.territory,
                passes=-side.passes,
                komi=points_text(side.komi),
                total=points_text(side.total),
            )
        yield sentence(margin_words(area))

    def _over_words(self) -> str:
        return _("The game is over: resume plays on, undo takes back, save FILE keeps it, quit leaves.")
