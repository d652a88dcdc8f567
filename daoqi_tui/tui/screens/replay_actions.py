"""Looking back: stepping through the tree, variations, and the game replaying itself."""

from __future__ import annotations

from typing import Final

from textual.timer import Timer

from daoqi_tui.i18n import _
from daoqi_tui.tui.bound_keys import with_keys
from daoqi_tui.tui.screens.base import GameBase
from daoqi_tui.tui.widgets.history import HistoryPane

_SPEEDS: Final = (4.0, 2.0, 1.0, 0.5, 0.25, 0.1)
"""Seconds between two moves of a replay."""


class ReplayActions(GameBase):
    """Actions that set the game on another node of its tree."""

    _replay_timer: Timer | None = None
    _speed: int = 2

    def action_back(self, moves: int = 1) -> None:
        """Go back some moves, as far as there are any."""
        self._stop_replay()
        game = self.session.game
        start = node = game.node
        for _step in range(moves):
            if node.parent is None or node is self.session.start:
                break
            node = node.parent
        self._go_or_say(moved=node is not start, words=_("This is the start"))
        if node is not start:
            self.go(node)

    def action_forward(self, moves: int = 1) -> None:
        """Go on some moves, as far as there are any."""
        self._stop_replay()
        if not self._forward(moves):
            self.say(_("Nothing more was played from here"))

    def _forward(self, moves: int) -> bool:
        game = self.session.game
        gone = False
        for _step in range(moves):
            node = self.next_node()
            if node is None:
                break
            game.goto(node)
            gone = True
        if gone:
            self.show_position()
        return gone

    def action_play_again(self) -> None:
        """Play a move taken back again."""
        self.action_forward()
        if self.session.game.node.parent is self.session.front:
            self.play_goes_on_here()
            self.show_position()

    def action_start(self) -> None:
        """Go to the start."""
        self._stop_replay()
        self.go(self.session.start)

    def action_end(self) -> None:
        """Go to the end of this line of play."""
        self._stop_replay()
        self._forward(len(self.session.game.node.line()) + 10_000)

    def action_variation(self) -> None:
        """Go to the next move that was played in place of this one."""
        node = self.session.game.node
        siblings = node.parent.children if node.parent is not None else ()
        if len(siblings) < 2:
            self.say(_("No other move was played here"))
            return
        self._stop_replay()
        self.go(siblings[(siblings.index(node) + 1) % len(siblings)])

    def on_history_pane_node_selected(self, message: HistoryPane.NodeSelected) -> None:
        """Go to a move clicked in the history."""
        message.stop()
        self._stop_replay()
        self.go(message.node)

    def action_replay(self) -> None:
        """Let the game replay itself from here, or stop."""
        if self._replay_timer is not None:
            self._stop_replay()
            self.say(_("Replay stopped"))
            return
        if self.next_node() is None:
            self.go(self.session.start)
        if self.next_node() is None:
            self.say(_("There is nothing to replay yet"))
            return
        self._start_replay()

    def action_speed(self, step: int) -> None:
        """Replay faster or more slowly."""
        self._speed = max(0, min(len(_SPEEDS) - 1, self._speed + step))
        if self._replay_timer is not None:
            self._stop_replay()
            self._start_replay()
        self.say(_("Replay: a move every {seconds} s").format(seconds=_SPEEDS[self._speed]))

    def _start_replay(self) -> None:
        self._replay_timer = self.set_interval(_SPEEDS[self._speed], self._replay_step)
        self.say(with_keys(_("Replaying: {replay} stops, {speed_1} and {speed_minus_1} change the speed")))

    def _replay_step(self) -> None:
        if not self._forward(1):
            self._stop_replay()
            self.say(_("End of the replay"))

    def _stop_replay(self) -> None:
        if self._replay_timer is not None:
            self._replay_timer.stop()
            self._replay_timer = None

    def _go_or_say(self, *, moved: bool, words: str) -> None:
        if not moved:
            self.say(words)
